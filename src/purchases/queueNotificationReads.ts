// What each worker repeats: it queues the reads of the store's history of notifications, once a day and after an outage.
import type { Pool } from 'pg';
import { inTransaction } from '../platform/database/transaction.ts';
import { addReads, isAnyReadDue, noteWatch, takeDueReads } from './notificationReadsStore.ts';
import { addNotificationReadJobs } from './storeJobs.ts';

/** Workers repeat this four times a minute, and a failed run comes again after a minute. */
const outageMillis = 120_000;
const batch = 1_000;

/** openapi.yaml, "Missed notifications", says what an outage is. */
export async function queueNotificationReads(pool: Pool, now = new Date()): Promise<void> {
  await noteWatch(pool, { now, outageMillis });
  await addReads(pool, now);
  if (!(await isAnyReadDue(pool, now))) return;
  let taken = batch;
  while (taken === batch) {
    taken = await inTransaction(pool, async (transaction) => {
      const due = await takeDueReads(transaction, { now, limit: batch });
      await addNotificationReadJobs(transaction, due);
      return due.length;
    });
  }
}
