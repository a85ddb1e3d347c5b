// Every column that holds sealed secrets; a test finds them by their name in the database and misses none.
import type { Pool } from 'pg';
import { isClosed, type SealedColumn } from './platform/database/reseal.ts';
import type { Encryption } from './platform/encryption.ts';

export const sealedColumns: readonly SealedColumn[] = [
  { table: 'api_keys', id: 'id', column: 'secret_encrypted' },
  { table: 'store_credentials', id: 'application_id', column: 'private_key_encrypted' },
];

/** Throws where a column is closed to every configured key: each request that needs one of its secrets would be a 500. */
export async function requireOpenSecrets(pool: Pool, encryption: Encryption): Promise<void> {
  for (const sealed of sealedColumns) {
    if (!(await isClosed(pool, encryption, sealed))) continue;
    throw new Error(`ENCRYPTION_KEY: opens no secret in ${sealed.table}; list the key they were sealed under as well.`);
  }
}
