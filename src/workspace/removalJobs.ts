// The job that follows a deletion: when it looks at the application's data.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { addJobs } from '../platform/jobQueue/jobQueue.ts';

const minute = 60_000;

/** After the deletion: by then every process answers the application's keys with 404, and nearly nothing comes in. */
const firstLookMillis = minute;
/** Longer than an upload that was accepted before the deletion can possibly take to be stored. */
export const lastLookMillis = 60 * minute;

// Everything else can be waited for by somebody.
const priority = 100;

/** One job per application: a later one replaces an earlier one that is not running. */
export async function addRemovalJobs(
  transaction: Transaction,
  applicationIds: string[],
  deletedAt: Date,
): Promise<void> {
  const runAt = new Date(deletedAt.getTime() + firstLookMillis);
  await addRemovalJobsAt(transaction, applicationIds, runAt);
}

export function removalKey(applicationId: string): string {
  return `removeApplication:${applicationId}`;
}

export async function addRemovalJobsAt(
  connection: SqlConnection,
  applicationIds: string[],
  runAt: Date,
): Promise<void> {
  const jobs = applicationIds.map((applicationId) => ({
    payload: { applicationId },
    key: removalKey(applicationId),
    runAt,
  }));
  await addJobs(connection, { task: 'removeApplication', priority }, jobs);
}
