// The heartbeat of a job worker: shows that it lives, frees what dead ones held, and notices when it lost an answer itself.
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
   * A question for a job failed, with `cause`, and the database answers again. The queue may have handed out a job all the
   * same, which is then held for a worker that lives and knows nothing of it: this worker must give up its name. A failure
   * after which none can be held counts only until a question is answered: the look-up of task names may fail for ever,
   * since graphile-worker 0.17.3 keeps its first failure.
   */
  onAnswerLost(cause: unknown): void;
}

export function startHeartbeat({
  pool,
  log,
  workerId,
  events,
  beatMillis,
  silentMillis,
  onAnswerLost,
}: Heartbeat): () => void {
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
  void tick();
  const timer = setInterval(() => void tick(), beatMillis);
  return () => clearInterval(timer);
}

/** Not where the server refused, and not where it was never asked. */
function mayHaveTaken(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return false;
  const { code, message } = error as NodeJS.ErrnoException;
  return code !== 'ECONNREFUSED' && !message.startsWith('timeout exceeded when trying to connect');
}

export async function freeJobsOfDead({ pool, log, silentMillis }: Pick<Heartbeat, 'pool' | 'log' | 'silentMillis'>) {
  const dead = await sweepDeadWorkers(pool, silentMillis);
  if (dead.length > 0) log.warn({ workers: dead }, 'jobs of dead workers were freed');
}
