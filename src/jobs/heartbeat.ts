// The heartbeat of a job worker: shows that the worker lives, frees the jobs of dead workers, and notices a lost response.
import type { WorkerEvents } from 'graphile-worker';
import pg, { type Pool } from 'pg';
import type { Log } from '../platform/observability/log.ts';
import { beat, sweepDeadWorkers } from './workersStore.ts';

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
  onAnswerLost(cause: unknown): void;
}

/** The returned function resolves after the beat under way: a later one would add the row of a stopped worker again. */
export function startHeartbeat({
  pool,
  log,
  workerId,
  events,
  beatMillis,
  silentMillis,
  onAnswerLost,
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
      if (failure) onAnswerLost(failure.cause);
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
