// What each worker repeats: it queues the look-ups of lines whose period has ended, and of transactions that wait for a place.
import type { Pool } from 'pg';
import { inTransaction } from '../platform/database/transaction.ts';
import { isAnyLineDue, nextWaitingApplication, takeDueLines, takeWaiting } from './dueLookUpsStore.ts';
import { addResolveJobs } from './storeJobs.ts';
import { findVacancies, lockPlaces } from './uploadsStore.ts';

/** 0.08 s each (docs/decisions/repeated-look-ups.md): no upload waits long for the queue's tables. */
const batch = 2_000;

/** Lines are found by their index, and no job waits for a later end. Returns how many were queued. */
export async function queueDueLookUps(pool: Pool, now = new Date()): Promise<number> {
  let queued = 0;
  if (!(await isAnyLineDue(pool, now))) return queued;
  for (;;) {
    const found = await inTransaction(pool, async (transaction) => {
      const due = await takeDueLines(transaction, { now, limit: batch });
      await addResolveJobs(transaction, due);
      return due.length;
    });
    queued += found;
    if (found < batch) return queued;
  }
}

/** Fills the places that have become free, in every application. */
export async function queueWaiting(pool: Pool): Promise<void> {
  let applicationId = await nextWaitingApplication(pool, null);
  while (applicationId !== null) {
    await queueWaitingTransactions(pool, applicationId);
    applicationId = await nextWaitingApplication(pool, applicationId);
  }
}

/**
 * The same in one application. Also a job: of uploads at one moment only one gets places, and the transactions of the others
 * are queued when it has ended. The job may begin while that upload is still open, so it waits for its end.
 */
export function queueWaitingTransactions(pool: Pool, applicationId: string): Promise<void> {
  return inTransaction(pool, async (transaction) => {
    await lockPlaces(transaction, applicationId);
    const places = await findVacancies(transaction, applicationId);
    if (places > 0) await addResolveJobs(transaction, await takeWaiting(transaction, { applicationId, limit: places }));
  });
}
