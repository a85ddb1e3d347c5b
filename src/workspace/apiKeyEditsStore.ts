// The SQL of edits of API keys.
import { prepared } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { ApiKeyRecord } from './workspaceStore.ts';

/** The row before an edit, revoked or not. Null where the organization has no such key of a live application. */
export async function lockKey(
  transaction: Transaction,
  { organizationId, publicKey }: { organizationId: string; publicKey: string },
): Promise<ApiKeyRecord | null> {
  const statement = prepared('lock_key')`/* workspace: lockKey */
    SELECT k.id, k.application_id AS "applicationId", k.public, k.last_used AS "lastUsed", k.label,
      k.created_at AS "createdAt", k.created_by AS "createdBy", k.revoked_at AS "revokedAt"
    FROM api_keys k JOIN applications a ON a.id = k.application_id AND a.deleted_at IS NULL
      JOIN projects p ON p.id = a.project_id
    WHERE k.public = ${publicKey} AND p.organization_id = ${organizationId} FOR NO KEY UPDATE OF k`;
  const { rows } = await transaction.query<ApiKeyRecord>(statement);
  return rows[0] ?? null;
}

export async function updateKeyLabel(
  transaction: Transaction,
  { id, label }: { id: string; label: string | null },
): Promise<void> {
  await transaction.query(prepared('update_key_label')`/* workspace: updateKeyLabel */
    UPDATE api_keys SET label = ${label} WHERE id = ${id}`);
}
