// The SQL of housekeeping: it makes partitions ahead of time, and deletes nonces that are no longer needed.
import type { Pool } from 'pg';

const weeksAhead = 8;

/** Idempotent. Resolves to the number of weekly partitions that were missing. */
export async function ensureEventPartitions(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ created: number }>(
    '/* sessions: ensureEventPartitions */ SELECT ensure_event_partitions($1) AS created',
    [weeksAhead],
  );
  return rows[0]!.created;
}

/**
 * The service accepts a timestamp 5 minutes from its clock, so no upload with a nonce of 15 minutes ago can come in. Each
 * statement deletes one minute's nonces, so that after a long pause none exceeds its time limit.
 */
export async function deleteExpiredNonces(pool: Pool): Promise<number> {
  for (let total = 0; ;) {
    const { rows } = await pool.query<{ before: Date }>(
      `/* sessions: expiredNoncesBefore */
        SELECT least(now() - interval '15 minutes', min(received_at) + interval '1 minute') AS before FROM nonces`,
    );
    const { rowCount } = await pool.query(
      '/* sessions: deleteExpiredNonces */ DELETE FROM nonces WHERE received_at < $1',
      [rows[0]!.before],
    );
    if (!rowCount) return total;
    total += rowCount;
  }
}
