// The field Campaign.history: who changed the campaign, when and what, page by page, for every role of the organization.
import type { CampaignHistoryArgs } from '../../generated/graphql.ts';
import { inputRules, readLimit } from '../platform/inputRules.ts';
import type { SeenCampaign } from './campaignFields.ts';
import type { CampaignChangeRecord, KeptChange } from './campaignHistoryStore.ts';
import type { CampaignLoaders } from './campaignLoaders.ts';

const newestChanges = 20;

/** Throws `validation_failed`. */
export async function campaignHistory(
  { id, caller: { organizationId } }: SeenCampaign,
  args: Partial<CampaignHistoryArgs>,
  { loaders }: { loaders: CampaignLoaders },
) {
  const rules = inputRules();
  const limit = readLimit(rules, args.limit, { byDefault: newestChanges });
  rules.assert();
  const found = await loaders.campaignHistory({ organizationId, limit, before: args.before ?? null }).load(id);
  return found.map(shown);
}

function shown({ at, by, action, details, changes }: CampaignChangeRecord) {
  const { version, from = null, to = null, fields = [] } = details;
  const kept: KeptChange[] = changes ?? fields.map((field) => ({ field }));
  return {
    ...{ version, at, by, action, fromState: from, toState: to },
    changes: kept.map((change) => ({ ...change, valuesKept: 'after' in change })),
  };
}
