// The SQL of the audit log: appending, which the database allows alone, and reading back page by page.
import type { Pool } from 'pg';
import type { SqlConnection } from '../platform/database/sqlClient.ts';

export interface AuditRecord {
  action: string;
  objectType: string;
  objectId: string;
  details: Record<string, unknown>;
}

/** All at one instant, which no other transaction of the organization has. */
export async function appendAuditEntries(
  connection: SqlConnection,
  { organizationId, actor, records }: { organizationId: string; actor: string; records: AuditRecord[] },
): Promise<void> {
  await connection.query({
    name: 'append_audit_entries',
    text: '/* audit: appendAuditEntries */ SELECT append_audit_entries($1::uuid, $2, $3::jsonb)',
    values: [organizationId, actor, JSON.stringify(records)],
  });
}

export interface StoredAuditEntry extends AuditRecord {
  at: Date;
  actor: string;
}

/** Newest first; more than `limit` only where lines of one instant would be split. */
export async function findAuditEntries(
  pool: Pool,
  { organizationId, before, limit }: { organizationId: string; before: Date | null; limit: number },
): Promise<StoredAuditEntry[]> {
  const { rows } = await pool.query<StoredAuditEntry>({
    name: 'find_audit_entries',
    text: `/* audit: findAuditEntries */
      SELECT at, actor, action, object_type AS "objectType", object_id AS "objectId", details FROM (
        SELECT * FROM audit_entries WHERE organization_id = $1 AND at < coalesce($2::timestamptz, 'infinity')
        ORDER BY at DESC FETCH FIRST ($3::integer) ROWS WITH TIES) page
      ORDER BY at DESC, id DESC`,
    values: [organizationId, before, limit],
  });
  return rows;
}
