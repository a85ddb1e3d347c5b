// Runs the jobs of the queue in this process: starts, survives failures of the database, drains.
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, run, type Runner, type TaskList, type WorkerEvents } from 'graphile-worker';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { jobFlags, type JobKind, kindOf, ownersOf } from '../platform/jobQueue/jobQueue.ts';
import type { Log } from '../platform/observability/log.ts';
import { beat, signOff, silentMillis, startHeartbeat } from './heartbeat.ts';
import type { AnyTasks } from './tasks.ts';

export interface WorkerOptions {
  pool: Pool;
  log: Log;
  tasks: AnyTasks;
  timing?: typeof defaultTiming;
  places?: typeof usualPlaces;
}

/**
 * Another worker frees the jobs of a killed worker after at most `silentMillis` and one beat: 40 s. When a worker
 * stops, it aborts its jobs. Two seconds later it frees them, even if they still run.
 */
const defaultTiming = { beatMillis: 10_000, silentMillis, pollMillis: 2_000, restartMillis: 1_000, stopMillis: 7_000 };

/**
 * The queue records ended jobs in batches of one tick. Without batches graphile-worker 0.17.3 does not await the record:
 * while the database is away, the unhandled rejection ends the whole process.
 */
const catchesFailedRecords = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** Resolves with the first connection. The returned function stops it: running jobs finish, or must end after 5 s. */
export async function startWorker(options: WorkerOptions): Promise<() => Promise<void>> {
  const { log, timing = defaultTiming } = options;
  let stopping = false;
  let current = await startRunner(options);
  const ended = keepRunning();
  return async () => {
    stopping = true;
    await current.stop();
    await ended;
  };

  /** A runner ends when it cannot record how a job ended, and when it lost a response. */
  async function keepRunning(): Promise<void> {
    for (;;) {
      await current.ended;
      if (stopping) return;
      await sleep(timing.restartMillis);
      if (stopping) return;
      const next = await startRunner(options).catch((error: unknown) => {
        log.warn({ err: error }, 'the job worker could not be started again');
        return null;
      });
      if (next) current = next;
      if (next && stopping) await next.stop();
    }
  }
}

async function startRunner(options: WorkerOptions): Promise<{ stop: () => Promise<void>; ended: Promise<void> }> {
  const { pool, log, tasks, timing = defaultTiming } = options;
  const events = new EventEmitter() as WorkerEvents;
  const places = createPlaces(options.places);
  const poolIds: string[] = [];
  events.on('pool:create', ({ workerPool }) => poolIds.push(workerPool.id));
  const runner: Runner = await run({
    pgPool: pool,
    taskList: tasks as Record<string, unknown> as TaskList,
    parsedCronItems: [],
    concurrency: places.count,
    pollInterval: timing.pollMillis,
    noHandleSignals: true,
    preset: { worker: catchesFailedRecords },
    forbiddenFlags: oneAtATime(places, {
      events,
      announce: announcing(() => beat(pool, poolIds[0]!), timing.silentMillis / 2),
    }),
    logger: jobLogger(log),
    events,
  });
  const workerId = poolIds[0]!;
  let stopping = false;
  events.on('pool:gracefulShutdown', () => (stopping = true));
  const stopOnce = (): void => {
    if (stopping) return;
    stopping = true;
    void runner.stop().catch((error: unknown) => log.warn({ err: error }, 'the job worker did not stop cleanly'));
  };
  const onResponseLost = (cause: unknown): void => {
    if (!stopping) log.warn({ err: cause }, 'the job worker lost an answer and starts again');
    stopOnce();
  };
  const stopHeartbeat = startHeartbeat({ pool, log, workerId, events, ...timing, onResponseLost });
  const ended = endOf(runner, { log, events, stopMillis: timing.stopMillis })
    .finally(stopHeartbeat)
    // While the database is away, this fails: other workers free the jobs after `silentMillis`.
    .then(() => signOff(pool, workerId).catch(() => undefined));
  return { ended, stop: () => (stopOnce(), ended) };
}

/**
 * Resolves at the runner's end, or `stopMillis` after its stop began. graphile-worker 0.17.3 never ends after it failed
 * to record the end of four jobs, nor while a job ignores its abort signal.
 */
function endOf(
  runner: Runner,
  { log, events, stopMillis }: { log: Log; events: WorkerEvents; stopMillis: number },
): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    events.once('pool:gracefulShutdown', () => {
      timer = setTimeout(() => {
        log.warn({ stopMillis }, 'the job worker did not stop in time');
        resolve();
      }, stopMillis);
    });
    void runner.promise
      .catch((error: unknown) => log.error({ err: error }, 'the job worker stopped by itself'))
      .finally(() => {
        clearTimeout(timer);
        resolve();
      });
  });
}

/**
 * Awaited before a worker takes a job. A sweep finds silent workers by their rows, so the worker's row must exist
 * first, and again after a pause in which a sweep may have deleted it.
 */
function announcing(announce: () => Promise<void>, againMillis: number): () => Promise<void> {
  let announced: { at: number; done: Promise<void> } | null = null;
  return async () => {
    if (!announced || performance.now() - announced.at > againMillis) {
      announced = { at: performance.now(), done: announce() };
    }
    await announced.done.catch((error: unknown) => {
      announced = null;
      throw error;
    });
  };
}

/**
 * The queue awaits this before it takes a job, and leaves out the jobs of the flags that it gives. Takers go one after the other:
 * two at once could take the last place of a kind both. It also means that idle takers use one connection.
 */
