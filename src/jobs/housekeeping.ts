// What every process repeats on its own clock; each task is idempotent, so any number of processes may run it.
import type { Pool } from 'pg';
import { deleteExpiredAttempts } from '../accounts/attemptsStore.ts';
import { deleteExpiredLoginSessions } from '../accounts/loginSessionsStore.ts';
import { deleteExpiredPasswordTokens } from '../accounts/passwordTokensStore.ts';
import type { Log } from '../platform/log.ts';
import { deleteExpiredNonces, ensureEventPartitions } from '../sessions/housekeepingStore.ts';
import { queueForgottenRemovals } from '../workspace/removalStore.ts';

const minute = 60_000;
const tasks = [
  { name: 'deleteExpiredNonces', everyMillis: minute, run: deleteExpiredNonces },
  { name: 'deleteExpiredAttempts', everyMillis: minute, run: deleteExpiredAttempts },
  { name: 'deleteExpiredLoginSessions', everyMillis: 60 * minute, run: deleteExpiredLoginSessions },
  { name: 'queueForgottenRemovals', everyMillis: 60 * minute, run: queueForgottenRemovals },
  { name: 'deleteExpiredPasswordTokens', everyMillis: 60 * minute, run: deleteExpiredPasswordTokens },
  { name: 'ensureEventPartitions', everyMillis: 24 * 60 * minute, run: ensureEventPartitions },
];

/** A task that fails is logged and comes again at its next turn. The answer stops all of them. */
export function startHousekeeping(pool: Pool, log: Log): () => void {
  const timers = tasks.map(({ name, everyMillis, run }) =>
    setInterval(() => {
      run(pool).catch((error: unknown) => log.warn({ err: error, task: name }, 'a housekeeping task failed'));
    }, everyMillis).unref(),
  );
  return () => timers.forEach(clearInterval);
}
