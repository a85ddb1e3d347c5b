// The filters that the queries campaigns and campaignsCount share.
import type { QueryCampaignsCountArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { AppError } from '../platform/errors.ts';
import { isBlank, type InputRules } from '../platform/inputRules.ts';
import { reaches, type Caller } from '../workspace/caller.ts';
import { findOwnApplication } from '../workspace/workspaceStore.ts';
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

/** Throws `not_found` for an application that the caller does not reach. */
export async function assertOwnApplication(prisma: PrismaClient, caller: Caller, id: string | null): Promise<void> {
  const { organizationId } = caller;
  if (!id) return;
  if (!reaches(caller, id) || !(await findOwnApplication(prisma, { organizationId, id })))
    throw new AppError('not_found', undefined);
}
