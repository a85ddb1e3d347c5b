// query campaign: a campaign of the caller's organization, or null.
import type { Pool } from 'pg';
import type { QueryCampaignArgs } from '../../generated/graphql.ts';
import { withinBudget, type ResponseBudget } from '../platform/responseBudget.ts';
import { canAccess, withViewer, type Caller } from '../workspace/workspace.ts';
import { findCampaign, type SeenCampaign } from './campaignFields.ts';

export async function campaign(
  { id }: QueryCampaignArgs,
  { caller, adminPool, budget }: { caller: Caller; adminPool: Pool; budget: ResponseBudget },
): Promise<SeenCampaign | null> {
  const [found] = await withinBudget(budget, () =>
    findCampaign(adminPool, { organizationId: caller.organizationId, id }),
  );
  return found && canAccess(caller, found.applicationId) ? withViewer(caller, found) : null;
}
