// Adds the job that removes a deleted application's data, and says when it runs (schema.graphql, "Removal of the data").
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { addJobs } from '../platform/jobQueue/jobQueue.ts';

const minute = 60_000;

/** After the deletion. By then every process responds 404 to the application's keys, so almost nothing arrives. */
const firstLookMillis = minute;
/** After the deletion. An upload that was accepted before the deletion is stored by then. */
export const lastLookMillis = 60 * minute;

/** One job for each application: a later job replaces an earlier one that is not running. */
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
    owner: applicationId,
    runAt,
  }));
  await addJobs(connection, { task: 'removeApplication' }, jobs);
}
