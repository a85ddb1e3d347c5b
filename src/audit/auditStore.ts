// The SQL of the audit log: appending, which is the only write that the database allows, and reading page by page.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';

export interface AuditRecord {
  action: string;
  objectType: string;
  objectId: string;
  details: Record<string, unknown>;
}

/** All records get one instant, which no other transaction of the organization has. */
export async function appendAuditEntries(
  connection: SqlConnection,
  { organizationId, actor, records }: { organizationId: string; actor: string; records: AuditRecord[] },
): Promise<void> {
  await connection.query(prepared('append_audit_entries')`/* audit: appendAuditEntries */
    SELECT append_audit_entries(${organizationId}::uuid, ${actor}, ${JSON.stringify(records)}::jsonb)`);
}

export interface StoredAuditEntry extends AuditRecord {
  at: Date;
  actor: string;
}

/** Null restricts nothing. */
export interface AuditFilters {
  actor: string | null;
  objectType: string | null;
  objectId: string | null;
  action: string | null;
}

/** Newest first. Returns more than `limit` lines only to keep the lines of one instant together. */
export async function findAuditEntries(
  connection: SqlConnection,
  {
    organizationId,
    before,
    limit,
    ...filters
  }: AuditFilters & { organizationId: string; before: Date | null; limit: number },
): Promise<StoredAuditEntry[]> {
  const { actor, objectType, objectId, action } = filters;
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
