// Every column of encrypted values. A test compares it with the database's columns whose names end in `_encrypted`.
import type { Pool } from 'pg';
import { openness, type SealedColumn } from '../platform/database/reseal.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { Log } from '../platform/observability/log.ts';

export const sealedColumns: readonly SealedColumn[] = [
  { table: 'api_keys', id: 'id', column: 'secret_encrypted' },
  { table: 'store_credentials', id: 'application_id', column: 'private_key_encrypted' },
  { table: 'webhooks', id: 'id', column: 'secret_encrypted' },
];

/**
 * Throws when no configured key opens any secret of a column: each request that needs one would get 500. When the keys
 * open only some, the log warns: an older key is missing, or was removed before `keys:rotate` had ended.
 */
export async function requireOpenSecrets(
  { pool, encryption }: { pool: Pool; encryption: Encryption },
  log: Pick<Log, 'warn'>,
): Promise<void> {
  for (const sealed of sealedColumns) {
    const opened = await openness(pool, encryption, sealed);
    if (opened === 'all') continue;
    if (opened === 'some') {
      log.warn({ table: sealed.table }, 'ENCRYPTION_KEY opens only some of the secrets');
      continue;
    }
    throw new Error(`ENCRYPTION_KEY: opens no secret in ${sealed.table}; list the key they were sealed under as well.`);
  }
}
