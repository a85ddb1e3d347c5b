// Puts this feature's jobs into the queue.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import { addJobs } from '../platform/jobQueue/jobQueue.ts';

export type ResolveStoreTransactionJob = JobPayloads['resolveStoreTransaction'];

// A mail comes first because a person waits for it. Look-ups at the end of a period, and those of low priority, come after the
// other look-ups.
const priority = 10;
const priorityEnded = 15;
const priorityBehind = 20;

/** `behind`: low priority, after the transactions of other devices. */
export type WaitingTransaction = ResolveStoreTransactionJob & { behind: boolean };

/** One job per transaction: a later job replaces an earlier one that is not running. */
export async function addResolveJobs(
  client: SqlConnection,
  transactions: WaitingTransaction[],
  runAt?: Date,
): Promise<void> {
  for (const kindPriority of [priority, priorityEnded, priorityBehind]) {
    const jobs = transactions
      .filter((transaction) => priorityOf(transaction) === kindPriority)
      .map(({ behind: _behind, ...payload }) => ({
        payload,
        key: `resolveStoreTransaction:${payload.applicationId}:${payload.transactionId}`,
        ...(runAt && { runAt }),
      }));
    await addJobs(client, { task: 'resolveStoreTransaction', priority: kindPriority }, jobs);
  }
}

function priorityOf({ behind, ended }: WaitingTransaction): number {
  if (ended) return priorityEnded;
  return behind ? priorityBehind : priority;
}

/**
 * Queues a job that looks up all transactions of the application that wait for another look-up, or all PENDING ones. The
 * transaction that sets store credentials adds the job, so it runs after the COMMIT, with the new credentials.
 *
 * The job's key names the page and its place. With one key for all pages, a run for older credentials would replace
 * this first page by its own next page, and earlier transactions would never be looked up. Two runs that reach the same
 * place need the page once, at the later time.
 */
export async function addRetryOfPending(
  transaction: Transaction,
  page: JobPayloads['retryPendingTransactions'],
): Promise<void> {
  const { applicationId, after, putOff = false } = page;
  await addJobs(transaction, { task: 'retryPendingTransactions', priority }, [
    { payload: page, key: `retryPendingTransactions:${putOff ? 'putOff:' : ''}${applicationId}:${after}` },
  ]);
}

/** After uploads that found no place: another upload may have had all of them at that moment. */
export async function addQueueWaiting(transaction: Transaction, applicationId: string): Promise<void> {
  await addJobs(transaction, { task: 'queueWaitingTransactions', priority }, [
    { payload: { applicationId }, key: `queueWaitingTransactions:${applicationId}` },
  ]);
}

// Look-ups that a device waits for come first, and those at the end of a period.
const priorityReads = 18;

/** One job for each application and environment: a later job replaces an earlier one that is not running. */
export async function addNotificationReadJobs(
  connection: SqlConnection,
  reads: JobPayloads['readNotifications'][],
  runAt?: Date,
): Promise<void> {
  const jobs = reads.map((payload) => ({
    payload,
    key: `readNotifications:${payload.applicationId}:${payload.environment}`,
    ...(runAt && { runAt }),
  }));
  await addJobs(connection, { task: 'readNotifications', priority: priorityReads }, jobs);
}
