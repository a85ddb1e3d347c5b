// query campaigns: campaigns of the caller's organization that match all filters, sorted, in pages.
import type { Pool } from 'pg';
import type { QueryCampaignsArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { withinBudget, type ResponseBudget } from '../platform/responseBudget.ts';
import { inputRules, readLimit, readOffset } from '../platform/inputRules.ts';
import { assertOwnApplication, type Caller, withViewer } from '../workspace/workspace.ts';
import { findCampaigns, type ListField, readCampaignFilters, scopeOf, type SeenCampaign } from './campaignFields.ts';

interface Needs {
  caller: Caller;
  adminPool: Pool;
  prisma: PrismaClient;
  now(): Date;
  budget: ResponseBudget;
  selects(field: ListField): boolean;
}

const page = 50;

/** Throws `validation_failed`, and `not_found` for an application of another organization. */
export async function campaigns(args: Partial<QueryCampaignsArgs>, needs: Needs): Promise<SeenCampaign[]> {
  const { caller, adminPool, now, budget, selects } = needs;
  const { limit: wanted, ...filters } = read(args);
  if (filters.applicationId) await assertOwnApplication(needs, filters.applicationId);
  const search = { ...filters, ...scopeOf(caller), now: now() };
  const rows = await withinBudget(
    budget,
    ({ limit, bytes }) => findCampaigns(adminPool, { ...search, limit: Math.min(wanted, limit), bytes }, selects),
    ({ bytes }) => bytes,
  );
  return rows.map((row) => withViewer(caller, row));
}

function read({ sort, limit, offset, ...filtering }: Partial<QueryCampaignsArgs>) {
  const rules = inputRules();
  const filters = {
    ...readCampaignFilters(rules, filtering),
    sort: sort ?? 'CREATED',
    limit: readLimit(rules, limit, { byDefault: page }),
    offset: readOffset(rules, offset),
  };
  rules.assert();
  return filters;
}
