// The SQL that reads a device's sessions and their events back, for the dashboard.
import type { Pool } from 'pg';
import { measured, whileItFits } from '../platform/database/measuredSql.ts';
import { RawJson } from '../platform/rawJson.ts';
import { unpackId } from './packedId.ts';

export async function countSessions(pool: Pool, key: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({
    name: 'count_sessions',
    text: '/* sessions: countSessions */ SELECT count(*)::integer AS count FROM sessions WHERE device_key = $1',
    values: [key],
  });
  return rows[0]!.count;
}

export interface SessionRecord {
  id: string;
  deviceKey: string;
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
    text: `/* sessions: findSessions */
      SELECT id, device_key AS "deviceKey", ref::text, (received_at AT TIME ZONE 'UTC')::date::text AS "anchoredOn",
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
  params: RawJson;
  /** Of what may be long of it. */
  bytes: number;
}

export interface EventSearch {
  /** The dates say which partitions are looked into, and the devices in which shards. */
  sessions: readonly Pick<SessionRecord, 'ref' | 'anchoredOn' | 'deviceKey'>[];
  limit: number;
  /** Params beyond these are measured, and not sent. */
  bytes: number;
}

/** Oldest first, at most `limit` of them. */
export async function findEvents(pool: Pool, { sessions, limit, bytes }: EventSearch): Promise<EventRecord[]> {
  const { rows } = await pool.query<
    Omit<EventRecord, 'id' | 'type' | 'params'> & { id: Buffer; system: boolean; params: string }
  >({
    name: 'find_events',
    text: `/* sessions: findEvents */
      SELECT page.session_ref::text AS "sessionRef", page.id, page.name, page.system, page.occurred_at AS timestamp,
        page.received_at AS "receivedAt", long.bytes,
        ${whileItFits('page.params::text', '$5')} AS params
      FROM (
        SELECT session_ref, id, name, system, occurred_at, received_at, params FROM events
        WHERE session_ref = ANY($1::bigint[]) AND anchored_on = ANY($2::date[]) AND device_key = ANY($3::uuid[])
        ORDER BY occurred_at, id LIMIT $4) AS page
      ${measured('page.params', 'page.name', 'page.id')}
      ORDER BY page.occurred_at, page.id`,
    values: [
      sessions.map(({ ref }) => ref),
      [...new Set(sessions.map(({ anchoredOn }) => anchoredOn))],
      [...new Set(sessions.map(({ deviceKey }) => deviceKey))],
      limit,
      bytes,
    ],
  });
  return rows.map(({ id, system, params, ...event }) => ({
    ...event,
    id: unpackId(id),
    type: system ? 'SYSTEM' : 'CUSTOM',
    params: new RawJson(params),
  }));
}
