// The jobs of this feature: how they are put into the queue.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import { addJobs } from '../platform/jobQueue/jobQueue.ts';

export type ResolveStoreTransactionJob = JobPayloads['resolveStoreTransaction'];

// A purchase can wait behind a mail that somebody waits for, and some of them behind the others.
const priority = 10;
const priorityBehind = 20;

/** `behind`: it waits behind the transactions of other devices. */
export type WaitingTransaction = ResolveStoreTransactionJob & { behind: boolean };

/** One job per transaction: a later one replaces an earlier one that is not running. */
export async function addResolveJobs(
  client: SqlConnection,
  transactions: WaitingTransaction[],
  runAt?: Date,
): Promise<void> {
  for (const waitsBehind of [false, true]) {
    const jobs = transactions
      .filter(({ behind }) => behind === waitsBehind)
      .map(({ behind: _behind, ...payload }) => ({
        payload,
        key: `resolveStoreTransaction:${payload.applicationId}:${payload.transactionId}`,
        ...(runAt && { runAt }),
      }));
    const kind = { task: 'resolveStoreTransaction', priority: waitsBehind ? priorityBehind : priority } as const;
    await addJobs(client, kind, jobs);
  }
}

/**
 * Has all transactions of the application that wait for credentials looked up again, or all that are PENDING. For the
 * transaction that sets store credentials: the job runs after its COMMIT, with the new credentials.
 *
 * What a page is about is its key, its place included: else a run for older credentials would put its next page in the
 * place of this first one, and what comes before that page would wait for ever. Two runs that meet at one place need it
 * only once, the later time.
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
