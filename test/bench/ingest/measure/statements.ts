// Reads from pg_stat_statements which statements took PostgreSQL's time.
import { withClient } from '../targets/benchDatabase.ts';

/** The ten statements of a database that took the most time, one per line. */
export function slowestStatements(serverUrl: string, databaseName: string): Promise<string[]> {
  return withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ query: string; calls: number; total: number; mean: number; rows: number }>(
      `SELECT regexp_replace(query, '\\s+', ' ', 'g') AS query, calls::float8, total_exec_time AS total,
        mean_exec_time AS mean, rows::float8
      FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
      WHERE d.datname = $1 ORDER BY total_exec_time DESC LIMIT 10`,
      [databaseName],
    );
    return rows.map(
      ({ query, calls, total, mean, rows: count }) =>
        `${total.toFixed(0).padStart(8)} ms ${String(calls).padStart(7)} × ${mean.toFixed(3)} ms ${String(count).padStart(8)} rows  ${query.slice(0, 90)}`,
    );
  });
}
