// Commits a batch of uploads in one transaction: in one round trip when all of it is new, and by `storeUploads` otherwise.
import type { Pool } from 'pg';
import type { DeviceNodes } from '../../devices/deviceNodes.ts';
import { classifyDatabaseError, isLockTimeout } from '../../platform/database/databaseErrors.ts';
import { inTransaction, type TransactionLimits } from '../../platform/database/transaction.ts';
import { createTransactionLine } from '../../platform/database/transactionLine.ts';
import { hasCode } from '../../platform/errors.ts';
import { deleteSessionsBefore, eventsKeptFrom } from '../upkeep/retentionStore.ts';
import type { Upload } from '../upload.ts';
import { RowsHeld, type StoreBatch, type StoreOptions } from './groupCommit.ts';
import { createNewnessGuess } from './newnessGuess.ts';
import { createSessionNumbers } from './sessionNumbers.ts';
import { storeNewUploads } from './storeNewUploads.ts';
import { storeUploads, type Measured, type StoredBatch } from './storeUploads.ts';
import { deviceRows, upsertDevices } from './uploadsStore.ts';

/** Made once for each process: it learns whether batches are new, and keeps a stock of numbers for their sessions. */
export function createBatchStore(pool: Pool, nodes: Pick<DeviceNodes, 'limits'>): StoreBatch {
  const store = createStore(pool);
  return async (uploads, options) => {
    const { limits } = nodes;
    try {
      if (options.held) await tryDevices(pool, uploads);
      return await store(uploads, { ...options, limits });
    } catch (error) {
      if (limits.nodeLockMillis !== undefined && isLockTimeout(error)) throw new RowsHeld(error);
      throw error;
    }
  };
}

/** Uploads of one device seldom meet, so that a free row of a device is hardly ever locked for so long. */
const triedMillis = 100;

/**
 * Fails at rows that are held, a device's first row included, which no other transaction sees. It holds no row of the
 * coordinator while it waits: a campaign's count would keep other batches waiting with it.
 */
async function tryDevices(pool: Pool, uploads: Upload[]): Promise<void> {
  const rows = deviceRows(
    uploads.map(({ device }) => device),
    null,
  );
  const limits = { nodeLockMillis: triedMillis };
  await inTransaction(
    pool,
    async (transaction) => {
      await transaction.pipelined((pipeline) => upsertDevices(pipeline, rows));
      await transaction.rollBack();
    },
    limits,
  );
}

function createStore(pool: Pool) {
  const take = createSessionNumbers();
  const guess = createNewnessGuess();
  const inLine = createTransactionLine(pool);
  return async (uploads: Upload[], options: StoreOptions & { limits: TransactionLimits }): Promise<StoredBatch> => {
    const { apart = false, measured, limits } = options;
    if (apart || !guess.expectsNew()) return storeBatch(pool, uploads, { measured, limits });
    let stored: StoredBatch | 'large';
    try {
      stored = await inLine((transaction) => storeNewUploads(transaction, uploads, take), options);
    } catch (error) {
      if (isOutage(error)) throw error;
      // A failed transaction makes the server skip the one sent behind it, which says nothing of this batch.
      if (!hasCode(error, passedOver)) guess.learn(false);
      return storeBatch(pool, uploads, { measured, limits });
    }
    if (stored === 'large') return storeBatch(pool, uploads, { measured, limits });
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
export async function storeBatch(
  pool: Pool,
  uploads: Upload[],
  { measured, limits }: { measured?: Measured | undefined; limits?: TransactionLimits } = {},
): Promise<StoredBatch> {
  const store = () => inTransaction(pool, (transaction) => storeUploads(transaction, uploads, measured), limits);
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
