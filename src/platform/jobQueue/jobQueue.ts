// Adds jobs to the queue in the caller's transaction, so that a job exists exactly when its data is stored.
import { execute, type SqlClient } from '../database/sqlClient.ts';
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
 * The queue silently skips a job when a worker is just taking another job with the same key: that job can no longer be
 * replaced, and its lock is not visible yet. Then all jobs are added again once the lock is visible. The skipped job comes
 * beside the other, and the rest replace themselves. Outside a transaction one of the rest may have begun, and runs twice.
 */
export async function addJobs<Task extends keyof JobPayloads>(
  client: SqlClient,
  { task, priority = 0 }: JobKind<Task>,
  jobs: NewJob<NoInfer<Task>>[],
): Promise<void> {
  if (jobs.length === 0) return;
  const added = await execute(client, {
    name: 'add_jobs',
    text: `/* platform: addJobs */
      SELECT FROM graphile_worker.add_jobs((
        SELECT array_agg(ROW($1::text, payload, NULL, run_at, NULL, key, $2::int, NULL)::graphile_worker.job_spec)
        FROM unnest($3::json[], $4::text[], $5::timestamptz[]) AS t (payload, key, run_at)))`,
    values: [
      task,
      priority,
      jobs.map(({ payload }) => JSON.stringify(payload)),
      jobs.map(({ key }) => key),
      jobs.map(({ runAt }) => runAt ?? null),
    ],
  });
  if (added < jobs.length) await addJobs(client, { task, priority }, jobs);
}
