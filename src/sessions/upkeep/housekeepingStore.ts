// The SQL that maintains the ingest tables: it creates partitions ahead of time, and deletes expired nonces.
import { sql } from '../../platform/database/sql.ts';
import type { SqlConnection } from '../../platform/database/sqlClient.ts';

const weeksAhead = 8;

/** Idempotent; returns how many weekly partitions were missing. */
export async function ensureEventPartitions(connection: SqlConnection): Promise<number> {
  const statement = sql`/* sessions: ensureEventPartitions */ SELECT ensure_event_partitions(${weeksAhead}) AS created`;
  const { rows } = await connection.query<{ created: number }>(statement);
  return rows[0]!.created;
}

/**
 * 15 minutes (openapi.yaml, "Signature of a session request"). An upload that is replayed later changes nothing. Each
 * statement deletes one minute's nonces, so that after a long pause none exceeds its time limit.
 */
export async function deleteExpiredNonces(connection: SqlConnection): Promise<number> {
  for (let total = 0; ;) {
    const { rows } = await connection.query<{ before: Date }>(
      `/* sessions: expiredNoncesBefore */
        SELECT least(now() - interval '15 minutes', min(received_at) + interval '1 minute') AS before FROM nonces`,
    );
    const { rowCount } = await connection.query(sql`/* sessions: deleteExpiredNonces */
      DELETE FROM nonces WHERE received_at < ${rows[0]!.before}`);
    if (!rowCount) return total;
    total += rowCount;
  }
}
