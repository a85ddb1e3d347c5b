// The SQL of retention: it drops partitions whole, deletes their sessions in batches, and says how far back events are kept.
import type { Pool } from 'pg';
import type { SessionRow } from '../upload.ts';

/** Resolves to the name of the dropped partition; null when none is old enough, or another process is dropping one. */
export async function dropOldestPartition(pool: Pool, daysKept: number): Promise<string | null> {
  const { rows } = await pool.query<{ dropped: string | null }>(
    '/* sessions: dropOldestPartition */ SELECT drop_oldest_event_partition($1) AS dropped',
    [daysKept],
  );
  return rows[0]!.dropped;
}

/** The beginning of the oldest partition; null without any partition. */
export async function eventsKeptFrom(pool: Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ from: Date | null }>(
    `/* sessions: eventsKeptFrom */ SELECT events_kept_from()::timestamp AT TIME ZONE 'UTC' AS "from"`,
  );
  return rows[0]!.from;
}

/** Sessions of these devices that began until this time, a text to the microsecond. */
export interface OldSessions {
  deviceKeys: string[];
  until: string;
}

/** The oldest sessions that began before this time, about `limit` of them; null where there is none. */
export async function findSessionsBefore(pool: Pool, before: Date, limit: number): Promise<OldSessions | null> {
  const { rows } = await pool.query<{ device_key: string; began: string }>(
    `/* sessions: findSessionsBefore */
      SELECT device_key, received_at::text AS began FROM sessions
      WHERE received_at < $1 ORDER BY received_at LIMIT $2`,
    [before, limit],
  );
  const deviceKeys = [...new Set(rows.map(({ device_key }) => device_key))];
  return rows.length > 0 ? { deviceKeys, until: rows.at(-1)!.began } : null;
}

/** Resolves to the number of deleted sessions. It waits for an upload that holds one of them. */
export async function deleteOldSessions(pool: Pool, { deviceKeys, until }: OldSessions): Promise<number> {
  const { rowCount } = await pool.query(
    `/* sessions: deleteOldSessions */
      DELETE FROM sessions WHERE device_key = ANY($1::uuid[]) AND received_at <= $2`,
    [deviceKeys, until],
  );
  return rowCount ?? 0;
}

/** Deletes the given sessions that began before, and resolves to their number. A session of another device with an equal id is as old. */
export async function deleteSessionsBefore(
  pool: Pool,
  before: Date,
  sessions: Pick<SessionRow, 'deviceKey' | 'id'>[],
): Promise<number> {
  const { rowCount } = await pool.query(
    `/* sessions: deleteSessionsBefore */
      DELETE FROM sessions WHERE device_key = ANY($1::uuid[]) AND id = ANY($2::text[]) AND received_at < $3`,
    [sessions.map(({ deviceKey }) => deviceKey), sessions.map(({ id }) => id), before],
  );
  return rowCount ?? 0;
}
