// The SQL of counted attempts: one row for each mutation with a network or an account, shared by all processes.
import { deleteInBatches } from '../platform/database/deleteInBatches.ts';
import { prepared, sql } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';

export interface CountedAttempt {
  key: Buffer;
  now: Date;
  /** The end of a window that begins now. */
  windowEnd: Date;
  /** The count stops at this number, so that refused attempts change nothing. */
  most: number;
}

/** Counts one attempt. Returns the number of attempts in the current window, and the end of the window. */
export async function countAttempt(
  connection: SqlConnection,
  { key, now, windowEnd, most }: CountedAttempt,
): Promise<{ count: number; expiresAt: Date }> {
  const statement = prepared('count_attempt')`/* accounts: countAttempt */
    INSERT INTO attempts AS a (key, count, expires_at) VALUES (${key}, 1, ${windowEnd})
    ON CONFLICT (key) DO UPDATE SET
      count = CASE WHEN a.expires_at <= ${now} THEN 1 ELSE least(a.count + 1, ${most}) END,
      expires_at = CASE WHEN a.expires_at <= ${now} THEN excluded.expires_at ELSE a.expires_at END
    RETURNING count, expires_at AS "expiresAt"`;
  const { rows } = await connection.query<{ count: number; expiresAt: Date }>(statement);
  return rows[0]!;
}

/** Without this, an attacker who tries random addresses leaves a row for each of them. */
export function deleteExpiredAttempts(connection: SqlConnection, batchSize = 10_000): Promise<number> {
  return deleteInBatches(
    connection,
    (size) => sql`/* accounts: deleteExpiredAttempts */
      DELETE FROM attempts WHERE key IN (
        SELECT key FROM attempts WHERE expires_at < now()
        ORDER BY expires_at LIMIT ${size} FOR UPDATE SKIP LOCKED)`,
    batchSize,
  );
}
