// A batch of uploads in one transaction, committed: in one round trip where all of it is new, and as `storeUploads` does it otherwise.
import type { Pool } from 'pg';
import { classifyDatabaseError } from '../../platform/database/database.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import { createTransactionLine } from '../../platform/database/transactionLine.ts';
import { hasCode } from '../../platform/errors.ts';
import { deleteSessionsBefore, eventsKeptFrom } from '../upkeep/retentionStore.ts';
import type { Upload } from '../upload.ts';
import { createNewnessGuess } from './newnessGuess.ts';
import { createSessionNumbers } from './sessionNumbers.ts';
import { storeNewUploads } from './storeNewUploads.ts';
import { storeUploads, type StoredBatch } from './storeUploads.ts';
import type { StoreBatch } from './uploadWriter.ts';

/** For as long as the process lives: it learns whether batches are new, and keeps numbers for their sessions. */
export function createBatchStore(pool: Pool): StoreBatch {
  const take = createSessionNumbers();
  const guess = createNewnessGuess();
  const inLine = createTransactionLine(pool);
  return async (uploads, options) => {
    if (!guess.expectsNew()) return storeBatch(pool, uploads);
    let stored: StoredBatch | 'large';
    try {
      stored = await inLine((transaction) => storeNewUploads(transaction, uploads, take), options);
    } catch (error) {
      if (isOutage(error)) throw error;
      // Of a batch behind one that was refused nothing has become known.
      if (!hasCode(error, passedOver)) guess.learn(false);
      return storeBatch(pool, uploads);
    }
    if (stored === 'large') return storeBatch(pool, uploads);
    guess.learn(true);
    return stored;
  };
}

/**
 * What else is refused is taken as known and tried the other way, which has the last word: Citus hands on what a shard's
 * key has refused without its code (23505), and behind a transaction that was refused, this one has not been looked at.
 */
function isOutage(error: unknown): boolean {
  const failure = classifyDatabaseError(error);
  return failure === 'unavailable' || failure === 'conflict';
}

const passedOver = '25P02';

/** PostgreSQL has one code for this and for a CHECK; there is no CHECK on these tables. */
const noPartition = '23514';

/** Whatever of it is stored already; sessions whose events were dropped meanwhile begin anew. */
export async function storeBatch(pool: Pool, uploads: Upload[]): Promise<StoredBatch> {
  const store = () => inTransaction(pool, (transaction) => storeUploads(transaction, uploads));
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
