// The heartbeat of a job worker: shows that it lives, frees what dead ones held, and notices when it lost an answer itself.
import type { WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
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
   * A question for a job failed, with `cause`, and the database answers again. The job may have been taken all the same:
   * then it is held for a worker that does not know of it, and that lives. So the worker must give up its name. It may
   * also fail for ever: graphile-worker 0.17.3 keeps the failure of its first look-up of task names.
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
  let failure: { cause: unknown } | null = null;
  events.on('worker:getJob:error', ({ error }) => (failure = { cause: error }));
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

export async function freeJobsOfDead({ pool, log, silentMillis }: Pick<Heartbeat, 'pool' | 'log' | 'silentMillis'>) {
  const dead = await sweepDeadWorkers(pool, silentMillis);
  if (dead.length > 0) log.warn({ workers: dead }, 'jobs of dead workers were freed');
}
