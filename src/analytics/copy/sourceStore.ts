// The SQL that reads from PostgreSQL what the copy holds: all of a span of time, or what some sessions have now.
import type { QueryConfig } from 'pg';
import { sql } from '../../platform/database/sql.ts';
import { json, lineOf, micros, text, type LineColumns } from './csvLines.ts';

export const deviceColumns = {
  key: ['UUID', 'd.key'],
  application_id: ['UUID', 'd.application_id'],
  id: text('d.id'),
  user_id: text('d.user_id'),
  properties: json('d.properties'),
  user_properties: json('d.user_properties'),
  first_seen_at: micros('d.first_seen_at'),
  last_seen_at: micros('d.last_seen_at'),
} satisfies LineColumns;

export const sessionColumns = {
  session: ['BIGINT', 's.ref'],
  key: ['UUID', 's.device_key'],
  application_id: ['UUID', 's.application_id'],
  id: text('s.id'),
  unit_user: text('s.user_id'),
  arrived_at: micros('s.received_at'),
  started_at: micros('s.started_at'),
  finished_at: micros('s.finished_at'),
} satisfies LineColumns;

export const eventColumns = {
  session: ['BIGINT', 'e.session_ref'],
  occurred_at: micros('e.occurred_at'),
  arrived_at: micros('e.received_at'),
  place: ['INTEGER', 'coalesce(e.place, 0)'],
  name: text('e.name'),
  system: ['BOOLEAN', 'e.system'],
  params: json('e.params'),
} satisfies LineColumns;

export const firstColumns = {
  application_id: ['UUID', 'f.application_id'],
  unit: text("CASE f.kind WHEN 'D' THEN 'DEVICE' ELSE 'USER' END"),
  user_id: text("CASE WHEN f.kind = 'U' THEN f.unit END"),
  key: ['UUID', "CASE WHEN f.kind <> 'U' THEN f.unit END"],
  name: text('f.name'),
  system: ['BOOLEAN', 'f.system'],
  at: ['BIGINT', 'f.at'],
} satisfies LineColumns;

/** Weeks or days as texts of dates: the first inclusive, the last exclusive. */
export interface Span {
  from: string;
  to: string;
}

export const allDevices = (): QueryConfig =>
  sql`/* analytics: copyDevices */ SELECT ${lineOf(deviceColumns)} FROM devices d`;

export const sessionsOf = ({ from, to }: Span): QueryConfig => sql`/* analytics: copySessions */
  SELECT ${lineOf(sessionColumns)} FROM sessions s
  WHERE s.received_at >= ${from}::timestamp AT TIME ZONE 'UTC' AND s.received_at < ${to}::timestamp AT TIME ZONE 'UTC'`;

export const eventsOf = ({ from, to }: Span): QueryConfig => sql`/* analytics: copyEvents */
  SELECT ${lineOf(eventColumns)} FROM events e
  WHERE e.anchored_on >= ${from}::date AND e.anchored_on < ${to}::date`;

/** Arrays of equal length: the n-th session is of the n-th device. */
export interface TouchedSessions {
  deviceKeys: readonly string[];
  refs: readonly string[];
}

export const touchedDevices = (keys: readonly string[]): QueryConfig => sql`/* analytics: touchedDevices */
  SELECT ${lineOf(deviceColumns)} FROM devices d WHERE d.key = ANY(${keys}::uuid[])`;

export const touchedSessions = ({
  deviceKeys,
  refs,
}: TouchedSessions): QueryConfig => sql`/* analytics: touchedSessions */
  SELECT ${lineOf(sessionColumns)} FROM sessions s
  WHERE s.device_key = ANY(${deviceKeys}::uuid[]) AND s.ref = ANY(${refs}::bigint[])`;

/** `dates` names the partitions: the days on which the sessions first arrived. */
export const touchedEvents = (
  { deviceKeys, refs }: TouchedSessions,
  dates: readonly string[],
): QueryConfig => sql`/* analytics: touchedEvents */
  SELECT ${lineOf(eventColumns)} FROM events e
  WHERE e.session_ref = ANY(${refs}::bigint[]) AND e.device_key = ANY(${deviceKeys}::uuid[])
    AND e.anchored_on = ANY(${dates}::date[])`;

/** The table below the view, which joins devices for a column that the copy computes. */
export const allFirsts = (): QueryConfig =>
  sql`/* analytics: copyFirsts */ SELECT ${lineOf(firstColumns)} FROM analytics_firsts f`;

/** From its deletion on nothing of an application is shown. */
export const removedApplicationColumns = { id: ['UUID', 'a.id'] } satisfies LineColumns;
export const removedApplications = (): QueryConfig =>
  sql`/* analytics: removedApplications */ SELECT ${lineOf(removedApplicationColumns)}
    FROM applications a WHERE a.deleted_at IS NOT NULL`;

export const testDeviceColumns = {
  application_id: ['UUID', 't.application_id'],
  id: text('t.id'),
} satisfies LineColumns;
export const testDevices = (): QueryConfig =>
  sql`/* analytics: testDevices */ SELECT ${lineOf(testDeviceColumns)} FROM analytics.test_devices t`;
