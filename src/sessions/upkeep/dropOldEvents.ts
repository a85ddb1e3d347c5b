// EVENT_RETENTION_DAYS: drops the events of older sessions week by week, then deletes those sessions.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { sql, type Sql, type SqlConnection } from '../../platform/database/sql.ts';
import { inRemovalTransaction, inTransaction, type Transaction } from '../../platform/database/transaction.ts';
import type { Log } from '../../platform/observability/log.ts';
import type { SessionRow } from '../upload.ts';
import { logRemoval, type StoredKey } from '../writer/uploadsStore.ts';

/** One batch takes a few tens of milliseconds. The pause leaves the disk to uploads. */
const batch = { sessions: 5_000, pauseMillis: 20, most: 1_000 };

/** One batch of 30,000 events takes about 0.2 s. */
const firstsOf = { sessions: 1_000 };

/** Any number of processes may run it. Rejects when the table is too busy to drop from it; the next run continues. */
export async function dropOldEvents(pool: Pool, daysKept: number, log: Log): Promise<void> {
  let from = '-infinity';
  for (;;) {
    const before = await partitionDue(pool, daysKept);
    if (before === null) break;
    from = await keepFirstsBefore(pool, { from, before });
    const name = await dropOldestPartition(pool, daysKept);
    // Another process is dropping it.
    if (name === null) break;
    log.info({ partition: name }, 'old events were dropped');
  }
  const sessions = await deleteSessionsOfDropped(pool);
  if (sessions > 0) log.info({ sessions }, 'sessions of old events were deleted');
}

/** Before the DROP, in batches: one statement over a week of events would take minutes. Resolves to the last arrival. */
async function keepFirstsBefore(pool: Pool, { from, before }: { from: string; before: string }): Promise<string> {
  for (let last = from; ;) {
    const span = await nextArrivals(pool, { from: last, before, limit: firstsOf.sessions });
    if (!span) return last;
    await inRemovalTransaction(pool, (transaction) => keepFirsts(transaction, span));
    last = span.until;
    await pause(batch.pauseMillis);
  }
}

async function deleteSessionsOfDropped(pool: Pool): Promise<number> {
  const keptFrom = await eventsKeptFrom(pool);
  let deleted = 0;
  for (let round = 0; keptFrom && round < batch.most; round++) {
    const oldest = await findSessionsBefore(pool, keptFrom, batch.sessions);
    if (!oldest) break;
    deleted += await deleteOldSessions(pool, oldest);
    await pause(batch.pauseMillis);
  }
  return deleted;
}

// The SQL that removes old events: it drops whole partitions, deletes their sessions, and finds the oldest kept events.

/** The name of the partition dropped; null when none is old enough, or another process is dropping. */
export async function dropOldestPartition(connection: SqlConnection, daysKept: number): Promise<string | null> {
  const statement = sql`/* sessions: dropOldestPartition */ SELECT drop_oldest_event_partition(${daysKept}) AS dropped`;
  const { rows } = await connection.query<{ dropped: string | null }>(statement);
  return rows[0]!.dropped;
}

/** When the oldest events that are kept begin; null without any partition. */
export async function eventsKeptFrom(connection: SqlConnection): Promise<Date | null> {
  const { rows } = await connection.query<{ from: Date | null }>(
    `/* sessions: eventsKeptFrom */ SELECT events_kept_from()::timestamp AT TIME ZONE 'UTC' AS "from"`,
  );
  return rows[0]!.from;
}

/** Sessions of these devices that began until this time, a text to the microsecond. */
export interface OldSessions {
  deviceKeys: string[];
  until: string;
}

/** The oldest that began before, about so many; null where there is none. */
export async function findSessionsBefore(
  connection: SqlConnection,
  before: Date,
  limit: number,
): Promise<OldSessions | null> {
  const statement = sql`/* sessions: findSessionsBefore */
    SELECT device_key, received_at::text AS began FROM sessions
    WHERE received_at < ${before} ORDER BY received_at LIMIT ${limit}`;
  const { rows } = await connection.query<{ device_key: string; began: string }>(statement);
  const deviceKeys = [...new Set(rows.map(({ device_key }) => device_key))];
  return rows.length > 0 ? { deviceKeys, until: rows.at(-1)!.began } : null;
}

/** Returns the number of deleted sessions. It waits for an upload that holds one of them. */
export function deleteOldSessions(pool: Pool, { deviceKeys, until }: OldSessions): Promise<number> {
  return deleteLogged(
    pool,
    sql`/* sessions: deleteOldSessions */
    DELETE FROM sessions WHERE device_key = ANY(${deviceKeys}::uuid[]) AND received_at <= ${until}
    RETURNING device_key, ref`,
  );
}

/** Deletes the given sessions that began before, and resolves to their number. A session of another device with an equal id is as old. */
export function deleteSessionsBefore(
  pool: Pool,
  before: Date,
  sessions: Pick<SessionRow, 'deviceKey' | 'id'>[],
): Promise<number> {
  const deviceKeys = sessions.map(({ deviceKey }) => deviceKey);
  const ids = sessions.map(({ id }) => id);
  return deleteLogged(
    pool,
    sql`/* sessions: deleteSessionsBefore */
    DELETE FROM sessions
    WHERE device_key = ANY(${deviceKeys}::uuid[]) AND id = ANY(${ids}::text[]) AND received_at < ${before}
    RETURNING device_key, ref`,
  );
}

function deleteLogged(pool: Pool, deletion: Sql): Promise<number> {
  return inTransaction(pool, async (transaction) => {
    const { rows } = await transaction.query<StoredKey>(deletion);
    await logRemoval(transaction, rows);
    return rows.length;
  });
}

// The SQL that keeps first times of what retention is about to remove, for the reads of src/analytics.

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

// The SQL that maintains the ingest tables: it creates partitions ahead of time, and deletes expired nonces.

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
