// Reads and writes of applications and their keys.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import { newId } from '../platform/newId.ts';
import type { KeyUse } from './keyUses.ts';
import type { ApiKeyRecord } from './workspaceStore.ts';

/** An application as the public API finds it: by one of its keys. */
export interface KeyedApplication {
  id: string;
  key: { public: string; secret: string };
}

/** Null when the key is unknown or revoked, or its application is deleted. Plain SQL, because every request needs it. */
export async function findApplicationByKey(
  connection: SqlConnection,
  encryption: Encryption,
  publicKey: string,
): Promise<KeyedApplication | null> {
  const statement = prepared('find_application_by_key')`/* workspace: findApplicationByKey */
    SELECT k.id, k.application_id, k.secret_encrypted
    FROM api_keys k JOIN applications a ON a.id = k.application_id
    WHERE k.public = ${publicKey} AND k.revoked_at IS NULL AND a.deleted_at IS NULL`;
  const { rows } = await connection.query<{ id: string; application_id: string; secret_encrypted: Buffer }>(statement);
  const key = rows[0];
  if (!key) return null;
  return {
    id: key.application_id,
    key: { public: publicKey, secret: encryption.decrypt(key.secret_encrypted, key.id) },
  };
}

/** A use older than the stored one changes nothing. Locks rows in order of id, so that two processes cannot deadlock. */
export async function saveKeyUses(connection: SqlConnection, uses: KeyUse[]): Promise<void> {
  const keys = uses.map(({ publicKey }) => publicKey);
  const times = uses.map(({ at }) => at);
  await connection.query(prepared('save_key_uses')`/* workspace: saveKeyUses */
    WITH used AS MATERIALIZED (
      SELECT k.id, t.at FROM unnest(${keys}::text[], ${times}::timestamptz[]) AS t (public, at)
      JOIN api_keys k ON k.public = t.public ORDER BY k.id FOR NO KEY UPDATE OF k)
    UPDATE api_keys k SET last_used = greatest(k.last_used, used.at) FROM used WHERE k.id = used.id`);
}

export interface NewApiKey {
  applicationId: string;
  key: { public: string; secret: string };
  label?: string | null;
  /** Absent for the key of the demo workspace. */
  createdBy?: string | null;
}

export async function insertApiKey(
  transaction: Transaction,
  encryption: Encryption,
  { applicationId, key, label = null, createdBy = null }: NewApiKey,
): Promise<ApiKeyRecord> {
  const id = newId();
  const secretEncrypted = Buffer.from(encryption.encrypt(key.secret, id));
  const statement = prepared('insert_api_key')`/* workspace: insertApiKey */
    INSERT INTO api_keys (id, application_id, public, secret_encrypted, label, created_by)
    VALUES (${id}, ${applicationId}, ${key.public}, ${secretEncrypted}, ${label}, ${createdBy})
    RETURNING created_at AS "createdAt"`;
  const { rows } = await transaction.query<{ createdAt: Date }>(statement);
  const { createdAt } = rows[0]!;
  return { id, applicationId, public: key.public, label, createdAt, createdBy, lastUsed: null, revokedAt: null };
}
