// The tasks that every process repeats: each runs at its interval, and a failed task is logged and runs again.
import { EventEmitter } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { WorkerEvents } from 'graphile-worker';
import type { Pool } from 'pg';
import { startHeartbeat } from '../../src/jobs/heartbeat.ts';
import { startHousekeeping } from '../../src/jobs/housekeeping.ts';
import { createPlaces, type StartedJob, usualPlaces } from '../../src/jobs/worker.ts';
import type { Statement } from '../../src/platform/database/sql.ts';
import { jobFlags, type JobOwner, kindOf } from '../../src/platform/jobQueue/jobQueue.ts';
import { createLog } from '../../src/platform/observability/log.ts';

describe('housekeeping', () => {
  const hour = 60 * 60_000;

  interface Day {
    runsJobs: boolean;
    eventRetentionDays: number | undefined;
    /** Unless set, every statement fails. */
    responses?: boolean;
  }

  /** The first words of one day's statements, and the tasks that were logged as failed. */
  async function aDay({ responses: results = false, ...options }: Day) {
    jest.useFakeTimers();
    const [statements, failed] = [new Map<string, number>(), new Set<string>()];
    const query = (statement: string | Statement) => {
      const text = typeof statement === 'string' ? statement : statement.text;
      const name = /^\/\* (.+?) \*\//.exec(text)![1]!;
      statements.set(name, (statements.get(name) ?? 0) + 1);
      return results
        ? Promise.resolve({
            rows: /^(workspace|webhooks|campaigns|purchases: findForgottenLines)/.test(name) ? [] : [{}],
            rowCount: 0,
          })
        : Promise.reject(new Error('no database'));
    };
    const metrics = {
      jobsCounted: () => undefined,
      lookUpsCounted: () => undefined,
      oldestDueFound: () => undefined,
      housekeepingFailed: (task: string) => void failed.add(task),
    };
    const stop = startHousekeeping({
      pool: { query } as unknown as Pool,
      log: createLog('silent'),
      metrics,
      ...options,
    });
    await jest.advanceTimersByTimeAsync(24 * hour);
    stop();
    const counts = Object.fromEntries(statements);
    await jest.advanceTimersByTimeAsync(24 * hour);
    jest.useRealTimers();
    expect(Object.fromEntries(statements)).toEqual(counts);
    return { counts, failed: [...failed].sort() };
  }

  /** Runs per day: one at the start, the others at the interval. */
  const [everyQuarter, everyMinute, everyTenMinutes, everyHour] = [5_761, 1_441, 145, 25];

  test('every task comes at once and then in its turn', async () => {
    const { counts, failed } = await aDay({ runsJobs: true, eventRetentionDays: undefined, responses: true });
    expect(counts).toMatchObject({
      'jobs: countWaitingJobs': everyMinute,
      'purchases: countWaitingLookUps': everyMinute,
      'purchases: isAnyLineDue': everyQuarter,
      'purchases: findForgottenLines': everyQuarter,
      'purchases: nextWaitingApplication': everyQuarter,
      'purchases: noteWatch': everyQuarter,
      'purchases: isAnyLineEnded': everyQuarter,
      'purchases: isAnyProductToRetell': everyQuarter,
      'sessions: expiredNoncesBefore': everyMinute,
      'accounts: deleteExpiredAttempts': everyMinute,
      'accounts: deleteExpiredLoginChallenges': everyHour,
      'accounts: deleteExpiredLoginSessions': everyHour,
      'workspace: queueForgottenRemovals': everyHour,
      'accounts: deleteExpiredPasswordTokens': everyHour,
      'campaigns: findMovedCampaigns': everyQuarter,
      'campaigns: isAnyDayClosed': everyTenMinutes,
      'webhooks: deleteOldDeliveries': everyHour,
      'webhooks: queueForgottenDeliveries': everyMinute,
      'sessions: ensureEventPartitions': everyTenMinutes,
    });
    expect(failed).toEqual([]);
  });

  /** The runs of tasks that fail. */
  const everywhere = {
    'sessions: deleteOldChanges': everyMinute,
    'sessions: expiredNoncesBefore': everyMinute,
    'accounts: deleteExpiredAttempts': everyMinute,
    'accounts: deleteExpiredEmailTokens': everyTenMinutes,
    'accounts: deleteExpiredLoginChallenges': everyTenMinutes,
    'accounts: deleteTokensOfExpiredSessions': everyTenMinutes,
    'workspace: queueForgottenRemovals': everyTenMinutes,
    'accounts: deleteExpiredPasswordTokens': everyTenMinutes,
    'sessions: ensureEventPartitions': everyTenMinutes,
    'analytics: deleteOldIssues': everyTenMinutes,
    'quotas: deleteOldUses': everyTenMinutes,
    'campaigns: findMovedCampaigns': everyMinute,
    'campaigns: isAnyDayClosed': everyTenMinutes,
    'webhooks: deleteOldDeliveries': everyTenMinutes,
    'webhooks: queueForgottenDeliveries': everyMinute,
  };
  const names = [
    'closeDaysOfShows',
    'deleteExpiredAttempts',
    'deleteExpiredEmailTokens',
    'deleteExpiredLoginChallenges',
    'deleteExpiredLoginSessions',
    'deleteExpiredNonces',
    'deleteExpiredPasswordTokens',
    'deleteOldChanges',
    'deleteOldDeliveries',
    'deleteOldIssues',
    'deleteOldUses',
    'ensureEventPartitions',
    'queueForgottenDeliveries',
    'queueForgottenRemovals',
    'tellMovesByClock',
  ];

  test('one that fails comes again after ten minutes at the latest', async () => {
    const { counts, failed } = await aDay({ runsJobs: true, eventRetentionDays: 30 });
    const purchases = {
      'purchases: countWaitingLookUps': everyMinute,
      'purchases: findForgottenLines': everyMinute,
      'purchases: isAnyLineDue': everyMinute,
      'purchases: isAnyLineEnded': everyMinute,
      'purchases: isAnyProductToRetell': everyMinute,
      'purchases: nextWaitingApplication': everyMinute,
      'purchases: noteWatch': everyMinute,
    };
    const jobs = { 'jobs: countWaitingJobs': everyMinute, ...purchases };
    expect(counts).toEqual({ ...everywhere, ...jobs, 'sessions: partitionDue': everyTenMinutes });
    expect(failed).toEqual(
      [
        ...names,
        'countWaitingJobs',
        'countWaitingLookUps',
        'dropOldEvents',
        'queueDueLookUps',
        'queueForgottenLookUps',
        'queueNotificationReads',
        'queueWaiting',
        'removeOldAttribution',
        'removeUnresolved',
        'retellProducts',
        'tellEndsByClock',
      ].sort(),
    );
  });

  test('where none run, the oldest is looked for, and without a limit events are kept', async () => {
    const { counts, failed } = await aDay({ runsJobs: false, eventRetentionDays: undefined });
    expect(counts).toEqual({ ...everywhere, 'jobs: findOldestDueSeconds': everyMinute });
    expect(failed).toEqual([...names, 'findOldestDueSeconds', 'freeJobsOfDeadWorkers'].sort());
  });

  test('events are dropped that are older than was asked for', async () => {
    const asked: unknown[] = [];
    const query = async (statement: string | Statement) => {
      const { text, values } = typeof statement === 'string' ? { text: statement, values: [] } : statement;
      if (text.includes('partitionDue')) asked.push(values);
      throw new Error('no database');
    };
    const metrics = {
      jobsCounted: () => undefined,
      lookUpsCounted: () => undefined,
      oldestDueFound: () => undefined,
      housekeepingFailed: () => undefined,
    };
    const pool = { query } as unknown as Pool;
    const options = { pool, log: createLog('silent'), metrics, runsJobs: false, eventRetentionDays: 30 };
    startHousekeeping(options)();
    expect(asked).toEqual([[30]]);
  });

  test('a task that fails because it was stopped under way is no failure', async () => {
    const failed: string[] = [];
    const failures: ((error: Error) => void)[] = [];
    const query = () => new Promise<never>((_, reject) => failures.push(reject));
    const metrics = {
      jobsCounted: () => undefined,
      lookUpsCounted: () => undefined,
      oldestDueFound: () => undefined,
      housekeepingFailed: (task: string) => void failed.push(task),
    };
    const pool = { query } as unknown as Pool;
    const options = { pool, log: createLog('silent'), metrics, runsJobs: true, eventRetentionDays: 30 };
    const stop = startHousekeeping(options);
    expect(failures.length).toBeGreaterThan(5);
    stop();
    for (const fail of failures) fail(new Error('the pool has ended'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(failed).toEqual([]);
  });
});

// The heartbeat of a job worker: when it takes a response for lost, and that it ends.
describe('heartbeat', () => {
  const beatMillis = 1_000;
  const lost = new Error('Query read timeout');
  const refusal = new Error('timeout exceeded when trying to connect');
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  /** A worker's heartbeat on a database that can be away. */
  async function start() {
    const state = { away: false, statements: 0, lost: [] as unknown[], silentSeconds: [] as unknown[] };
    const query = async (question: string | { name: string; values: unknown[] }) => {
      state.statements += 1;
      if (typeof question !== 'string' && question.name === 'sweep_dead_workers')
        state.silentSeconds.push(...question.values);
      if (state.away) throw new Error('away');
      return { rows: [] };
    };
    const client = { query, on: () => undefined, off: () => undefined, release: () => undefined };
    const events = new EventEmitter() as WorkerEvents;
    const stop = startHeartbeat({
      pool: { query, connect: async () => client } as unknown as Pool,
      log: createLog('silent'),
      ...{ workerId: 'a worker', events, beatMillis, silentMillis: 3_000 },
      onResponseLost: (cause) => void state.lost.push(cause),
    });
    await jest.advanceTimersByTimeAsync(0);
    /** Emits the outcomes of the queries for a job, then waits for a beat. */
    const until = async (...responses: ('lost' | 'refused' | 'empty' | 'job')[]): Promise<number> => {
      const names = {
        lost: 'worker:getJob:error',
        refused: 'worker:getJob:error',
        empty: 'worker:getJob:empty',
        job: 'job:start',
      } as const;
      for (const response of responses) {
        events.emit(names[response], { error: response === 'lost' ? lost : refusal } as never);
      }
      await jest.advanceTimersByTimeAsync(beatMillis);
      return state.lost.length;
    };
    return { state, stop, until };
  }

  test('a response is lost where nobody knows whether a job was taken, whatever became of other questions', async () => {
    const { state, until, stop } = await start();
    expect(await until('empty', 'lost', 'refused', 'job')).toBe(1);
    expect(state.lost).toEqual([lost]);
    await stop();
  });

  test('where none can have been taken, it counts until another question gets a response', async () => {
    const { state, until, stop } = await start();
    expect(await until('refused', 'empty')).toBe(0);
    expect(await until('refused', 'job')).toBe(0);
    expect(await until('empty', 'refused')).toBe(1);
    expect(state.lost).toEqual([refusal]);
    await stop();
  });

  test.each(['empty', 'job', null] as const)('none is lost where none failed: %s', async (response) => {
    const { until, stop } = await start();
    expect(await until(...(response ? [response] : []))).toBe(0);
    await stop();
  });

  test('while the database is away the worker stays, and goes when it is back', async () => {
    const { state, until, stop } = await start();
    state.away = true;
    expect(await until('lost')).toBe(0);
    expect(await until('refused')).toBe(0);
    state.away = false;
    expect(await until()).toBe(1);
    await stop();
  });

  test('at once and at every beat it looks for workers that are silent for so long', async () => {
    const { state, until, stop } = await start();
    expect(state.silentSeconds).toEqual([3]);
    await until();
    expect(state.silentSeconds).toEqual([3, 3]);
    await stop();
  });

  test('once stopped it beats no more', async () => {
    const { state, until, stop } = await start();
    await until();
    await stop();
    const { statements } = state;
    expect(statements).toBeGreaterThan(0);
    await until();
    expect(state.statements).toBe(statements);
  });
});

// The places of jobs: each kind has its own, an owner gets a part of them, and those that hang share a part.
describe('jobPlaces', () => {
  let number = 0;
  function job(task: string, owner: JobOwner): StartedJob {
    const flags = Object.fromEntries(jobFlags(kindOf(task), owner).map((flag) => [flag, true as const]));
    return { id: String((number += 1)), task_identifier: task, flags };
  }

  /** Whether the queue would skip it. */
  const skips = (forbidden: string[], { flags }: StartedJob) => forbidden.some((flag) => flags![flag]);

  test('a kind that has all its places leaves those of the others', () => {
    const places = createPlaces();
    for (let n = 0; n < usualPlaces.mail.places; n += 1) places.begin(job('sendPasswordMail', { owner: `${n}` }));
    expect(skips(places.forbidden(), job('sendEmailMail', { owner: 'another' }))).toBe(true);
    for (const task of ['deliverWebhooks', 'resolveTransactions', 'resolveTransactionsBehind', 'removeApplication']) {
      expect(skips(places.forbidden(), job(task, { owner: 'another' }))).toBe(false);
    }
  });

  test('an application has one place for its look-ups in front, and one behind, and gives it back', () => {
    const places = createPlaces();
    const first = job('resolveTransactions', { owner: 'a' });
    places.begin(first);
    const next = job('resolveTransactions', { owner: 'a' });
    expect(skips(places.forbidden(), next)).toBe(true);
    expect(skips(places.forbidden(), job('resolveTransactions', { owner: 'b' }))).toBe(false);
    expect(skips(places.forbidden(), job('resolveTransactionsBehind', { owner: 'a' }))).toBe(false);
    places.end(first);
    expect(skips(places.forbidden(), next)).toBe(false);
  });

  test('an organization has half of the places for webhooks, however many applications it makes', () => {
    const places = createPlaces();
    const { places: all, ofGroup } = usualPlaces.webhooks;
    expect(ofGroup).toBe(all / 2);
    for (let n = 0; n < ofGroup; n += 1) places.begin(job('deliverWebhooks', { owner: `${n}`, group: 'a' }));
    expect(skips(places.forbidden(), job('deliverWebhooks', { owner: 'new', group: 'a' }))).toBe(true);
    expect(skips(places.forbidden(), job('deliverWebhooks', { owner: 'other', group: 'b' }))).toBe(false);
  });

  test('ten that hang leave places, and afterwards share a part with all that hang', async () => {
    const places = createPlaces();
    const hung = Array.from({ length: 10 }, (_, n) => job('resolveTransactions', { owner: `hung ${n}` }));
    for (const one of hung) places.begin(one);
    expect(skips(places.forbidden(), job('resolveTransactions', { owner: 'honest' }))).toBe(false);
    await pause(3_100);
    for (const one of hung) places.end(one);
    const { ofSlow } = usualPlaces.look_ups;
    const again = hung.map((one) => ({ ...one, id: `again ${one.id}` }));
    for (const one of again.slice(0, ofSlow)) {
      expect(skips(places.forbidden(), one)).toBe(false);
      places.begin(one);
    }
    expect(skips(places.forbidden(), again[ofSlow]!)).toBe(true);
    expect(skips(places.forbidden(), job('resolveTransactions', { owner: 'honest' }))).toBe(false);
  });

  test('jobs of an earlier version have no flags, and are counted by their kind', () => {
    const places = createPlaces();
    for (let n = 0; n < usualPlaces.webhooks.places; n += 1) {
      places.begin({ ...job('deliverWebhooks', { owner: '' }), flags: null });
    }
    expect(places.forbidden()).toEqual(['webhooks']);
  });
});
