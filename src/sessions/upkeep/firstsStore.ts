// The SQL that keeps first times of what retention is about to remove, for the reads of src/analytics.
import { sql } from '../../platform/database/sql.ts';
import type { SqlConnection } from '../../platform/database/sqlClient.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

/** The UTC date before which the next partition to be dropped ends; null where none is due. */
export async function partitionDue(connection: SqlConnection, daysKept: number): Promise<string | null> {
  const statement = sql`/* sessions: partitionDue */ SELECT event_partition_due(${daysKept})::text AS before`;
  const { rows } = await connection.query<{ before: string | null }>(statement);
  return rows[0]!.before;
}

/** Sessions in the order of their arrival, texts to the microsecond: after `from`, until `until`. */
export interface ArrivalSpan {
  from: string;
  until: string;
}

/** The next so many sessions that arrived before the date; null where there is none. */
export async function nextArrivals(
  connection: SqlConnection,
  { from, before, limit }: { from: string; before: string; limit: number },
): Promise<ArrivalSpan | null> {
  const { rows } = await connection.query<{ at: string }>(sql`/* sessions: nextArrivals */
    SELECT received_at::text AS at FROM sessions
    WHERE received_at > ${from}::timestamptz AND received_at < ${before}::timestamp AT TIME ZONE 'UTC'
    ORDER BY received_at LIMIT ${limit}`);
  return rows.length > 0 ? { from, until: rows.at(-1)!.at } : null;
}

/** Idempotent: an earlier time that is stored stays. A device without a user in its sessions is a unit of users, too. */
export async function keepFirsts(transaction: Transaction, { from, until }: ArrivalSpan): Promise<void> {
  await transaction.query(sql`/* sessions: keepFirsts */
    WITH kept AS MATERIALIZED (SELECT application_id, earliest FROM analytics.earliest_times),
    arrived AS MATERIALIZED (
      SELECT s.application_id, s.device_key, s.user_id, e.name, e.system,
        min(e.occurred_at) FILTER (WHERE e.occurred_at >= k.earliest) AS occurred, min(e.received_at) AS received,
        min(s.started_at) FILTER (WHERE s.started_at >= k.earliest) AS started, min(s.received_at) AS arrived
      FROM sessions s
      JOIN kept k ON k.application_id = s.application_id
      LEFT JOIN events e ON e.device_key = s.device_key AND e.session_ref = s.ref
        AND e.anchored_on = (s.received_at AT TIME ZONE 'UTC')::date
      WHERE s.received_at > ${from}::timestamptz AND s.received_at <= ${until}::timestamptz
      GROUP BY s.application_id, s.device_key, s.user_id, e.name, e.system)
    INSERT INTO analytics_firsts AS f (application_id, kind, unit, name, system, at)
    SELECT a.application_id, u.kind, u.unit, n.name, n.system,
      (extract(epoch FROM min(n.at)) * 1000000)::bigint
    FROM arrived a
    CROSS JOIN LATERAL (VALUES ('D', a.device_key::text),
      (CASE WHEN a.user_id IS NULL THEN 'A' ELSE 'U' END, coalesce(a.user_id, a.device_key::text))) AS u (kind, unit)
    CROSS JOIN LATERAL (VALUES (a.name, a.system, least(a.occurred, a.received)), ('', false, least(a.started, a.arrived)),
      ('', false, CASE WHEN NOT (a.system AND a.name = 'EventTriggered') THEN least(a.occurred, a.received) END)) AS n (name, system, at)
    WHERE n.at IS NOT NULL AND n.name IS NOT NULL
    GROUP BY a.application_id, u.kind, u.unit, n.name, n.system
    ORDER BY a.application_id, u.kind, u.unit, n.name, n.system
    ON CONFLICT (application_id, kind, unit, name, system) DO UPDATE SET at = least(f.at, excluded.at)
      WHERE excluded.at < f.at`);
}

/** One batch of those of a deleted application. */
export async function deleteFirsts(connection: SqlConnection, applicationId: string, limit: number): Promise<number> {
  const { rowCount } = await connection.query(sql`/* sessions: deleteFirsts */
    WITH batch AS MATERIALIZED (
      SELECT ctid AS place FROM analytics_firsts WHERE application_id = ${applicationId} LIMIT ${limit})
    DELETE FROM analytics_firsts USING batch WHERE analytics_firsts.ctid = batch.place`);
  return rowCount ?? 0;
}
