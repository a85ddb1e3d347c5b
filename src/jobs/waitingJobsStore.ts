// The SQL that counts the jobs in the queue, and finds how long the oldest has been due, for the metrics.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import { kindOf } from '../platform/jobQueue/jobKinds.ts';
import type { WaitingJobs } from '../platform/observability/jobMetrics.ts';

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
