// The fields below Campaign that are not columns: derived from the clock, counted, or another object.
import { seenBy, type SeenBy } from '../workspace/caller.ts';
import type { SeenApplication } from '../workspace/nestedFields.ts';
import type { WorkspaceLoaders } from '../workspace/workspaceLoaders.ts';
import type { CampaignState, StoredCampaign } from './campaignRecord.ts';
import type { CampaignLoaders } from './campaignLoaders.ts';
import { allowedTransitions, stateAt } from './campaignState.ts';
import type { CampaignStats } from './campaignStatsStore.ts';

/** `stats` where a list has brought them along. */
export type SeenCampaign = SeenBy<StoredCampaign & { stats?: CampaignStats }>;

interface Clock {
  now(): Date;
}

/** Null and absent members of what is stored restrict nothing; the schema shows them as empty lists. */
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
  trigger: ({ trigger }: SeenCampaign) => trigger && { ...trigger, filters: trigger.filters ?? [] },
  targeting: ({ targeting }: SeenCampaign) =>
    targeting && {
      ...targeting,
      platforms: targeting.platforms ?? [],
      countries: targeting.countries ?? [],
      userProperties: targeting.userProperties ?? [],
    },
  schedule: ({ startAt, endAt }: SeenCampaign) => (startAt || endAt ? { startAt, endAt } : null),
  action: ({ action }: SeenCampaign) => action && { ...action, blocking: action.blocking ?? false },
  stats: (
    { id, stats }: SeenCampaign,
    _args: unknown,
    { loaders }: { loaders: CampaignLoaders },
  ): CampaignStats | Promise<CampaignStats> => stats ?? loaders.campaignStats.load(id),
};
