// A batch of uploads in one transaction, committed; sessions whose events were dropped meanwhile begin anew.
import type { Pool } from 'pg';
import { inPipelinedTransaction } from '../platform/database/transaction.ts';
import { hasCode } from '../platform/errors.ts';
import { deleteSessionsBefore, eventsKeptFrom } from './retentionStore.ts';
import { storeUploads, type StoredBatch } from './storeUploads.ts';
import type { Upload } from './upload.ts';

/** PostgreSQL has one code for this and for a CHECK; there is no CHECK on these tables. */
const noPartition = '23514';

export async function storeBatch(pool: Pool, uploads: Upload[]): Promise<StoredBatch> {
  const store = () => inPipelinedTransaction(pool, (transaction) => storeUploads(transaction, uploads));
  try {
    return await store();
  } catch (error) {
    if (!hasCode(error, noPartition)) throw error;
    // Too rare to look for before: a session must come again after weeks, before its row is deleted.
    if (!(await deleteDroppedSessions(pool, uploads))) throw error;
    return await store();
  }
}

/** What housekeeping would have done a moment later; false where none of these sessions is that old. */
async function deleteDroppedSessions(pool: Pool, uploads: Upload[]): Promise<boolean> {
  const keptFrom = await eventsKeptFrom(pool);
  const sessions = uploads.flatMap((upload) => upload.sessions);
  return keptFrom !== null && (await deleteSessionsBefore(pool, keptFrom, sessions)) > 0;
}