function oneAtATime(
  places: Places,
  { events, announce }: { events: WorkerEvents; announce: () => Promise<void> },
): () => Promise<string[] | null> {
  let last: Promise<unknown> = Promise.resolve();
  let taker: unknown = null;
  let endTurn = (): void => undefined;
  const done = (): void => {
    taker = null;
    endTurn();
  };
  events.on('worker:getJob:start', ({ worker }) => (taker = worker));
  events.on('worker:getJob:empty', done);
  events.on('job:start', ({ job }) => {
    places.begin(job);
    done();
  });
  // The error of one that is not the taker comes from `announce`, before its turn.
  events.on('worker:getJob:error', ({ worker }) => worker === taker && done());
  events.on('job:complete', ({ job }) => places.end(job));
  return async () => {
    await announce();
    const before = last;
    let end = (): void => undefined;
    last = new Promise<void>((resolve) => (end = resolve));
    await before;
    endTurn = end;
    const forbidden = places.forbidden();
    return forbidden.length > 0 ? forbidden : null;
  };
}

/** The queue's messages about each job are logged at level debug; a failed job is an error with its cause. */
function jobLogger(log: Log): Logger {
  const levels = { error: 'error', warning: 'warn', info: 'debug', debug: 'trace' } as const;
  return new Logger((scope) => (level, message, meta) => {
    const cause = meta?.['error'] ?? meta?.['fatalError'];
    const task = (meta?.['job'] as { task_identifier?: string } | undefined)?.task_identifier ?? scope.taskIdentifier;
    // The queue's message repeats the error and its stack, which may quote values.
    const [text] = message.split(/ with error\b|:\n/);
    // Most of the jobs that run at once wait for other services, and the connections of all are bounded (composeTasks.ts).
    const known = message.includes('maxPoolSize');
    log[known ? 'debug' : levels[level]]({ task, ...(cause instanceof Error && { err: cause }) }, text);
  });
}

// How many jobs of each kind, and of each owner, run at once in this process: the queue skips those that have no place.

interface Bounds {
  places: number;
  ofOwner: number;
  ofGroup: number;
  /** Of all slow owners together. */
  ofSlow: number;
}

/**
 * More than ten owners can hang at once without taking all places, because nobody knows beforehand who will hang. Afterwards they
 * share a part.
 */
export const usualPlaces: Record<JobKind, Bounds> = {
  mail: { places: 4, ofOwner: 2, ofGroup: 2, ofSlow: 2 },
  webhooks: { places: 24, ofOwner: 2, ofGroup: 12, ofSlow: 12 },
  look_ups: { places: 12, ofOwner: 1, ofGroup: 12, ofSlow: 6 },
  look_ups_behind: { places: 12, ofOwner: 1, ofGroup: 12, ofSlow: 6 },
  upkeep: { places: 4, ofOwner: 1, ofGroup: 4, ofSlow: 2 },
  // Each holds its place for up to a minute.
  removals: { places: 2, ofOwner: 1, ofGroup: 2, ofSlow: 2 },
};

/** A job that holds its place for so long makes its owner slow. */
const slowMillis = 3_000;
const rememberedMillis = 10 * 60_000;

export interface StartedJob {
  id: string;
  task_identifier: string;
  flags: Record<string, true> | null;
}

interface Running {
  id: string;
  kind: JobKind;
  owner: string | null;
  group: string | null;
  since: number;
}

export interface Places {
  /** Of all kinds. */
  count: number;
  begin(job: StartedJob): void;
  end(job: Pick<StartedJob, 'id'>): void;
  /** The flags of the jobs that may not begin now. */
  forbidden(): string[];
}

export function createPlaces(bounds: Record<JobKind, Bounds> = usualPlaces): Places {
  /** By the widest flag of the owner. */
  const slow = new LRUCache<string, JobKind>({ max: 1_000, ttl: rememberedMillis });
  const running = new Map<string, Running>();
  const widest = ({ owner, group }: Running): string | null => group ?? owner;
  const noteSlow = (job: Running): void => {
    const flag = widest(job);
    if (flag !== null && performance.now() - job.since > slowMillis) slow.set(flag, job.kind);
  };
  const isSlow = (job: Running): boolean => {
    const flag = widest(job);
    return flag !== null && slow.has(flag);
  };
  const forbiddenOf = (kind: JobKind): string[] => {
    const { places, ofOwner, ofGroup, ofSlow } = bounds[kind];
    const own = [...running.values()].filter((job) => job.kind === kind);
    if (own.length >= places) return jobFlags(kind, { owner: '' }).slice(0, 1);
    const slowOnes =
      own.filter(isSlow).length >= ofSlow ? [...slow].flatMap(([flag, of]) => (of === kind ? [flag] : [])) : [];
    const owners = own.map(({ owner }) => owner);
    const groups = own.map(({ group }) => group);
    return [...thoseWith(ofOwner, owners), ...thoseWith(ofGroup, groups), ...slowOnes];
  };
  return {
    count: Object.values(bounds).reduce((sum, { places }) => sum + places, 0),
    begin({ id, task_identifier: task, flags }) {
      const kind = kindOf(task);
      running.set(id, { id, kind, ...ownersOf(kind, Object.keys(flags ?? {})), since: performance.now() });
    },
    end({ id }) {
      const job = running.get(id);
      if (job) noteSlow(job);
      running.delete(id);
    },
    forbidden() {
      running.forEach(noteSlow);
      return (Object.keys(bounds) as JobKind[]).flatMap(forbiddenOf);
    },
  };
}

/** The flags that are there so often, or more often. */
function thoseWith(most: number, flags: (string | null)[]): string[] {
  const counts = new Map<string, number>();
  for (const flag of flags) if (flag !== null) counts.set(flag, (counts.get(flag) ?? 0) + 1);
  return [...counts].flatMap(([flag, count]) => (count >= most ? [flag] : []));
}
