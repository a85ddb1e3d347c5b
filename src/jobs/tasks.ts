// The list of tasks: one line for each kind of job, with the name it has in the queue.
import type { JobHelpers } from 'graphile-worker';
import { sendPasswordMail, type PasswordMailDeps } from '../accounts/sendPasswordMail.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import { giveUp, resolveStoreTransaction, type ResolveDeps } from '../purchases/resolveStoreTransaction.ts';
import { retryPendingTransactions } from '../purchases/retryPendingTransactions.ts';
import { removeApplication } from './removeApplication.ts';

export type TaskDeps = ResolveDeps & PasswordMailDeps;

/** Payloads are this service's own, so they are not checked again. */
type Task<Payload> = (payload: Payload, helpers: Pick<JobHelpers, 'abortSignal' | 'job'>) => Promise<void>;

/** What a worker runs, whatever its tasks are. */
export type AnyTasks = Record<string, Task<never>>;

export type Tasks = { [Name in keyof JobPayloads]: Task<JobPayloads[Name]> };

export function createTasks(deps: TaskDeps): Tasks {
  return {
    async resolveStoreTransaction(payload, { abortSignal, job }) {
      try {
        await resolveStoreTransaction(payload, deps, abortSignal);
      } catch (error) {
        // The queue would now drop it in silence, and the transaction would be PENDING for ever.
        if (job.attempts >= job.max_attempts) await giveUp(payload, deps);
        throw error;
      }
    },
    removeApplication: (job, { abortSignal }) => removeApplication(job, deps, abortSignal),
    sendPasswordMail: (job, { abortSignal }) => sendPasswordMail(job, deps, abortSignal),
    retryPendingTransactions: (job) => retryPendingTransactions(job, deps),
  };
}
