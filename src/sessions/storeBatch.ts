// A batch of uploads in one transaction, committed; sessions whose events were dropped meanwhile begin anew.
import type { Pool } from 'pg';
import { inTransaction } from '../platform/transaction.ts';
import { renewSessions } from './retentionStore.ts';
import { storeUploads, type StoredBatch } from './storeUploads.ts';
import type { Upload } from './upload.ts';

/** PostgreSQL has one code for this and for a CHECK; there is no CHECK on these tables. */
const noPartition = '23514';

export async function storeBatch(pool: Pool, uploads: Upload[]): Promise<StoredBatch> {
  const store = () => inTransaction(pool, (client) => storeUploads(client, uploads));
  try {
    return await store();
  } catch (error) {
    if (!(error instanceof Error) || (error as { code?: string }).code !== noPartition) throw error;
    // Too rare to look for before: a session must come again after weeks, before its row is deleted.
    const sessions = uploads.flatMap((upload) => upload.sessions);
    if ((await renewSessions(pool, sessions)) === 0) throw error;
    return await store();
  }
}
