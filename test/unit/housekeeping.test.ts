// The tasks that every process repeats: each runs at its interval, and a failed task is logged and runs again.
import { jest } from '@jest/globals';
import type { Pool } from 'pg';
import { startHousekeeping } from '../../src/jobs/housekeeping.ts';
import type { Statement } from '../../src/platform/database/sqlClient.ts';
import { createLog } from '../../src/platform/observability/log.ts';

const hour = 60 * 60_000;

interface Day {
  runsJobs: boolean;
  eventRetentionDays: number | undefined;
  /** Unless set, every statement fails. */
  answers?: boolean;
}

/** The first words of one day's statements, and the tasks that were logged as failed. */
async function aDay({ answers = false, ...options }: Day) {
  jest.useFakeTimers();
  const [statements, failed] = [new Map<string, number>(), new Set<string>()];
  const query = (statement: string | Statement) => {
    const text = typeof statement === 'string' ? statement : statement.text;
    const name = /^\/\* (.+?) \*\//.exec(text)![1]!;
    statements.set(name, (statements.get(name) ?? 0) + 1);
    return answers
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
  const stop = startHousekeeping({ pool: { query } as unknown as Pool, log: createLog('silent'), metrics, ...options });
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
  const { counts, failed } = await aDay({ runsJobs: true, eventRetentionDays: undefined, answers: true });
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
