// The removal of a deleted application: its job, when that runs (schema.graphql, "Removal of the data"), and the rows that stay.
// SQL, because jobs send it.
import { sql, type SqlConnection } from '../platform/database/sql.ts';
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

// The application's own rows are emptied: they stay, so that its id and keys are not reused (docs/decisions/what-retention-removes.md).

/** Null for an application that is not deleted, or whose data has been removed already. */
export async function findDeletion(connection: SqlConnection, applicationId: string): Promise<Date | null> {
  const statement = sql`/* workspace: findDeletion */
    SELECT deleted_at FROM applications WHERE id = ${applicationId} AND removed_at IS NULL`;
  const { rows } = await connection.query<{ deleted_at: Date | null }>(statement);
  return rows[0]?.deleted_at ?? null;
}

/** An empty value holds no secret to decrypt. The key's label and author are removed too. */
export async function eraseSecrets(connection: SqlConnection, applicationId: string): Promise<void> {
  await connection.query(sql`/* workspace: eraseSecrets */
    UPDATE api_keys SET secret_encrypted = '', label = NULL, created_by = NULL
    WHERE application_id = ${applicationId}
      AND (secret_encrypted <> '' OR label IS NOT NULL OR created_by IS NOT NULL)`);
}

export async function markApplicationRemoved(connection: SqlConnection, applicationId: string): Promise<void> {
  await connection.query(sql`/* workspace: markApplicationRemoved */
    UPDATE applications SET name = '', bundle_id = '', image = '', removed_at = now()
    WHERE id = ${applicationId} AND deleted_at IS NOT NULL`);
}

/**
 * Adds a job for each deletion that has none: the deletion is older than this job, or the queue gave its job up after the
 * last attempt. A waiting or running job stays as it is.
 */
export async function queueForgottenRemovals(connection: SqlConnection): Promise<void> {
  const age = (2 * lastLookMillis) / 1_000;
  const statement = sql`/* workspace: queueForgottenRemovals */
    SELECT id FROM applications a
    WHERE removed_at IS NULL AND deleted_at < now() - make_interval(secs => ${age}::float8) AND NOT EXISTS (
      SELECT FROM graphile_worker.jobs j WHERE j.key = ${removalKey('')} || a.id::text AND j.attempts < j.max_attempts)
    LIMIT 1000`;
  const { rows } = await connection.query<{ id: string }>(statement);
  const ids = rows.map(({ id }) => id);
  await addRemovalJobsAt(connection, ids, new Date());
}
