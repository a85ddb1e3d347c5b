// Parts of statements that read long rows: the database measures the rows, and sends only those within the response's room.
import { raw, sql, type Sql } from './sql.ts';

/** For `FROM`: gives each row `long.bytes`. OFFSET keeps the planner from measuring again wherever the column is named. */
export function measured(...columns: string[]): Sql {
  const all = raw(columns.join(', '));
  return sql`CROSS JOIN LATERAL (SELECT octet_length(concat(${all})) AS bytes OFFSET 0) AS long`;
}

/** The column. Null from the row on with which all rows together are longer than `bytes`. */
export function whileItFits(column: string, bytes: number): Sql {
  return sql`CASE WHEN sum(long.bytes) OVER (ROWS UNBOUNDED PRECEDING) <= ${bytes} THEN ${raw(column)} END`;
}
