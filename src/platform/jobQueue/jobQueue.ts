// Puts jobs into the queue: in the caller's transaction, so that a job exists exactly when what it is about is stored.
import type { SqlConnection } from '../database/sqlClient.ts';
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
 * The queue silently skips a job whose key belongs to another that a worker is just taking: the other can no longer be
 * replaced, and its lock is not yet seen. All are added again then, when the lock is seen: the one that was skipped comes
 * beside the other, and the rest replace themselves. Only outside a transaction may one of these have begun, and run twice.
 */
export async function addJobs<Task extends keyof JobPayloads>(
  connection: SqlConnection,
  { task, priority = 0 }: JobKind<Task>,
  jobs: NewJob<NoInfer<Task>>[],
): Promise<void> {
  if (jobs.length === 0) return;
  const { rowCount } = await connection.query({
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
  if (rowCount! < jobs.length) await addJobs(connection, { task, priority }, jobs);
}
