// The SQL by which processes that run jobs know of each other: a heartbeat, and the release of what the dead held.
import type { Pool } from 'pg';
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';

/** A worker beats every ten seconds; one that was not seen for so long is dead. */
export const silentMillis = 30_000;

export async function beat(connection: SqlConnection, workerId: string): Promise<void> {
  await connection.query(prepared('worker_beat')`/* jobs: beat */
    INSERT INTO job_workers (id, seen_at) VALUES (${workerId}, now())
    ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`);
}

/** Frees what it still holds, because from then on nobody knows of it. */
export async function signOff(pool: Pool, workerId: string): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    await transaction.query(sql`/* jobs: signOff */ DELETE FROM job_workers WHERE id = ${workerId}`);
    await freeJobs(transaction, [workerId]);
  });
}

/**
 * Frees the jobs of workers that were not seen for that long and answers who they were. It asks for silent workers and
 * not for old locks: the queue has no index for those, and every worker beats before it takes its first job. In one
 * transaction, since a worker that is forgotten before its jobs are free would hold them for hours.
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
 * Under new ids, so that a worker which was only taken for dead ends nothing by what it still reports: the queue deletes a
 * finished job by its id alone, and by then that job may be what was put into the queue in its place. A job whose key a
 * later one has taken is deleted: the later one does its work. None of our jobs is without a key, or in a named queue.
 */
async function freeJobs(transaction: Transaction, workerIds: string[]): Promise<void> {
  await transaction.query(prepared('delete_superseded_jobs')`/* jobs: freeJobs */
    DELETE FROM graphile_worker._private_jobs
    WHERE locked_by = ANY(${workerIds}) AND key IS NULL AND attempts >= max_attempts`);
  await transaction.query(prepared('free_jobs')`/* jobs: freeJobs */
    UPDATE graphile_worker._private_jobs SET id = DEFAULT, locked_by = NULL, locked_at = NULL
    WHERE locked_by = ANY(${workerIds})`);
}
