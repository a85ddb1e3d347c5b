// The tasks that every process repeats: each is run in its turn, and one that fails is told of and comes again.
import { jest } from '@jest/globals';
import type { Pool } from 'pg';
import { startHousekeeping } from '../../src/jobs/housekeeping.ts';
import { createLog } from '../../src/platform/log.ts';

const hour = 60 * 60_000;

/** How the statements of one day begin, against a database that fails each of them; and which tasks were said to fail. */
async function aDay(options: { runsJobs: boolean; eventRetentionDays: number | undefined }) {
  jest.useFakeTimers();
  const [statements, failed] = [new Map<string, number>(), new Set<string>()];
  const query = (text: string) => {
    const name = /^\/\* (.+?) \*\/|^DELETE FROM \w+/.exec(text)!;
    statements.set(name[1] ?? name[0], (statements.get(name[1] ?? name[0]) ?? 0) + 1);
    return Promise.reject(new Error('no database'));
  };
  const metrics = {
    jobsCounted: () => undefined,
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

const everywhere = {
  'sessions: expiredNoncesBefore': 1_441,
  'DELETE FROM attempts': 1_441,
  'accounts: deleteExpiredLoginSessions': 25,
  'workspace: queueForgottenRemovals': 25,
  'DELETE FROM password_tokens': 25,
  'sessions: ensureEventPartitions': 2,
};
const names = [
  'deleteExpiredAttempts',
  'deleteExpiredLoginSessions',
  'deleteExpiredNonces',
  'deleteExpiredPasswordTokens',
  'ensureEventPartitions',
  'queueForgottenRemovals',
];

test('where jobs run, every task comes at once and then in its turn, also after it has failed', async () => {
  const { counts, failed } = await aDay({ runsJobs: true, eventRetentionDays: 30 });
  expect(counts).toEqual({ ...everywhere, 'jobs: countWaitingJobs': 1_441, 'sessions: dropOldestPartition': 145 });
  expect(failed).toEqual([...names, 'countWaitingJobs', 'dropOldEvents'].sort());
});

test('where none run, the oldest is looked for, and without a limit events are kept', async () => {
  const { counts } = await aDay({ runsJobs: false, eventRetentionDays: undefined });
  expect(counts).toEqual({ ...everywhere, 'jobs: findOldestDueSeconds': 1_441 });
});
