// The SQL that lets old events go: partitions dropped whole, their sessions deleted in batches, and how far back events are kept.
import type { Pool } from 'pg';

/** The name of the partition dropped; null when none is old enough, or another process is dropping. */
export async function dropOldestPartition(pool: Pool, daysKept: number): Promise<string | null> {
  const { rows } = await pool.query<{ dropped: string | null }>(
    '/* sessions: dropOldestPartition */ SELECT drop_oldest_event_partition($1) AS dropped',
    [daysKept],
  );
  return rows[0]!.dropped;
}

/** When the oldest events that are kept begin; null without any partition. */
export async function eventsKeptFrom(pool: Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ from: Date | null }>(
    `/* sessions: eventsKeptFrom */ SELECT events_kept_from()::timestamp AT TIME ZONE 'UTC' AS "from"`,
  );
  return rows[0]!.from;
}

/** So many devices, at most, of the oldest sessions that began before; a device may be in it more than once. */
export async function findDevicesWithSessionsBefore(pool: Pool, before: Date, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ device_key: string }>(
    `/* sessions: findDevicesWithSessionsBefore */
      SELECT device_key FROM sessions WHERE received_at < $1 ORDER BY received_at LIMIT $2`,
    [before, limit],
  );
  return rows.map(({ device_key }) => device_key);
}

/** Of those devices; answers how many. An upload that holds one is waited for. */
export async function deleteSessionsBefore(pool: Pool, before: Date, deviceKeys: string[]): Promise<number> {
  const { rowCount } = await pool.query(
    `/* sessions: deleteSessionsBefore */
      DELETE FROM sessions WHERE device_key = ANY($1::uuid[]) AND received_at < $2`,
    [[...new Set(deviceKeys)], before],
  );
  return rowCount ?? 0;
}
