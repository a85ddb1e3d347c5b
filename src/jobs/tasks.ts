// The list of tasks: one line for each kind of job, with the name it has in the queue.
import type { JobHelpers } from 'graphile-worker';
import type { PasswordMailJob } from '../accounts/passwordMailJobs.ts';
import { sendPasswordMail, type PasswordMailDeps } from '../accounts/sendPasswordMail.ts';
import { giveUp, resolveStoreTransaction, type ResolveDeps } from '../purchases/resolveStoreTransaction.ts';
import { retryPendingTransactions } from '../purchases/retryPendingTransactions.ts';
import type { ResolveStoreTransactionJob, RetryPendingTransactionsJob } from '../purchases/storeJobs.ts';
import type { RemoveApplicationJob } from '../workspace/removalJobs.ts';
import { removeApplication } from './removeApplication.ts';

export type TaskDeps = ResolveDeps & PasswordMailDeps;

/** Payloads are this service's own, so they are not checked again. */
export type Tasks = Record<string, (payload: never, helpers: Pick<JobHelpers, 'abortSignal' | 'job'>) => Promise<void>>;

export function createTasks(deps: TaskDeps): Tasks {
  return {
    async resolveStoreTransaction(payload: ResolveStoreTransactionJob, { abortSignal, job }) {
      try {
        await resolveStoreTransaction(payload, deps, abortSignal);
      } catch (error) {
        // The queue would now drop it in silence, and the transaction would be PENDING for ever.
        if (job.attempts >= job.max_attempts) await giveUp(payload, deps);
        throw error;
      }
    },
    removeApplication: (job: RemoveApplicationJob, { abortSignal }) => removeApplication(job, deps, abortSignal),
    sendPasswordMail: (job: PasswordMailJob, { abortSignal }) => sendPasswordMail(job, deps, abortSignal),
    retryPendingTransactions: (job: RetryPendingTransactionsJob) => retryPendingTransactions(job, deps),
  };
}
