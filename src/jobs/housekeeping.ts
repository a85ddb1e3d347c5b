// The tasks that every process repeats on its own clock. Each is idempotent, so any number of processes may run it.
import type { Pool } from 'pg';
import {
  deleteExpiredAttempts,
  deleteExpiredEmailTokens,
  deleteExpiredLoginChallenges,
  deleteExpiredLoginSessions,
  deleteExpiredPasswordTokens,
} from '../accounts/deleteExpired.ts';
import { deleteOldIssues } from '../analytics/issueCounts.ts';
import { removeOldAttribution } from '../attribution/removeOldAttribution.ts';
import { closeDaysOfShows } from '../campaigns/closeDaysOfShows.ts';
import { tellMovesByClock } from '../campaigns/heldCampaign.ts';
import type { SqlConnection } from '../platform/database/sql.ts';
import { kindOf } from '../platform/jobQueue/jobQueue.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Metrics, WaitingJobs } from '../platform/observability/metrics.ts';
import { traced, type Tracing } from '../platform/observability/tracing/tracing.ts';
import {
  countWaitingLookUps,
  queueDueLookUps,
  queueForgottenLookUps,
  queueWaiting,
} from '../purchases/queueDueLookUps.ts';
import { queueNotificationReads } from '../purchases/readNotifications.ts';
import { removeUnresolved } from '../purchases/removeUnresolved.ts';
import { retellProducts, tellEndsByClock } from '../purchases/tellEndsByClock.ts';
import { deleteOldUses } from '../quotas/quotasStore.ts';
import { deleteExpiredNonces, dropOldEvents, ensureEventPartitions } from '../sessions/upkeep/dropOldEvents.ts';
import { deleteOldChanges } from '../sessions/writer/uploadsStore.ts';
import { deleteOldDeliveries, queueForgottenDeliveries } from '../webhooks/webhookDeliveries.ts';
import { queueForgottenRemovals } from '../workspace/removal.ts';
import { freeJobsOfDead, silentMillis } from './heartbeat.ts';

const minute = 60_000;

interface Task {
  name: string;
  everyMillis: number;
  run(pool: Pool): Promise<unknown>;
}

export interface Housekeeping {
  pool: Pool;
  log: Log;
  metrics: Pick<Metrics, 'jobsCounted' | 'lookUpsCounted' | 'oldestDueFound' | 'housekeepingFailed'>;
  /** Null or undefined: runs have no spans. */
  tracing?: Tracing | null;
  /** A process that runs jobs counts them. Each process reports the oldest, because all others may have stopped. */
  runsJobs: boolean;
  /** Undefined: everything is kept without a limit. */
  eventRetentionDays: number | undefined;
}

/** What is asked of the store, and told of entitlements, without a request. */
const storeTasks: Task[] = [
  { name: 'queueDueLookUps', everyMillis: minute / 4, run: (pool) => queueDueLookUps(pool) },
  { name: 'queueWaiting', everyMillis: minute / 4, run: queueWaiting },
  { name: 'queueForgottenLookUps', everyMillis: minute / 4, run: queueForgottenLookUps },
  { name: 'queueNotificationReads', everyMillis: minute / 4, run: (pool) => queueNotificationReads(pool) },
  // schema.graphql promises events about ends within a minute.
  { name: 'tellEndsByClock', everyMillis: minute / 4, run: (pool) => tellEndsByClock(pool) },
  { name: 'retellProducts', everyMillis: minute / 4, run: (pool) => retellProducts(pool) },
];

function tasksFor({ eventRetentionDays, log, metrics, runsJobs }: Housekeeping): Task[] {
  const countJobs = async (pool: Pool) => metrics.jobsCounted(await countWaitingJobs(pool));
  const countLookUps = async (pool: Pool) => metrics.lookUpsCounted(await countWaitingLookUps(pool));
  const findOldest = async (pool: Pool) => metrics.oldestDueFound(await findOldestDueSeconds(pool));
  // A worker does this at every beat. The queue does not count the jobs of a killed worker as due, so no metric would
  // show them.
  const freeJobs = (pool: Pool) => freeJobsOfDead({ pool, log, silentMillis });
  const tasks: Task[] = [
    ...(runsJobs
      ? [
          { name: 'countWaitingJobs', everyMillis: minute, run: countJobs },
          { name: 'countWaitingLookUps', everyMillis: minute, run: countLookUps },
          ...storeTasks,
        ]
      : [
          { name: 'findOldestDueSeconds', everyMillis: minute, run: findOldest },
          { name: 'freeJobsOfDeadWorkers', everyMillis: minute, run: freeJobs },
        ]),
    { name: 'deleteExpiredNonces', everyMillis: minute, run: deleteExpiredNonces },
    { name: 'deleteOldChanges', everyMillis: minute, run: deleteOldChanges },
    { name: 'deleteOldIssues', everyMillis: 60 * minute, run: deleteOldIssues },
    { name: 'deleteOldUses', everyMillis: 60 * minute, run: deleteOldUses },
    { name: 'deleteExpiredAttempts', everyMillis: minute, run: deleteExpiredAttempts },
    { name: 'deleteExpiredLoginSessions', everyMillis: 60 * minute, run: deleteExpiredLoginSessions },
    { name: 'deleteExpiredLoginChallenges', everyMillis: 60 * minute, run: deleteExpiredLoginChallenges },
    // schema.graphql promises events about the clock's moves within a minute.
    { name: 'tellMovesByClock', everyMillis: minute / 4, run: (pool) => tellMovesByClock(pool) },
    { name: 'closeDaysOfShows', everyMillis: 10 * minute, run: (pool) => closeDaysOfShows(pool) },
    { name: 'queueForgottenDeliveries', everyMillis: minute, run: queueForgottenDeliveries },
    { name: 'deleteOldDeliveries', everyMillis: 60 * minute, run: deleteOldDeliveries },
    { name: 'queueForgottenRemovals', everyMillis: 60 * minute, run: queueForgottenRemovals },
    { name: 'deleteExpiredPasswordTokens', everyMillis: 60 * minute, run: deleteExpiredPasswordTokens },
    { name: 'deleteExpiredEmailTokens', everyMillis: 60 * minute, run: deleteExpiredEmailTokens },
    // More often than weekly: after a jump of the clock or the loss of a partition, no upload is stored until it has run.
    { name: 'ensureEventPartitions', everyMillis: 10 * minute, run: ensureEventPartitions },
  ];
  if (eventRetentionDays === undefined) return tasks;
  return [...tasks, ...retentionTasks(eventRetentionDays, log)];
}

