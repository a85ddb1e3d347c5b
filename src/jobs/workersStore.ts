// The SQL by which job workers know of each other: a heartbeat, and the release of the jobs of dead workers.
import type { Pool } from 'pg';
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';

/** A worker beats every ten seconds; after this silence it counts as dead. */
export const silentMillis = 30_000;

export async function beat(connection: SqlConnection, workerId: string): Promise<void> {
  await connection.query(prepared('worker_beat')`/* jobs: beat */
    INSERT INTO job_workers (id, seen_at) VALUES (${workerId}, now())
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`);
}

/** Also frees the worker's jobs: after its row is gone, no sweep finds them. */
export async function signOff(pool: Pool, workerId: string): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    await transaction.query(sql`/* jobs: signOff */ DELETE FROM job_workers WHERE id = ${workerId}`);
    await freeJobs(transaction, [workerId]);
  });
}

/**
 * Frees the jobs of workers that were silent for `silentMillis`, and returns the ids of these workers. It looks for
 * silent workers and not for old locks: the queue has no index on locks, and every worker beats before it takes its
 * first job. It is one transaction: a worker whose row is deleted before its jobs are free would hold them for hours.
 */
export async function sweepDeadWorkers(pool: Pool, silentMillis: number): Promise<string[]> {
  return inTransaction(pool, async (transaction) => {
    const statement = prepared('sweep_dead_workers')`/* jobs: sweepDeadWorkers */
      DELETE FROM job_workers WHERE seen_at < now() - make_interval(secs => ${silentMillis / 1_000}::float8)
      RETURNING id`;
    const { rows } = await transaction.query<{ id: string }>(statement);
    const dead = rows.map(({ id }) => id);
    if (dead.length > 0) await freeJobs(transaction, dead);
    return dead;
  });
}

/**
 * The jobs get new ids, because a slow worker that was taken for dead still reports the end of its jobs: the queue
 * deletes a finished job by its id alone, and that id could belong to the job that replaced it. A job is deleted when a
 * later job has taken its key: the later job does its work. Every job of the service has a key, and none is in a named
 * queue.
 */
async function freeJobs(transaction: Transaction, workerIds: string[]): Promise<void> {
  await transaction.query(prepared('delete_superseded_jobs')`/* jobs: freeJobs */
    DELETE FROM graphile_worker._private_jobs
    WHERE locked_by = ANY(${workerIds}) AND key IS NULL AND attempts >= max_attempts`);
  await transaction.query(prepared('free_jobs')`/* jobs: freeJobs */
    UPDATE graphile_worker._private_jobs SET id = DEFAULT, locked_by = NULL, locked_at = NULL
    WHERE locked_by = ANY(${workerIds})`);
}
