// Every column that holds sealed secrets; a test finds them by their name in the database and misses none.
import type { Pool } from 'pg';
import { openness, type SealedColumn } from '../platform/database/reseal.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { Log } from '../platform/observability/log.ts';

export const sealedColumns: readonly SealedColumn[] = [
  { table: 'api_keys', id: 'id', column: 'secret_encrypted' },
  { table: 'store_credentials', id: 'application_id', column: 'private_key_encrypted' },
];

/**
 * Throws where a column is closed to every configured key: each request that needs one of its secrets would be a 500.
 * Where only some are closed, an older key is missing, or was given up before `keys:rotate` had ended: that is said.
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
