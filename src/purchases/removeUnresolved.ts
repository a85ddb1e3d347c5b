// EVENT_RETENTION_DAYS: removes old transactions that the store does not know or that failed, with the uploads that named them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { inRemovalTransaction } from '../platform/database/removalTransaction.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { Log } from '../platform/observability/log.ts';
import { deleteOldClaims, deleteUnclaimed, forgetUploads, lockUnresolved, type Unresolved } from './unresolvedStore.ts';

/** One batch takes some 130 ms. The pause leaves the database to uploads. `most` batches are a run. */
const batch = { transactions: 100, claims: 1_000, pauseMillis: 20, most: 1_000 };

type Size = Pick<typeof batch, 'transactions' | 'claims'>;

/** Any number of processes may run it, and a killed one leaves nothing half done. */
export async function removeUnresolved(
  pool: Pool,
  { daysKept, log, size = batch }: { daysKept: number; log: Log; size?: Size },
): Promise<void> {
  let after: Unresolved | null = null;
  let removed = 0;
  for (let round = 0; round < batch.most; round++) {
    const search = { after, daysKept, size };
    const result: Batch = await inRemovalTransaction(pool, (transaction) => removeBatch(transaction, search));
    removed += result.removed;
    if (result.last === null) break;
    // More claims than one batch may remove: the same transactions once more.
    if (!result.moreClaims) after = result.last;
    await sleep(batch.pauseMillis);
  }
  if (removed > 0) log.info({ transactions: removed }, 'old transactions without a result were removed');
}

interface Batch {
  removed: number;
  /** Null where none was found. */
  last: Unresolved | null;
  moreClaims: boolean;
}

async function removeBatch(
  transaction: Transaction,
  { after, daysKept, size }: { after: Unresolved | null; daysKept: number; size: Size },
): Promise<Batch> {
  const found = await lockUnresolved(transaction, { after, daysKept, limit: size.transactions });
  let room = size.claims;
  for (const key of found) {
    if (room <= 0) break;
    const deviceKeys = await deleteOldClaims(transaction, key, { daysKept, limit: room });
    await forgetUploads(transaction, key.transactionId, deviceKeys);
    room -= deviceKeys.length;
  }
  const removed = await deleteUnclaimed(transaction, found);
  return { removed, last: found.at(-1) ?? null, moreClaims: room <= 0 };
}
