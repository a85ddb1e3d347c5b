// Adds jobs to the queue in the caller's transaction, so that a job exists exactly when its data is stored.
import { prepared } from '../database/sql.ts';
import type { SqlConnection } from '../database/sqlClient.ts';
import type { JobPayloads } from './jobPayloads.ts';

export interface NewJob<Task extends keyof JobPayloads> {
  payload: JobPayloads[Task];
  /** A job replaces an earlier one with the same key, unless the earlier one is running. At most 512 characters. */
  key: string;
  /** Default: now. */
  runAt?: Date;
}

/** Jobs with a smaller number run first. 0 is for work that a person waits for. */
export interface JobKind<Task extends keyof JobPayloads> {
  task: Task;
  priority?: number;
}

/**
 * The queue silently skips a job while a worker takes another job with the same key. That other job can no longer be
 * replaced, and its lock is not visible yet. So this function adds all jobs again after the lock is visible. The
 * skipped job is then added beside the other job, and the remaining jobs replace themselves. Outside a transaction one
 * of them may have begun, and runs twice.
 */
export async function addJobs<Task extends keyof JobPayloads>(
  connection: SqlConnection,
  { task, priority = 0 }: JobKind<Task>,
  jobs: NewJob<NoInfer<Task>>[],
): Promise<void> {
  if (jobs.length === 0) return;
  const payloads = jobs.map(({ payload }) => JSON.stringify(payload));
  const keys = jobs.map(({ key }) => key);
  const times = jobs.map(({ runAt }) => runAt ?? null);
  const { rowCount } = await connection.query(prepared('add_jobs')`/* platform: addJobs */
    SELECT FROM graphile_worker.add_jobs((
      SELECT array_agg(
        ROW(${task}::text, payload, NULL, run_at, NULL, key, ${priority}::int, NULL)::graphile_worker.job_spec)
      FROM unnest(${payloads}::json[], ${keys}::text[], ${times}::timestamptz[]) AS t (payload, key, run_at)))`);
  if (rowCount! < jobs.length) await addJobs(connection, { task, priority }, jobs);
}
