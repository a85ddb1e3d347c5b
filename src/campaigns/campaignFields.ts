// The fields of Campaign that are not columns: derived from the clock, counted, or another object.
import { seenBy, type SeenBy, type SeenApplication } from '../workspace/caller.ts';
import type { WorkspaceLoaders } from '../workspace/workspaceLoaders.ts';
import { campaignHistory } from './campaignHistory.ts';
import type { CampaignLoaders } from './campaignLoaders.ts';
import type { CampaignState } from './campaignRecord.ts';
import { allowedTransitions, stateAt } from './campaignState.ts';
import { statsOf, type CampaignStats } from './campaignStatsStore.ts';
import type { ListedCampaign } from './campaignsReadStore.ts';

export type SeenCampaign = SeenBy<ListedCampaign>;

interface Clock {
  now(): Date;
}

/** Null and absent lists restrict nothing. The schema shows them as empty lists. */
export const campaignFields = {
  async application(
    { applicationId, caller }: SeenCampaign,
    _args: unknown,
    { loaders }: { loaders: WorkspaceLoaders },
  ): Promise<SeenApplication> {
    return seenBy(caller, await loaders.application.load(applicationId));
  },
  state: (campaign: SeenCampaign, _args: unknown, { now }: Clock): CampaignState => stateAt(campaign, now()),
  allowedTransitions: (campaign: SeenCampaign, _args: unknown, { now }: Clock): CampaignState[] =>
    allowedTransitions(stateAt(campaign, now())),
  trigger: ({ trigger }: SeenCampaign) => (trigger ? { ...trigger, filters: trigger.filters ?? [] } : null),
  targeting: ({ targeting }: SeenCampaign) =>
    targeting
      ? {
          ...targeting,
          platforms: targeting.platforms ?? [],
          countries: targeting.countries ?? [],
          userProperties: targeting.userProperties ?? [],
        }
      : null,
  schedule: ({ startAt, endAt }: SeenCampaign) => (startAt || endAt ? { startAt, endAt } : null),
  action: ({ action }: SeenCampaign) => (action ? { ...action, blocking: action.blocking ?? false } : null),
  history: campaignHistory,
  // Not a promise where the counts are there: promises in 200 rows took a sixth of the time of the whole response.
  stats: (
    { id, counts }: SeenCampaign,
    _args: unknown,
    { loaders }: { loaders: CampaignLoaders },
  ): CampaignStats | Promise<CampaignStats> =>
    counts === undefined ? loaders.campaignStats.load(id) : statsOf(counts),
};
