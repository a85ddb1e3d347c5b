// Parts of statements whose rows may be long: each is measured where it lies, and what an answer has no room for is not sent.

/** For `FROM`: gives each row `long.bytes`. OFFSET keeps the planner from measuring it again wherever that is mentioned. */
export function measured(...columns: string[]): string {
  return `CROSS JOIN LATERAL (SELECT octet_length(concat(${columns.join(', ')})) AS bytes OFFSET 0) AS long`;
}

/** The column, null from the row on with which all together are longer than the parameter `room` says. */
export function whileItFits(column: string, room: string): string {
  return `CASE WHEN sum(long.bytes) OVER (ROWS UNBOUNDED PRECEDING) <= ${room} THEN ${column} END`;
}
