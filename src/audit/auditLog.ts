// query auditLog: who changed what in the caller's organization, newest first, by filters.
import type { Pool } from 'pg';
import type { QueryAuditLogArgs } from '../../generated/graphql.ts';
import { withinBudget, type ResponseBudget } from '../platform/responseBudget.ts';
import { inputRules, readLimit, type InputRules } from '../platform/inputRules.ts';
import { findAuditEntries, type AuditFilters, type StoredAuditEntry } from './audit.ts';

const newestEntries = 50;

/** Throws `validation_failed`. */
export async function auditLog(
  { limit, before, ...filtering }: Partial<QueryAuditLogArgs>,
  { caller, adminPool, budget }: { caller: { organizationId: string }; adminPool: Pool; budget: ResponseBudget },
): Promise<StoredAuditEntry[]> {
  const rules = inputRules();
  const wanted = readLimit(rules, limit, { byDefault: newestEntries });
  const filters = read(rules, filtering);
  rules.assert();
  const { organizationId } = caller;
  return withinBudget(budget, ({ limit }) =>
    findAuditEntries(adminPool, {
      ...filters,
      organizationId,
      before: before ?? null,
      limit: Math.min(wanted, limit),
    }),
  );
}

type Filtering = Omit<Partial<QueryAuditLogArgs>, 'limit' | 'before'>;

function read(rules: InputRules, { actor, objectType, objectId, action }: Filtering): AuditFilters {
  const text = (path: string, value: string | null | undefined, most = 256): string | null =>
    value == null ? null : rules.text(path, value, most);
  return {
    // `service token: ` and a name of 256 characters.
    actor: text('actor', actor, 300),
    objectType: text('objectType', objectType),
    objectId: text('objectId', objectId),
    action: text('action', action),
  };
}
