// The fields Device.sessions and DeviceSession.events, for the dashboard.
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import type { DeviceSessionEventsArgs, DeviceSessionsArgs } from '../../../generated/graphql.ts';
import type { SeenDevice } from '../../devices/device.ts';
import {
  measured,
  prepared,
  raw,
  sql,
  type Sql,
  type SqlConnection,
  whileItFits,
} from '../../platform/database/sql.ts';
import { inputRules, readLimit, readOffset } from '../../platform/inputRules.ts';
import { RawJson } from '../../platform/json/jsonBytes.ts';
import {
  type ResponseBudget,
  type Batch,
  costOfLists,
  type Room,
  withinBudget,
} from '../../platform/responseBudget.ts';
import { unpackId } from '../upload.ts';

const newestSessions = 20;
/** More than one response may hold beside the session: a longer list is refused, never cut short in silence. */
const mostEvents = 20_000;

export const deviceSessions = {
  sessionsCount: ({ key }: SeenDevice, _args: unknown, { adminPool }: { adminPool: Pool }): Promise<number> =>
    countSessions(adminPool, key),
  /** Throws `validation_failed`. */
  sessions(
    { key }: SeenDevice,
    args: Partial<DeviceSessionsArgs>,
    { adminPool, budget }: { adminPool: Pool; budget: ResponseBudget },
  ): Promise<SessionRecord[]> {
    const rules = inputRules();
    const limit = readLimit(rules, args.limit, { byDefault: newestSessions });
    rules.assert();
    return withinBudget(budget, (room) => findSessions(adminPool, { key, limit: Math.min(limit, room.limit) }));
  },
};

export const deviceSessionFields = {
  /** Throws `validation_failed`. */
  events(
    session: SessionRecord,
    args: Partial<DeviceSessionEventsArgs>,
    { loaders }: { loaders: EventLoaders },
  ): Promise<EventRecord[]> {
    const rules = inputRules();
    const limit = readLimit(rules, args.limit, { byDefault: mostEvents, longest: mostEvents });
    const offset = readOffset(rules, args.offset);
    rules.assert();
    return loaders.eventsOfDevice(session.deviceKey, { limit, offset }).load(session);
  },
};

// Loads the events of all sessions of a device in one statement.

type EventsOfSession = Batch<SessionRecord, EventRecord[]>;

export interface EventLoaders {
  /** `page` applies to each session. An alias may ask for another device, or for another page of the same device. */
  eventsOfDevice(deviceKey: string, page: EventPage): EventsOfSession;
}

export function createEventLoaders(adminPool: Pool, budget: ResponseBudget): EventLoaders {
  const loaders = new Map<string, EventsOfSession>();
  const create = (deviceKey: string, page: EventPage): EventsOfSession => {
    const fetch = async (wanted: readonly SessionRecord[], room: Room) => {
      const sessions = new Map(wanted.map((session) => [session.ref, { ...session, events: [] as EventRecord[] }]));
      const found = await findEvents(adminPool, { deviceKey, sessions: [...sessions.values()], page, ...room });
      for (const event of found) sessions.get(event.sessionRef)?.events.push(event);
      return wanted.map(({ ref }) => sessions.get(ref)!.events);
    };
    const costOf = (lists: readonly EventRecord[][]) => costOfLists(lists, ({ bytes }) => bytes);
    return new DataLoader((wanted) => budget.read((room) => fetch(wanted, room), costOf), { cache: false });
  };
  return {
    eventsOfDevice(deviceKey, page) {
      const key = `${deviceKey} ${page.limit} ${page.offset}`;
      const loader = loaders.get(key) ?? create(deviceKey, page);
      loaders.set(key, loader);
      return loader;
    },
  };
}

// The SQL that reads a device's sessions and their events back, for the dashboard.

export async function countSessions(connection: SqlConnection, key: string): Promise<number> {
  const statement = prepared('count_sessions')`/* sessions: countSessions */
    SELECT count(*)::integer AS count FROM sessions WHERE device_key = ${key}`;
  const { rows } = await connection.query<{ count: number }>(statement);
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
  utcOffsetMinutes: number | null;
  finishedAt: Date | null;
  datesSuspect: boolean;
  /** A time of an event before it cannot be true. */
  earliest: string;
  receivedAt: Date;
  userId: string | null;
}

