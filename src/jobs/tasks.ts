// The list of tasks: one line for each kind of job, with the name it has in the queue.
import type { JobHelpers } from 'graphile-worker';
import { resolveStoreTransaction, type ResolveDeps } from '../purchases/resolveStoreTransaction.ts';
import { retryPendingTransactions } from '../purchases/retryPendingTransactions.ts';
import type { ResolveStoreTransactionJob, RetryPendingTransactionsJob } from '../purchases/storeJobs.ts';

export type TaskDeps = ResolveDeps;

/** Payloads are this service's own, so they are not checked again. */
export type Tasks = Record<string, (payload: never, helpers: Pick<JobHelpers, 'abortSignal'>) => Promise<void>>;

export function createTasks(deps: TaskDeps): Tasks {
  return {
    resolveStoreTransaction: (job: ResolveStoreTransactionJob, { abortSignal }) =>
      resolveStoreTransaction(job, deps, abortSignal),
    retryPendingTransactions: (job: RetryPendingTransactionsJob) => retryPendingTransactions(job, deps),
  };
}
