// The filters that the queries campaigns and campaignsCount share.
import type { QueryCampaignsCountArgs } from '../../generated/graphql.ts';
import { isBlank, type InputRules } from '../platform/inputRules.ts';
import type { CampaignFilters } from './campaignsReadStore.ts';

export function readCampaignFilters(
  rules: InputRules,
  { applicationId, state, states, search }: Partial<QueryCampaignsCountArgs>,
): CampaignFilters {
  if (state && states) rules.refuse('states', 'must be absent beside `state`');
  const wanted = state ? [state] : [...new Set(states ?? [])];
  return {
    applicationId: applicationId ?? null,
    states: wanted.length > 0 ? wanted : null,
    search: search == null || isBlank(search) ? null : rules.text('search', search, 256),
  };
}
