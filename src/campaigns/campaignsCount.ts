// query campaignsCount: how many campaigns of the caller's organization match all filters.
import type { Pool } from 'pg';
import type { QueryCampaignsCountArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { inputRules } from '../platform/inputRules.ts';
import { assertOwnApplication, type Caller } from '../workspace/workspace.ts';
import { countCampaigns, readCampaignFilters, scopeOf } from './campaignFields.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  prisma: PrismaClient;
  now(): Date;
}

/** Throws `validation_failed`, and `not_found` for an application of another organization. */
export async function campaignsCount(
  args: Partial<QueryCampaignsCountArgs>,
  { caller, adminPool, prisma, now }: Needs,
): Promise<number> {
  const rules = inputRules();
  const filters = readCampaignFilters(rules, args);
  rules.assert();
  if (filters.applicationId) await assertOwnApplication({ caller, prisma }, filters.applicationId);
  return countCampaigns(adminPool, { ...filters, ...scopeOf(caller), now: now() });
}