/** The session with the newest start comes first. */
export async function findSessions(
  connection: SqlConnection,
  { key, limit }: { key: string; limit: number },
): Promise<SessionRecord[]> {
  const statement = prepared('find_sessions')`/* sessions: findSessions */
    WITH kept AS MATERIALIZED (SELECT application_id, earliest FROM analytics.earliest_times)
    SELECT id, device_key AS "deviceKey", ref::text, (received_at AT TIME ZONE 'UTC')::date::text AS "anchoredOn",
      global_number::float8 AS "globalNumber", version_number::float8 AS "versionNumber",
      started_at AS "startedAt", utc_offset_minutes AS "utcOffsetMinutes", finished_at AS "finishedAt",
      coalesce(started_at < earliest OR started_at - received_at > interval '1 day' OR finished_at < earliest
        OR finished_at < started_at
        OR (finished_at - received_at > interval '1 day' AND finish_possible IS NOT TRUE), false) AS "datesSuspect",
      earliest::text, received_at AS "receivedAt", user_id AS "userId"
    FROM sessions JOIN kept USING (application_id) WHERE device_key = ${key} ORDER BY started_at DESC, id LIMIT ${limit}`;
  const { rows } = await connection.query<SessionRecord>(statement);
  return rows;
}

export interface EventRecord {
  sessionRef: string;
  id: string;
  name: string;
  type: 'CUSTOM' | 'SYSTEM';
  timestamp: Date;
  timestampSuspect: boolean;
  receivedAt: Date;
  params: RawJson;
  /** Of the columns that may be long. */
  bytes: number;
}

/** A page of the events of one session, in the order of arrival. */
export interface EventPage {
  limit: number;
  offset: number;
}

export interface EventSearch {
  /** One device, so that Citus asks one shard. */
  deviceKey: string;
  /** Their dates choose the partitions. */
  sessions: readonly Pick<SessionRecord, 'ref' | 'anchoredOn' | 'earliest'>[];
  /** The same page of each session. */
  page: EventPage;
  /** Events of all sessions together. */
  limit: number;
  /** Params beyond this are measured and not sent. */
  bytes: number;
}

/** In the order in which uploads arrived, and of their `events`. Events of earlier releases have no place. */
export async function findEvents(connection: SqlConnection, search: EventSearch): Promise<EventRecord[]> {
  const { deviceKey, sessions, page, limit } = search;
  const refs = sessions.map(({ ref }) => ref);
  const dates = sessions.map(({ anchoredOn }) => anchoredOn);
  const statement = prepared('find_events')`/* sessions: findEvents */
    SELECT page.session_ref::text AS "sessionRef", page.id, page.name, page.system,
      page.occurred_at < ${sessions[0]?.earliest}::timestamptz OR page.occurred_at - page.received_at > interval '1 day' AS "timestampSuspect",
      ${millis('page.occurred_at')} AS "occurredMillis", ${millis('page.received_at')} AS "receivedMillis", long.bytes,
      ${whileItFits('page.params::text', search.bytes)} AS params
    FROM (
      SELECT paged.* FROM unnest(${refs}::bigint[], ${dates}::date[]) AS session (ref, anchored_on)
      CROSS JOIN LATERAL (
        SELECT session_ref, id, name, system, occurred_at, received_at, params, place FROM events
        WHERE device_key = ${deviceKey} AND session_ref = session.ref AND anchored_on = session.anchored_on
        ORDER BY received_at, place, occurred_at, id LIMIT ${page.limit} OFFSET ${page.offset}) AS paged
      LIMIT ${limit}) AS page
    ${measured('page.params', 'page.name', 'page.id')}
    ORDER BY page.received_at, page.place, page.occurred_at, page.id`;
  const { rows } = await connection.query<EventRow>(statement);
  // Member by member: a copy of the rest of a row takes ten times as long.
  return rows.map(
    ({ sessionRef, id, name, system, occurredMillis, receivedMillis, timestampSuspect, params, bytes }) => ({
      sessionRef,
      id: unpackId(id),
      name,
      type: system ? 'SYSTEM' : 'CUSTOM',
      timestamp: new Date(occurredMillis),
      timestampSuspect,
      receivedAt: new Date(receivedMillis),
      params: new RawJson(params),
      bytes,
    }),
  );
}

interface EventRow extends Pick<EventRecord, 'sessionRef' | 'name' | 'timestampSuspect' | 'bytes'> {
  id: Buffer;
  system: boolean;
  /** Since 1970. */
  occurredMillis: number;
  receivedMillis: number;
  params: string;
}

/** The driver's reading of a timestamp took a third of the reading of an event. */
const millis = (column: string): Sql => sql`floor(extract(epoch FROM ${raw(column)}) * 1000)::float8`;
