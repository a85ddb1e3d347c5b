// query auditLog: who changed what in the caller's organization, newest first.
import type { Pool } from 'pg';
import type { QueryAuditLogArgs } from '../../generated/graphql.ts';
import { withinBudget, type AnswerBudget } from '../platform/answerBudget.ts';
import { inputRules, readLimit } from '../platform/inputRules.ts';
import { findAuditEntries, type StoredAuditEntry } from './auditStore.ts';

const newestEntries = 50;

/** Throws `validation_failed`. */
export async function auditLog(
  { limit, before }: Partial<QueryAuditLogArgs>,
  { caller, adminPool, budget }: { caller: { organizationId: string }; adminPool: Pool; budget: AnswerBudget },
): Promise<StoredAuditEntry[]> {
  const rules = inputRules();
  const wanted = readLimit(rules, limit, { byDefault: newestEntries });
  rules.assert();
  const { organizationId } = caller;
  return withinBudget(budget, ({ limit }) =>
    findAuditEntries(adminPool, { organizationId, before: before ?? null, limit: Math.min(wanted, limit) }),
  );
}