/** What EVENT_RETENTION_DAYS removes. A run is short, and a run under way in another process ends it. */
function retentionTasks(daysKept: number, log: Log): Task[] {
  return [
    // More often than weekly: a busy table delays it.
    { name: 'dropOldEvents', everyMillis: 10 * minute, run: (pool) => dropOldEvents(pool, daysKept, log) },
    {
      name: 'removeOldAttribution',
      everyMillis: 10 * minute,
      run: (pool) => removeOldAttribution(pool, { daysKept, log }),
    },
    { name: 'removeUnresolved', everyMillis: 10 * minute, run: (pool) => removeUnresolved(pool, { daysKept, log }) },
  ];
}

/**
 * Runs each task at once, because a process may not live for an hour, and then at its interval. A failed task is logged
 * and runs again after a minute at least and ten at most. The returned function stops all tasks.
 */
export function startHousekeeping(housekeeping: Housekeeping): () => void {
  const stops = tasksFor(housekeeping).map((task) => repeat(task, housekeeping));
  return () => stops.forEach((stop) => stop());
}

function repeat({ name, everyMillis, run }: Task, { pool, log, metrics, tracing }: Housekeeping): () => void {
  const start = { name: `housekeeping ${name}`, kind: 'internal', parent: null } as const;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const turn = async (): Promise<void> => {
    let next = everyMillis;
    try {
      await traced(tracing, start, () => run(pool));
    } catch (error) {
      if (stopped) return;
      metrics.housekeepingFailed(name);
      log.warn({ err: error, task: name }, 'a housekeeping task failed');
      next = Math.min(Math.max(everyMillis, minute), 10 * minute);
    }
    if (!stopped) timer = setTimeout(() => void turn(), next).unref();
  };
  void turn();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

// The SQL that counts the jobs in the queue, and finds how long the oldest has been due, for the metrics.

/** Reads the whole queue. */
export async function countWaitingJobs(connection: SqlConnection): Promise<WaitingJobs[]> {
  const { rows } = await connection.query<Omit<WaitingJobs, 'kind'>>(`/* jobs: countWaitingJobs */
    SELECT task_identifier AS task,
      count(*) FILTER (WHERE attempts < max_attempts AND run_at <= now())::int AS due,
      count(*) FILTER (WHERE attempts < max_attempts AND run_at > now())::int AS scheduled,
      count(*) FILTER (WHERE attempts >= max_attempts)::int AS "givenUp",
      coalesce(extract(epoch FROM now() - min(run_at) FILTER (WHERE attempts < max_attempts AND run_at <= now())), 0)
        ::float8 AS "oldestDueSeconds"
    FROM graphile_worker.jobs GROUP BY task_identifier`);
  return rows.map((row) => ({ ...row, kind: kindOf(row.task) }));
}

/**
 * The age of the oldest job that is due and not running; 0 without any. The queue's index is sorted by priority, then by
 * time, so the statement reads the first job of each priority, however many wait. The view `jobs` lacks `is_available`.
 */
export async function findOldestDueSeconds(connection: SqlConnection): Promise<number> {
  const { rows } = await connection.query<{ seconds: number }>(`/* jobs: findOldestDueSeconds */
    WITH RECURSIVE earliest AS (
      (SELECT priority, run_at FROM graphile_worker._private_jobs WHERE is_available
        ORDER BY priority, run_at LIMIT 1)
      UNION ALL
      SELECT further.priority, further.run_at FROM earliest CROSS JOIN LATERAL (
        SELECT priority, run_at FROM graphile_worker._private_jobs j
        WHERE is_available AND j.priority > earliest.priority ORDER BY priority, run_at LIMIT 1) further
    )
    SELECT greatest(coalesce(extract(epoch FROM now() - min(run_at)), 0), 0)::float8 AS seconds FROM earliest`);
  return rows[0]!.seconds;
}
