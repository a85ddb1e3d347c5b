// Adds jobs to the queue in the caller's transaction, so that a job exists exactly when its data is stored.
import { prepared, sql } from '../database/sql.ts';
import type { SqlConnection } from '../database/sqlClient.ts';
import { jobFlags, kindOf, takesRounds, type JobKind, type JobOwner } from './jobKinds.ts';
import type { JobPayloads } from './jobPayloads.ts';

export interface NewJob<Task extends keyof JobPayloads> extends JobOwner {
  payload: JobPayloads[Task];
  /** A job replaces an earlier one with the same key, unless the earlier one is running. At most 512 characters. */
  key: string;
  /** Default: now. */
  runAt?: Date;
}

/** Of one kind, jobs with a smaller number run first. */
export interface JobTask<Task extends keyof JobPayloads> {
  task: Task;
  /** A multiple of 100. */
  priority?: number;
}

/** The rounds of one owner. All of its further jobs share the last one. */
const mostRounds = 99;

/**
 * The queue silently skips a job while a worker takes another job with the same key. That other job can no longer be
 * replaced, and its lock is not visible yet. So this function adds all jobs again after the lock is visible. The
 * skipped job is then added beside the other job, and the remaining jobs replace themselves. Outside a transaction one
 * of them may have begun, and runs twice.
 */
export async function addJobs<Task extends keyof JobPayloads>(
  connection: SqlConnection,
  { task, priority = 0 }: JobTask<Task>,
  jobs: NewJob<NoInfer<Task>>[],
): Promise<void> {
  if (jobs.length === 0) return;
  const kind = kindOf(task);
  const rounds = takesRounds(kind) ? await roundsOf(connection, kind, jobs) : jobs.map(() => 0);
  const priorities = rounds.map((round) => priority + round);
  const { rowCount } = await connection.query(prepared('add_jobs')`/* platform: addJobs */
    SELECT FROM graphile_worker.add_jobs(ARRAY(SELECT job FROM ${newJobs(task, jobs, priorities)}))`);
  if (rowCount! < jobs.length) await addJobs(connection, { task, priority }, jobs);
}

/**
 * For work that is stored already: adds the jobs that are not due anyway. A job that is due, and not running, will see that
 * work, and so will one that a worker takes at this moment. So a flood of requests for one job does not keep its row locked.
 */
export async function wakeJobs<Task extends keyof JobPayloads>(
  connection: SqlConnection,
  task: Task,
  jobs: NewJob<NoInfer<Task>>[],
): Promise<void> {
  if (jobs.length === 0) return;
  const priorities = jobs.map(() => 0);
  await connection.query(prepared('wake_jobs')`/* platform: wakeJobs */
    SELECT FROM graphile_worker.add_jobs(ARRAY(SELECT job FROM ${newJobs(task, jobs, priorities)}
      WHERE NOT EXISTS (SELECT FROM graphile_worker._private_jobs j
        WHERE j.key = new_key AND j.is_available AND j.run_at <= now())))`);
}

function newJobs(
  task: string,
  jobs: (JobOwner & { payload: object; key: string; runAt?: Date })[],
  priorities: number[],
) {
  const kind = kindOf(task);
  const payloads = jobs.map(({ payload }) => JSON.stringify(payload));
  const keys = jobs.map(({ key }) => key);
  const times = jobs.map(({ runAt }) => runAt ?? null);
  const flags = jobs.map((job) => JSON.stringify(jobFlags(kind, job)));
  return sql`(
    SELECT key AS new_key, ROW(${task}::text, payload, NULL, run_at, NULL, key, priority,
      ARRAY(SELECT json_array_elements_text(flags)))::graphile_worker.job_spec AS job
    FROM unnest(${payloads}::json[], ${keys}::text[], ${times}::timestamptz[], ${priorities}::int[], ${flags}::json[])
      AS t (payload, key, run_at, priority, flags)) new_jobs`;
}

/** How many jobs of the same owner wait before each of these. It reads the whole queue, which holds few jobs of an owner. */
async function roundsOf(
  connection: SqlConnection,
  kind: JobKind,
  jobs: (JobOwner & { key: string })[],
): Promise<number[]> {
  const owners = jobs.map((job) => jobFlags(kind, job).at(-1)!);
  const keys = jobs.map(({ key }) => key);
  const { rows } = await connection.query<{ owner: string; count: number }>(
    prepared('count_jobs_of_owners')`/* platform: roundsOf */
    SELECT flag AS owner, count(*)::int AS count
    FROM graphile_worker._private_jobs j CROSS JOIN LATERAL jsonb_object_keys(j.flags) flag
    WHERE j.is_available AND j.flags ?| ${owners}::text[] AND flag = ANY(${owners}::text[])
      AND (j.key IS NULL OR j.key <> ALL(${keys}::text[]))
    GROUP BY flag`,
  );
  const waiting = new Map(rows.map(({ owner, count }) => [owner, count]));
  return owners.map((owner) => {
    const before = waiting.get(owner) ?? 0;
    waiting.set(owner, before + 1);
    return Math.min(before, mostRounds);
  });
}
