// The heartbeat of a job worker: shows that it lives, frees what dead ones held, and notices when it is stuck itself.
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
   * The database answered two beats in a row, and in between every question for a job failed. Seen with graphile-worker
   * 0.17.3 when its first look-up of task names met a lost connection: it kept that failure, and would for ever.
   * `cause` is the last of those failures.
   */
  onStuck(cause: unknown): void;
}

export function startHeartbeat({
  pool,
  log,
  workerId,
  events,
  beatMillis,
  silentMillis,
  onStuck,
}: Heartbeat): () => void {
  const silence = { answered: false, failure: null as { cause: unknown } | null };
  let asked = { ...silence };
  let lastBeatWell = false;
  events.on('worker:getJob:error', ({ error }) => (asked.failure = { cause: error }));
  events.on('worker:getJob:empty', () => (asked.answered = true));
  events.on('job:start', () => (asked.answered = true));
  const tick = async (): Promise<void> => {
    try {
      await beat(pool, workerId);
      if (lastBeatWell && asked.failure && !asked.answered) onStuck(asked.failure.cause);
      lastBeatWell = true;
      await freeJobsOfDead({ pool, log, silentMillis });
    } catch (error) {
      lastBeatWell = false;
      log.warn({ err: error }, 'the heartbeat of the job worker failed');
    }
    asked = { ...silence };
  };
  void tick();
  const timer = setInterval(() => void tick(), beatMillis);
  return () => clearInterval(timer);
}

export async function freeJobsOfDead({ pool, log, silentMillis }: Pick<Heartbeat, 'pool' | 'log' | 'silentMillis'>) {
  const dead = await sweepDeadWorkers(pool, silentMillis);
  if (dead.length > 0) log.warn({ workers: dead }, 'jobs of dead workers were freed');
}
