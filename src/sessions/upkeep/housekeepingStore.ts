// The SQL that keeps ingest tables in shape: partitions ahead of time, nonces no longer than needed.
import type { Pool } from 'pg';
import { sql } from '../../platform/database/sql.ts';

const weeksAhead = 8;

/** Idempotent; answers how many weekly partitions were missing. */
export async function ensureEventPartitions(pool: Pool): Promise<number> {
  const statement = sql`/* sessions: ensureEventPartitions */ SELECT ensure_event_partitions(${weeksAhead}) AS created`;
  const { rows } = await pool.query<{ created: number }>(statement);
  return rows[0]!.created;
}

/**
 * A timestamp is accepted 5 minutes to either side, so after 15 minutes no upload with this nonce can come in. A minute's
 * worth at a time, so that after a long pause no single statement has more to do than its time limit allows.
 */
export async function deleteExpiredNonces(pool: Pool): Promise<number> {
  for (let total = 0; ;) {
    const { rows } = await pool.query<{ before: Date }>(
      `/* sessions: expiredNoncesBefore */
        SELECT least(now() - interval '15 minutes', min(received_at) + interval '1 minute') AS before FROM nonces`,
    );
    const { rowCount } = await pool.query(sql`/* sessions: deleteExpiredNonces */
      DELETE FROM nonces WHERE received_at < ${rows[0]!.before}`);
    if (!rowCount) return total;
    total += rowCount;
  }
}
