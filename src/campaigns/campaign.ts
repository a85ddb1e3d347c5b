// query campaign: one of the caller's organization, or null.
import type { Pool } from 'pg';
import type { QueryCampaignArgs } from '../../generated/graphql.ts';
import { seenBy, type Caller } from '../workspace/caller.ts';
import type { SeenCampaign } from './campaignFields.ts';
import { findCampaign } from './campaignsReadStore.ts';

export async function campaign(
  { id }: QueryCampaignArgs,
  { caller, pool }: { caller: Caller; pool: Pool },
): Promise<SeenCampaign | null> {
  const found = await findCampaign(pool, { organizationId: caller.organizationId, id });
  return found && seenBy(caller, found);
}
