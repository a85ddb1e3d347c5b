// The SQL that counts the jobs in the queue, for the metrics.
import type { Pool } from 'pg';
import type { WaitingJobs } from '../platform/jobMetrics.ts';

export async function countWaitingJobs(pool: Pool): Promise<WaitingJobs[]> {
  const { rows } = await pool.query<WaitingJobs>(`/* jobs: countWaitingJobs */
    SELECT task_identifier AS task,
      count(*) FILTER (WHERE attempts < max_attempts AND run_at <= now())::int AS due,
      count(*) FILTER (WHERE attempts < max_attempts AND run_at > now())::int AS scheduled,
      count(*) FILTER (WHERE attempts >= max_attempts)::int AS "givenUp",
      coalesce(extract(epoch FROM now() - min(run_at) FILTER (WHERE attempts < max_attempts AND run_at <= now())), 0)
        ::float8 AS "oldestDueSeconds"
    FROM graphile_worker.jobs GROUP BY task_identifier`);
  return rows;
}
