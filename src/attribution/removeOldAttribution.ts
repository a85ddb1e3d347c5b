// EVENT_RETENTION_DAYS: removes old attribution reports whose payloads have all come again later.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { inRemovalTransaction } from '../platform/database/removalTransaction.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { Log } from '../platform/observability/log.ts';
import { deleteReports, keepFirstArrival, nextReports, saveWalk, takeWalk } from './retentionStore.ts';
import { supersededReports } from './supersededReports.ts';

/** A batch in which nothing goes takes some 25 ms, one in which most go some 130 ms. The pause leaves the disk to uploads. `most` batches are a run; the next one continues. */
const batch = { reports: 1_000, pauseMillis: 20, most: 1_000 };

/** Any number of processes may run it: they share one walk, which begins at most once a day. */
export async function removeOldAttribution(
  pool: Pool,
  { daysKept, log, size = batch.reports }: { daysKept: number; log: Log; size?: number },
): Promise<void> {
  let removed = 0;
  for (let round = 0; round < batch.most; round++) {
    const result = await inRemovalTransaction(pool, (transaction) => walkOn(transaction, { daysKept, size }));
    removed += result.removed;
    if (result.ended) break;
    await sleep(batch.pauseMillis);
  }
  if (removed > 0) log.info({ reports: removed }, 'old attribution was removed');
}

async function walkOn(
  transaction: Transaction,
  { daysKept, size }: { daysKept: number; size: number },
): Promise<{ removed: number; ended: boolean }> {
  const walk = await takeWalk(transaction);
  if (!walk) return { removed: 0, ended: true };
  const reports = await nextReports(transaction, { after: walk.position, limit: size, daysKept });
  const { superseded, firsts, position } = supersededReports(reports, walk.position);
  for (const first of firsts) await keepFirstArrival(transaction, first);
  const removed = await deleteReports(transaction, superseded, daysKept);
  const ended = reports.length < size;
  await saveWalk(transaction, ended ? null : position);
  return { removed, ended };
}
