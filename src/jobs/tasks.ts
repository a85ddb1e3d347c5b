// The list of tasks: one line for each kind of job, under its name in the queue.
import type { JobHelpers } from 'graphile-worker';
import { type MailDeps, sendEmailMail, sendPasswordMail } from '../accounts/mails.ts';
import type { JobPayloads } from '../platform/jobQueue/jobQueue.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { traced, type Tracing } from '../platform/observability/tracing/tracing.ts';
import { queueWaitingTransactions, retryPendingTransactions } from '../purchases/queueDueLookUps.ts';
import { type NotificationReadDeps, readNotifications } from '../purchases/readNotifications.ts';
import { enterLine, type ResolveDeps, resolveTransactions } from '../purchases/resolveTransactions.ts';
import { deliverWebhooks, type DeliveryDeps } from '../webhooks/deliverWebhooks.ts';
import { removeApplication } from './removeApplication.ts';

export type TaskDeps = ResolveDeps & NotificationReadDeps & MailDeps & DeliveryDeps;

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

// Tasks whose runs are spans, each the beginning of a trace.

export function tracedTasks(tasks: AnyTasks, tracing: Tracing): AnyTasks {
  return Object.fromEntries(Object.entries(tasks).map(([name, run]) => [name, tracedTask(name, run, tracing)]));
}

function tracedTask(task: string, run: AnyTasks[string], tracing: Tracing): AnyTasks[string] {
  return (payload, helpers) => {
    const attributes = { 'job.task': task, 'job.attempt': helpers.job.attempts };
    const start = { name: `job ${task}`, kind: 'consumer', parent: null, attributes } as const;
    return traced(tracing, start, () => run(payload, helpers));
  };
}

// Tasks that count their runs: how each run ended, and how long it took.

export function observedTasks(tasks: AnyTasks, metrics: Pick<Metrics, 'jobEnded'>): AnyTasks {
  return Object.fromEntries(Object.entries(tasks).map(([name, run]) => [name, observed(name, run, metrics)]));
}

function observed(task: string, run: AnyTasks[string], metrics: Pick<Metrics, 'jobEnded'>): AnyTasks[string] {
  return async (payload, helpers) => {
    const begun = performance.now();
    try {
      await run(payload, helpers);
      metrics.jobEnded({ task, outcome: 'success', millis: performance.now() - begun });
    } catch (error) {
      const last = helpers.job.attempts >= helpers.job.max_attempts;
      metrics.jobEnded({ task, outcome: last ? 'given_up' : 'failure', millis: performance.now() - begun });
      throw error;
    }
  };
}
