// The SQL of counted attempts: one row for each mutation with a network or an account, shared by all processes.
import type { Pool } from 'pg';
import { deleteInBatches } from '../platform/database/deleteInBatches.ts';
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
  pool: Pool,
  { key, now, windowEnd, most }: CountedAttempt,
): Promise<{ count: number; expiresAt: Date }> {
  const { rows } = await pool.query<{ count: number; expiresAt: Date }>({
    name: 'count_attempt',
    text: `/* accounts: countAttempt */
      INSERT INTO attempts AS a (key, count, expires_at) VALUES ($1, 1, $3)
      ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN a.expires_at <= $2 THEN 1 ELSE least(a.count + 1, $4) END,
        expires_at = CASE WHEN a.expires_at <= $2 THEN excluded.expires_at ELSE a.expires_at END
      RETURNING count, expires_at AS "expiresAt"`,
    values: [key, now, windowEnd, most],
  });
  return rows[0]!;
}

/** Without this, an attacker who tries random addresses leaves a row for each of them. */
export function deleteExpiredAttempts(pool: SqlConnection, batchSize = 10_000): Promise<number> {
  return deleteInBatches(
    pool,
    `/* accounts: deleteExpiredAttempts */
      DELETE FROM attempts WHERE key IN (
        SELECT key FROM attempts WHERE expires_at < now()
        ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    batchSize,
  );
}
