// The list of tasks: one line for each kind of job, under its name in the queue.
import type { JobHelpers } from 'graphile-worker';
import { sendEmailMail } from '../accounts/sendEmailMail.ts';
import { sendPasswordMail, type PasswordMailDeps } from '../accounts/sendPasswordMail.ts';
import type { JobPayloads } from '../platform/jobQueue/jobPayloads.ts';
import type { ResolveDeps } from '../purchases/resolveStoreTransaction.ts';
import { enterLine, resolveTransactions } from '../purchases/resolveTransactions.ts';
import { queueWaitingTransactions } from '../purchases/queueDueLookUps.ts';
import { readNotifications, type NotificationReadDeps } from '../purchases/readNotifications.ts';
import { retryPendingTransactions } from '../purchases/retryPendingTransactions.ts';
import { deliverWebhooks, type DeliveryDeps } from '../webhooks/deliverWebhooks.ts';
import { removeApplication } from './removeApplication.ts';

export type TaskDeps = ResolveDeps & NotificationReadDeps & PasswordMailDeps & DeliveryDeps;

/** The service wrote the payload itself, so a task does not check it. */
type Task<Payload> = (payload: Payload, helpers: Pick<JobHelpers, 'abortSignal' | 'job'>) => Promise<void>;

/** The tasks of any worker, under their names. */
export type AnyTasks = Record<string, Task<never>>;

export type Tasks = { [Name in keyof JobPayloads]: Task<JobPayloads[Name]> };

export function createTasks(deps: TaskDeps): Tasks {
  return {
    resolveTransactions: (job, { abortSignal }) => resolveTransactions({ ...job, behind: false }, deps, abortSignal),
    resolveTransactionsBehind: (job, { abortSignal }) =>
      resolveTransactions({ ...job, behind: true }, deps, abortSignal),
    resolveStoreTransaction: (job) => enterLine(job, deps),
    readNotifications: (job, { abortSignal }) => readNotifications(job, deps, abortSignal),
    deliverWebhooks: (job, { abortSignal }) => deliverWebhooks(job, deps, abortSignal),
    removeApplication: (job, { abortSignal }) => removeApplication(job, deps, abortSignal),
    sendPasswordMail: (job, { abortSignal }) => sendPasswordMail(job, deps, abortSignal),
    sendEmailMail: (job, { abortSignal }) => sendEmailMail(job, deps, abortSignal),
    queueWaitingTransactions: ({ applicationId }) => queueWaitingTransactions(deps.pool, applicationId),
    retryPendingTransactions: (job) => retryPendingTransactions(job, deps),
  };
}
