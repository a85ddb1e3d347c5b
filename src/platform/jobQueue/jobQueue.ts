// Puts jobs into the queue: in the caller's transaction, so that a job exists exactly when what it is about is stored.
import { execute, type SqlClient } from '../database/sqlClient.ts';
import type { JobPayloads } from './jobPayloads.ts';

export interface NewJob<Task extends keyof JobPayloads> {
  payload: JobPayloads[Task];
  /** Of two jobs with one key only the later exists, unless the earlier is already running. At most 512 characters. */
  key: string;
  /** Default: at once. */
  runAt?: Date;
}

/** Tasks with a smaller number run first; 0 is for what somebody waits for. */
export interface JobKind<Task extends keyof JobPayloads> {
  task: Task;
  priority?: number;
}

/**
 * The queue silently skips a job whose key belongs to one that a worker is just taking: that one is no longer free to be
 * replaced, and its lock is not yet seen. Asked again, once it is seen, the queue adds the job beside it; what it has
 * added before is replaced by itself, or comes twice where it was begun meanwhile.
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
