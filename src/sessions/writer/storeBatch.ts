// Commits a batch of uploads in one transaction: in one round trip when all of it is new, and by `storeUploads` otherwise.
import type { Pool } from 'pg';
import { classifyDatabaseError } from '../../platform/database/databaseErrors.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import { createTransactionLine } from '../../platform/database/transactionLine.ts';
import { hasCode } from '../../platform/errors.ts';
import { deleteSessionsBefore, eventsKeptFrom } from '../upkeep/retentionStore.ts';
import type { Upload } from '../upload.ts';
import type { StoreBatch } from './groupCommit.ts';
import { createNewnessGuess } from './newnessGuess.ts';
import { createSessionNumbers } from './sessionNumbers.ts';
import { storeNewUploads } from './storeNewUploads.ts';
import { storeUploads, type Measured, type StoredBatch } from './storeUploads.ts';

/** Made once for each process: it learns whether batches are new, and keeps a stock of numbers for their sessions. */
export function createBatchStore(pool: Pool): StoreBatch {
  const take = createSessionNumbers();
  const guess = createNewnessGuess();
  const inLine = createTransactionLine(pool);
  return async (uploads, options) => {
    const { apart = false, measured } = options;
    if (apart || !guess.expectsNew()) return storeBatch(pool, uploads, measured);
    let stored: StoredBatch | 'large';
    try {
      stored = await inLine((transaction) => storeNewUploads(transaction, uploads, take), options);
    } catch (error) {
      if (isOutage(error)) throw error;
      // The server skips a batch behind a refused batch.
      if (!hasCode(error, passedOver)) guess.learn(false);
      return storeBatch(pool, uploads, measured);
    }
    if (stored === 'large') return storeBatch(pool, uploads, measured);
    guess.learn(true);
    return stored;
  };
}

/**
 * After any other failure the batch is stored as a known one, and that result counts. Citus passes on the refusal of a
 * shard's key without its code (23505), and the server skips a transaction behind a refused one.
 */
function isOutage(error: unknown): boolean {
  const failure = classifyDatabaseError(error);
  return failure === 'unavailable' || failure === 'conflict';
}

const passedOver = '25P02';

/** PostgreSQL has one code for this and for a CHECK; there is no CHECK on these tables. */
const noPartition = '23514';

/** Stores a batch of which any part may be stored already. Sessions whose events were dropped begin anew. */
export async function storeBatch(pool: Pool, uploads: Upload[], measured?: Measured): Promise<StoredBatch> {
  const store = () => inTransaction(pool, (transaction) => storeUploads(transaction, uploads, measured));
  try {
    return await store();
  } catch (error) {
    if (!hasCode(error, noPartition)) throw error;
    // Too rare for a check beforehand: an SDK sends a session again after weeks, and before its row is deleted.
    if (!(await deleteDroppedSessions(pool, uploads))) throw error;
    return await store();
  }
}

/** Does the work of housekeeping a moment earlier. False when none of these sessions is that old. */
async function deleteDroppedSessions(pool: Pool, uploads: Upload[]): Promise<boolean> {
  const keptFrom = await eventsKeptFrom(pool);
  const sessions = uploads.flatMap((upload) => upload.sessions);
  return keptFrom !== null && (await deleteSessionsBefore(pool, keptFrom, sessions)) > 0;
}
