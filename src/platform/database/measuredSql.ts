// SQL for long rows: PostgreSQL measures each row, and does not send the rows that exceed the response's budget.

/** For `FROM`: gives each row `long.bytes`. OFFSET keeps the planner from measuring again at each use. */
export function measured(...columns: string[]): string {
  return `CROSS JOIN LATERAL (SELECT octet_length(concat(${columns.join(', ')})) AS bytes OFFSET 0) AS long`;
}

/** The column; null from the row on at which the sum of bytes exceeds the parameter `room`. */
export function whileItFits(column: string, room: string): string {
  return `CASE WHEN sum(long.bytes) OVER (ROWS UNBOUNDED PRECEDING) <= ${room} THEN ${column} END`;
}
