// query auditLog: who changed what in the caller's organization, newest first, by filters.
import type { Pool } from 'pg';
import type { QueryAuditLogArgs } from '../../generated/graphql.ts';
import { prepared, type SqlConnection } from '../platform/database/sql.ts';
import { inputRules, readLimit, type InputRules } from '../platform/inputRules.ts';
import { withinBudget, type ResponseBudget } from '../platform/responseBudget.ts';

const newestEntries = 50;

interface StoredAuditEntry {
  at: Date;
  actor: string;
  action: string;
  objectType: string;
  objectId: string;
  details: Record<string, unknown>;
}

/** Throws `validation_failed`. */
export async function auditLog(
  { limit, before = null, ...filtering }: Partial<QueryAuditLogArgs>,
  { caller, adminPool, budget }: { caller: { organizationId: string }; adminPool: Pool; budget: ResponseBudget },
): Promise<StoredAuditEntry[]> {
  const rules = inputRules();
  const most = readLimit(rules, limit, { byDefault: newestEntries });
  const filters = read(rules, filtering);
  rules.assert();
  const { organizationId } = caller;
  return withinBudget(budget, (room) =>
    findAuditEntries(adminPool, { ...filters, organizationId, before, limit: Math.min(most, room.limit) }),
  );
}

type Filters = Record<'actor' | 'objectType' | 'objectId' | 'action', string | null>;

/** Null restricts nothing. */
function read(rules: InputRules, { actor, objectType, objectId, action }: Partial<QueryAuditLogArgs>): Filters {
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

/** SQL, because a page ends with ties: more than `limit` lines only to keep the lines of one instant together. */
async function findAuditEntries(
  connection: SqlConnection,
  wanted: Filters & { organizationId: string; before: Date | null; limit: number },
): Promise<StoredAuditEntry[]> {
  const { organizationId, before, limit, actor, objectType, objectId, action } = wanted;
  const statement = prepared('find_audit_entries')`/* audit: findAuditEntries */
    SELECT at, actor, action, object_type AS "objectType", object_id AS "objectId", details FROM (
      SELECT * FROM audit_entries
      WHERE organization_id = ${organizationId} AND at < coalesce(${before}::timestamptz, 'infinity')
        AND (${actor}::text IS NULL OR lower(actor) = lower(${actor}::text))
        AND (${objectType}::text IS NULL OR object_type = ${objectType})
        AND (${objectId}::text IS NULL OR object_id = ${objectId})
        AND (${action}::text IS NULL OR action = ${action})
      ORDER BY at DESC FETCH FIRST (${limit}::integer) ROWS WITH TIES) page
    ORDER BY at DESC, id DESC`;
  const { rows } = await connection.query<StoredAuditEntry>(statement);
  return rows;
}
