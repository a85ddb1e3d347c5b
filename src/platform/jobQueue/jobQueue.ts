// Puts jobs into the queue: in the caller's transaction, so that a job exists exactly when what it is about is stored.
import { prepared } from '../database/sql.ts';
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
