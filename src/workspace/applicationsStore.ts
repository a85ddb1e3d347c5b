// Reads and writes of applications and their keys.
import type { Pool } from 'pg';
import type { PrismaClient } from '../../generated/prisma/client.ts';
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
  pool: Pool,
  encryption: Encryption,
  publicKey: string,
): Promise<KeyedApplication | null> {
  const { rows } = await pool.query<{ id: string; application_id: string; secret_encrypted: Buffer }>({
    name: 'find_application_by_key',
    text: `/* workspace: findApplicationByKey */
      SELECT k.id, k.application_id, k.secret_encrypted
      FROM api_keys k JOIN applications a ON a.id = k.application_id
      WHERE k.public = $1 AND k.revoked_at IS NULL AND a.deleted_at IS NULL`,
    values: [publicKey],
  });
  const key = rows[0];
  if (!key) return null;
  return {
    id: key.application_id,
    key: { public: publicKey, secret: encryption.decrypt(key.secret_encrypted, key.id) },
  };
}

/** A use older than the stored one changes nothing. Locks rows in order of id, so that two processes cannot deadlock. */
export async function saveKeyUses(pool: Pool, uses: KeyUse[]): Promise<void> {
  await pool.query({
    name: 'save_key_uses',
    text: `/* workspace: saveKeyUses */
      WITH used AS MATERIALIZED (
        SELECT k.id, t.at FROM unnest($1::text[], $2::timestamptz[]) AS t (public, at)
        JOIN api_keys k ON k.public = t.public ORDER BY k.id FOR NO KEY UPDATE OF k)
      UPDATE api_keys k SET last_used = greatest(k.last_used, used.at) FROM used WHERE k.id = used.id`,
    values: [uses.map(({ publicKey }) => publicKey), uses.map(({ at }) => at)],
  });
}

export async function insertApiKey(
  prisma: Pick<PrismaClient, 'apiKey'>,
  encryption: Encryption,
  { applicationId, key }: { applicationId: string; key: { public: string; secret: string } },
): Promise<ApiKeyRecord> {
  const id = newId();
  return prisma.apiKey.create({
    data: { id, applicationId, public: key.public, secretEncrypted: encryption.encrypt(key.secret, id) },
  });
}
