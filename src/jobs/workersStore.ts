// The SQL by which processes that run jobs know of each other: a heartbeat, and the release of what the dead held.
import type { Pool } from 'pg';

export async function beat(pool: Pool, workerId: string): Promise<void> {
  await pool.query({
    name: 'worker_beat',
    text: `/* jobs: beat */
      INSERT INTO job_workers (id, seen_at) VALUES ($1, now()) ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
    values: [workerId],
  });
}

export async function signOff(pool: Pool, workerId: string): Promise<void> {
  await pool.query('/* jobs: signOff */ DELETE FROM job_workers WHERE id = $1', [workerId]);
}

/**
 * Frees the jobs of workers that were not seen for that long and answers who they were. A worker that has just begun
 * may not have been seen yet, but then its locks are young.
 */
export async function sweepDeadWorkers(pool: Pool, silentMillis: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'sweep_dead_workers',
    text: `/* jobs: sweepDeadWorkers */
      WITH silent AS (
        DELETE FROM job_workers WHERE seen_at < now() - make_interval(secs => $1::float8) RETURNING id
      )
      SELECT DISTINCT locked_by AS id FROM graphile_worker.jobs j
      WHERE locked_at < now() - make_interval(secs => $1::float8) AND NOT EXISTS (
        SELECT FROM job_workers w WHERE w.id = j.locked_by AND w.seen_at >= now() - make_interval(secs => $1::float8))`,
    values: [silentMillis / 1_000],
  });
  const dead = rows.map(({ id }) => id);
  if (dead.length > 0) await pool.query('SELECT graphile_worker.force_unlock_workers($1)', [dead]);
  return dead;
}
