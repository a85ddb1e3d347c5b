// Reads of one device: what its uploads of any kind left, its sessions and their events.
import type { Pool } from 'pg';
import { unpackId } from '../sessions/packedId.ts';

export interface DeviceRecord {
  userId: string | null;
  /** Null while no session upload has arrived. */
  properties: unknown;
  userProperties: unknown;
  firstSeenAt: Date;
  lastSeenAt: Date;
}

/** Null when nothing has arrived; attribution or a transaction alone make a device known. */
export async function findDevice(pool: Pool, key: string): Promise<DeviceRecord | null> {
  const { rows } = await pool.query<DeviceRecord>({
    name: 'find_device',
    text: `/* devices: findDevice */
      SELECT d.user_id AS "userId", d.properties, coalesce(d.user_properties, '{}') AS "userProperties",
        least(d.first_seen_at, a.first, t.first) AS "firstSeenAt", greatest(d.last_seen_at, a.last, t.last) AS "lastSeenAt"
      FROM (SELECT min(received_at) AS first, max(received_at) AS last FROM attribution_reports WHERE device_key = $1) a
      CROSS JOIN (SELECT min(received_at) AS first, max(received_at) AS last
        FROM store_transaction_devices WHERE device_key = $1) t
      LEFT JOIN devices d ON d.key = $1
      WHERE d.key IS NOT NULL OR a.first IS NOT NULL OR t.first IS NOT NULL`,
    values: [key],
  });
  return rows[0] ?? null;
}

export async function countSessions(pool: Pool, key: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({
    name: 'count_sessions',
    text: '/* devices: countSessions */ SELECT count(*)::integer AS count FROM sessions WHERE device_key = $1',
    values: [key],
  });
  return rows[0]!.count;
}

export interface SessionRecord {
  id: string;
  /** What the session's events refer to, and the date that anchors their partition. */
  ref: string;
  anchoredOn: string;
  globalNumber: number;
  versionNumber: number;
  startedAt: Date;
  finishedAt: Date | null;
  receivedAt: Date;
}

/** Newest start first. */
export async function findSessions(
  pool: Pool,
  { key, limit }: { key: string; limit: number },
): Promise<SessionRecord[]> {
  const { rows } = await pool.query<SessionRecord>({
    name: 'find_sessions',
    text: `/* devices: findSessions */
      SELECT id, ref::text, (received_at AT TIME ZONE 'UTC')::date::text AS "anchoredOn",
        global_number::float8 AS "globalNumber", version_number::float8 AS "versionNumber",
        started_at AS "startedAt", finished_at AS "finishedAt", received_at AS "receivedAt"
      FROM sessions WHERE device_key = $1 ORDER BY started_at DESC, id LIMIT $2`,
    values: [key, limit],
  });
  return rows;
}

export interface EventRecord {
  sessionRef: string;
  id: string;
  name: string;
  type: 'CUSTOM' | 'SYSTEM';
  timestamp: Date;
  receivedAt: Date;
  params: unknown;
}

/** Oldest first. The dates say which partitions are looked into. */
export async function findEvents(
  pool: Pool,
  sessions: Pick<SessionRecord, 'ref' | 'anchoredOn'>[],
): Promise<EventRecord[]> {
  const { rows } = await pool.query<Omit<EventRecord, 'id' | 'type'> & { id: Buffer; system: boolean }>({
    name: 'find_events',
    text: `/* devices: findEvents */
      SELECT session_ref::text AS "sessionRef", id, name, system, occurred_at AS timestamp,
        received_at AS "receivedAt", params
      FROM events WHERE session_ref = ANY($1::bigint[]) AND anchored_on = ANY($2::date[])
      ORDER BY occurred_at, id`,
    values: [sessions.map(({ ref }) => ref), [...new Set(sessions.map(({ anchoredOn }) => anchoredOn))]],
  });
  return rows.map(({ id, system, ...event }) => ({ ...event, id: unpackId(id), type: system ? 'SYSTEM' : 'CUSTOM' }));
}
