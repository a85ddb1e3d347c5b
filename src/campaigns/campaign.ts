// query campaign: a campaign of the caller's organization, or null.
import type { QueryCampaignArgs } from '../../generated/graphql.ts';
import type { PrismaModels } from '../platform/database/transaction.ts';
import { withinBudget, type ResponseBudget } from '../platform/responseBudget.ts';
import { canAccess, withViewer, type Caller } from '../workspace/workspace.ts';
import type { SeenCampaign } from './campaignFields.ts';
import type { StoredCampaign } from './campaignRecord.ts';

export async function campaign(
  { id }: QueryCampaignArgs,
  { caller, prisma, budget }: { caller: Caller; prisma: PrismaModels; budget: ResponseBudget },
): Promise<SeenCampaign | null> {
  const { organizationId } = caller;
  const own = { id, application: { deletedAt: null, project: { organizationId } } };
  const [found] = await withinBudget(budget, () => prisma.campaign.findMany({ where: own }));
  return found && canAccess(caller, found.applicationId) ? withViewer(caller, found as StoredCampaign) : null;
}
