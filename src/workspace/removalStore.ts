// The SQL for a deleted application's own rows: they stay, emptied, so that nobody else gets its id or keys (docs/decisions/deleted-applications.md).
import type { Pool } from 'pg';
import { addRemovalJobsAt, lastLookMillis, removalKey } from './removalJobs.ts';

/** Null for an application that is not deleted, or whose data has been removed already. */
export async function findDeletion(pool: Pool, applicationId: string): Promise<Date | null> {
  const { rows } = await pool.query<{ deleted_at: Date | null }>(
    `/* workspace: findDeletion */ SELECT deleted_at FROM applications WHERE id = $1 AND removed_at IS NULL`,
    [applicationId],
  );
  return rows[0]?.deleted_at ?? null;
}

/** An empty value holds no secret, so that nobody can decrypt one any more. */
export async function eraseSecrets(pool: Pool, applicationId: string): Promise<void> {
  await pool.query(
    `/* workspace: eraseSecrets */
      UPDATE api_keys SET secret_encrypted = '' WHERE application_id = $1 AND secret_encrypted <> ''`,
    [applicationId],
  );
}

export async function markApplicationRemoved(pool: Pool, applicationId: string): Promise<void> {
  await pool.query(
    `/* workspace: markApplicationRemoved */
      UPDATE applications SET name = '', bundle_id = '', image = '', removed_at = now()
      WHERE id = $1 AND deleted_at IS NOT NULL`,
    [applicationId],
  );
}

/**
 * Adds a job for each deletion that has none: the deletion is older than this job, or the queue gave its job up after the
 * last attempt. A waiting or running job stays as it is.
 */
export async function queueForgottenRemovals(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    `/* workspace: queueForgottenRemovals */
      SELECT id FROM applications
      WHERE removed_at IS NULL AND deleted_at < now() - make_interval(secs => $1::float8) AND NOT EXISTS (
        SELECT FROM graphile_worker.jobs j WHERE j.key = $2 || applications.id::text AND j.attempts < j.max_attempts)
      LIMIT 1000`,
    [(2 * lastLookMillis) / 1_000, removalKey('')],
  );
  const ids = rows.map(({ id }) => id);
  await addRemovalJobsAt(pool, ids, new Date());
}
