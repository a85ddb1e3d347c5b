// The SQL that reads a device's sessions and their events, for the dashboard.
import type { Pool } from 'pg';
import { measured, whileItFits } from '../../platform/database/measuredSql.ts';
import { RawJson } from '../../platform/json/rawJson.ts';
import { unpackId } from '../packedId.ts';

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
  /** The number by which events refer to their session, and the date that anchors their partition. */
  ref: string;
  anchoredOn: string;
  globalNumber: number;
  versionNumber: number;
  startedAt: Date;
  finishedAt: Date | null;
  receivedAt: Date;
}

/** The session with the newest start comes first. */
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
  /** Of the columns that may be long. */
  bytes: number;
}

/** A page of the events of one session, oldest first. */
export interface EventPage {
  limit: number;
  offset: number;
}

export interface EventSearch {
  /** One device, so that Citus asks one shard. */
  deviceKey: string;
  /** Their dates choose the partitions. */
  sessions: readonly Pick<SessionRecord, 'ref' | 'anchoredOn'>[];
  /** The same page of each session. */
  page: EventPage;
  /** Events of all sessions together. */
  limit: number;
  /** Params beyond this are measured and not sent. */
  bytes: number;
}

/** The oldest event comes first. */
export async function findEvents(pool: Pool, search: EventSearch): Promise<EventRecord[]> {
  const { deviceKey, sessions, page, limit, bytes } = search;
  const { rows } = await pool.query<
    Omit<EventRecord, 'id' | 'type' | 'params'> & { id: Buffer; system: boolean; params: string }
  >({
    name: 'find_events',
    text: `/* sessions: findEvents */
      SELECT page.session_ref::text AS "sessionRef", page.id, page.name, page.system, page.occurred_at AS timestamp,
        page.received_at AS "receivedAt", long.bytes,
        ${whileItFits('page.params::text', '$7')} AS params
      FROM (
        SELECT paged.* FROM unnest($2::bigint[], $3::date[]) AS session (ref, anchored_on)
        CROSS JOIN LATERAL (
          SELECT session_ref, id, name, system, occurred_at, received_at, params FROM events
          WHERE device_key = $1 AND session_ref = session.ref AND anchored_on = session.anchored_on
          ORDER BY occurred_at, id LIMIT $4 OFFSET $5) AS paged
        LIMIT $6) AS page
      ${measured('page.params', 'page.name', 'page.id')}
      ORDER BY page.occurred_at, page.id`,
    values: [
      deviceKey,
      sessions.map(({ ref }) => ref),
      sessions.map(({ anchoredOn }) => anchoredOn),
      page.limit,
      page.offset,
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
