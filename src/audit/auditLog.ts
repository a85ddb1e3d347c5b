// query auditLog: who changed what in the caller's organization, newest first.
import type { Pool } from 'pg';
import type { QueryAuditLogArgs } from '../../generated/graphql.ts';
import { inputRules, readLimit } from '../platform/inputRules.ts';
import { findAuditEntries, type StoredAuditEntry } from './auditStore.ts';

const newestEntries = 50;

/** Throws `validation_failed`. */
export async function auditLog(
  { limit, before }: Partial<QueryAuditLogArgs>,
  { caller, pool }: { caller: { organizationId: string }; pool: Pool },
): Promise<StoredAuditEntry[]> {
  const rules = inputRules();
  const wanted = readLimit(rules, limit, newestEntries);
  rules.assert();
  return findAuditEntries(pool, { organizationId: caller.organizationId, before: before ?? null, limit: wanted });
}
