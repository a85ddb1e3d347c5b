// The jobs of this feature: how they are put into the queue.
import type { ClientBase } from 'pg';
import type { JobPayloads } from '../platform/jobPayloads.ts';
import { addJobs } from '../platform/jobQueue.ts';

export type ResolveStoreTransactionJob = JobPayloads['resolveStoreTransaction'];

type Client = Pick<ClientBase, 'query'>;

// A purchase can wait behind a mail that somebody waits for.
const priority = 10;

/** One job per transaction: a later one replaces an earlier one that is not running. */
export async function addResolveJobs(client: Client, jobs: ResolveStoreTransactionJob[], runAt?: Date): Promise<void> {
  await addJobs(
    client,
    { task: 'resolveStoreTransaction', priority },
    jobs.map((payload) => ({
      payload,
      key: `resolveStoreTransaction:${payload.applicationId}:${payload.transactionId}`,
      ...(runAt && { runAt }),
    })),
  );
}

/**
 * Has all transactions of the application that wait for credentials looked up again. For the transaction that sets store
 * credentials: the job runs after its COMMIT, with the new credentials.
 *
 * A page's place is part of its key: else a run for older credentials would put its next page in the place of this first
 * one, and what comes before that page would wait for ever. Two runs that meet at one place need it only once, the later
 * time.
 */
export async function addRetryOfPending(applicationId: string, client: Client, after = ''): Promise<void> {
  await addJobs(client, { task: 'retryPendingTransactions', priority }, [
    { payload: { applicationId, after }, key: `retryPendingTransactions:${applicationId}:${after}` },
  ]);
}
