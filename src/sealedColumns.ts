// Every column that holds sealed secrets; a test finds them by their name in the database and misses none.
import type { SealedColumn } from './platform/reseal.ts';

export const sealedColumns: readonly SealedColumn[] = [
  { table: 'api_keys', id: 'id', column: 'secret_encrypted' },
  { table: 'store_credentials', id: 'application_id', column: 'private_key_encrypted' },
];
