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
   */
  onStuck(): void;
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
  const asked = { well: 0, badly: 0 };
  let lastBeatWell = false;
  events.on('worker:getJob:error', () => (asked.badly += 1));
  events.on('worker:getJob:empty', () => (asked.well += 1));
  events.on('job:start', () => (asked.well += 1));
  const tick = async (): Promise<void> => {
    try {
      await beat(pool, workerId);
      if (lastBeatWell && asked.badly > 0 && asked.well === 0) onStuck();
      lastBeatWell = true;
      const dead = await sweepDeadWorkers(pool, silentMillis);
      if (dead.length > 0) log.warn({ workers: dead }, 'jobs of dead workers were freed');
    } catch (error) {
      lastBeatWell = false;
      log.warn({ err: error }, 'the heartbeat of the job worker failed');
    }
    Object.assign(asked, { well: 0, badly: 0 });
  };
  void tick();
  const timer = setInterval(() => void tick(), beatMillis);
  return () => clearInterval(timer);
}
