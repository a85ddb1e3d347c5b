// Puts this feature's jobs into the queue.
import type { SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { addJobs, type JobPayloads, wakeJobs } from '../platform/jobQueue/jobQueue.ts';

/** The line in which the transactions of an application wait for their look-up. */
export interface Line {
  applicationId: string;
  /** Behind those of proven devices. */
  behind: boolean;
}

/** One job for each application and line: it takes the transactions that are due, in turns of their devices. */
const jobOf = ({ applicationId, behind }: Line) => ({
  task: behind ? ('resolveTransactionsBehind' as const) : ('resolveTransactions' as const),
  payload: { applicationId },
  key: resolveKey({ applicationId, behind }),
  owner: applicationId,
});

function resolveKey({ applicationId, behind }: Line): string {
  return `resolveTransactions${behind ? 'Behind' : ''}:${applicationId}`;
}

/** The job runs at that time, whatever time it had. */
export async function addResolveJob(connection: SqlConnection, line: Line, runAt: Date): Promise<void> {
  const { task, ...job } = jobOf(line);
  await addJobs(connection, { task }, [{ ...job, runAt }]);
}

/** After transactions have entered these lines, and are stored. Without it they wait for `queueForgottenLookUps`. */
export async function wakeLines(connection: SqlConnection, lines: readonly Line[]): Promise<void> {
  const jobs = new Map(lines.map((line) => [resolveKey(line), jobOf(line)]));
  for (const behind of [false, true]) {
    const task = jobOf({ applicationId: '', behind }).task;
    await wakeJobs(
      connection,
      task,
      [...jobs.values()].filter((job) => job.task === task),
    );
  }
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
  const key = `retryPendingTransactions:${putOff ? 'putOff:' : ''}${applicationId}:${after}`;
  await addJobs(transaction, { task: 'retryPendingTransactions' }, [{ payload: page, key, owner: applicationId }]);
}

/** After uploads that found no place: another upload may have had all of them at that moment. */
export async function wakeQueueWaiting(connection: SqlConnection, applicationId: string): Promise<void> {
  const key = `queueWaitingTransactions:${applicationId}`;
  await wakeJobs(connection, 'queueWaitingTransactions', [{ payload: { applicationId }, key, owner: applicationId }]);
}

/** One job for each application and environment: a later job replaces an earlier one that is not running. */
export async function addNotificationReadJobs(
  connection: SqlConnection,
  reads: JobPayloads['readNotifications'][],
  runAt?: Date,
): Promise<void> {
  const jobs = reads.map((payload) => ({
    payload,
    key: `readNotifications:${payload.applicationId}:${payload.environment}`,
    owner: payload.applicationId,
    ...(runAt && { runAt }),
  }));
  await addJobs(connection, { task: 'readNotifications' }, jobs);
}
