// The heartbeat of a job worker: shows that the worker lives, frees the jobs of dead workers, and notices a lost response.
import type { WorkerEvents } from 'graphile-worker';
import pg, { type Pool } from 'pg';
import { prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import type { Log } from '../platform/observability/log.ts';

export interface Heartbeat {
  pool: Pool;
  log: Log;
  workerId: string;
  events: WorkerEvents;
  beatMillis: number;
  silentMillis: number;
  /**
   * A query for a job failed, with `cause`, and the database responds again. The queue may have locked a job for this
   * worker without the worker's knowledge: the worker must give up its name. A failure after which no job can be locked
   * counts only until a query succeeds. The look-up of task names may fail until the process ends, because
   * graphile-worker 0.17.3 keeps its first failure.
   */
  onResponseLost(cause: unknown): void;
}

/** The returned function resolves after the beat under way: a later one would add the row of a stopped worker again. */
export function startHeartbeat({
  pool,
  log,
  workerId,
  events,
  beatMillis,
  silentMillis,
  onResponseLost,
}: Heartbeat): () => Promise<void> {
  let failure: { cause: unknown; lost: boolean } | null = null;
  const forgive = (): void => void (failure = failure?.lost ? failure : null);
  events.on('worker:getJob:error', ({ error }) => {
    if (!failure?.lost) failure = { cause: error, lost: mayHaveTaken(error) };
  });
  events.on('worker:getJob:empty', forgive);
  events.on('job:start', forgive);
  const tick = async (): Promise<void> => {
    try {
      await beat(pool, workerId);
      if (failure) onResponseLost(failure.cause);
      await freeJobsOfDead({ pool, log, silentMillis });
    } catch (error) {
      log.warn({ err: error }, 'the heartbeat of the job worker failed');
    }
  };
  const beats = new Set<Promise<void>>();
  const start = (): void => {
    const running = tick().finally(() => beats.delete(running));
    beats.add(running);
  };
  start();
  const timer = setInterval(start, beatMillis);
  return async () => {
    clearInterval(timer);
    await Promise.all(beats);
  };
}

/** False when the server refused the query, and when the query did not reach the server. */
function mayHaveTaken(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  return code !== 'ECONNREFUSED' && !message.startsWith('timeout exceeded when trying to connect');
}

export async function freeJobsOfDead({ pool, log, silentMillis }: Pick<Heartbeat, 'pool' | 'log' | 'silentMillis'>) {
  const dead = await sweepDeadWorkers(pool, silentMillis);
  if (dead.length > 0) log.warn({ workers: dead }, 'jobs of dead workers were freed');
}

// The SQL by which job workers know of each other: a heartbeat, and the release of the jobs of dead workers.

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
