// The SQL that reads from PostgreSQL what the copy holds: all of a span of time, or what some sessions have now.
import type { QueryConfig } from 'pg';
import { raw, sql } from '../../platform/database/sql.ts';
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
  at: micros('CASE WHEN s.started_at < k.earliest THEN s.received_at ELSE least(s.started_at, s.received_at) END'),
  arrived_at: micros('s.received_at'),
  started_at: micros('s.started_at'),
  finished_at: micros('s.finished_at'),
  suspect: [
    'BOOLEAN',
    `coalesce(s.started_at < k.earliest OR s.started_at - s.received_at > interval '1 day' OR s.finished_at < k.earliest
      OR s.finished_at < s.started_at
      OR (s.finished_at - s.received_at > interval '1 day' AND s.finish_possible IS NOT TRUE), false)`,
  ],
} satisfies LineColumns;

export const eventColumns = {
  session: ['BIGINT', 'e.session_ref'],
  at: micros('CASE WHEN e.occurred_at < k.earliest THEN e.received_at ELSE least(e.occurred_at, e.received_at) END'),
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
  at: ['BIGINT', `CASE WHEN f.at < ${micros('k.earliest')[1]} THEN ${micros('k.created_at')[1]} ELSE f.at END`],
} satisfies LineColumns;

/** Also those of deleted applications, whose rows the copy leaves out. */
export const earliest = raw(`kept AS MATERIALIZED (SELECT application_id, earliest FROM analytics.earliest_times)`);

/** Weeks or days as texts of dates: the first inclusive, the last exclusive. */
export interface Span {
  from: string;
  to: string;
}

export const allDevices = (): QueryConfig =>
  sql`/* analytics: copyDevices */ SELECT ${lineOf(deviceColumns)} FROM devices d`;

export const sessionsOf = ({ from, to }: Span): QueryConfig => sql`/* analytics: copySessions */
  WITH ${earliest} SELECT ${lineOf(sessionColumns)} FROM sessions s JOIN kept k ON k.application_id = s.application_id
  WHERE s.received_at >= ${from}::timestamp AT TIME ZONE 'UTC' AND s.received_at < ${to}::timestamp AT TIME ZONE 'UTC'`;

export const eventsOf = ({ from, to }: Span): QueryConfig => sql`/* analytics: copyEvents */
  WITH ${earliest} SELECT ${lineOf(eventColumns)} FROM events e JOIN kept k ON k.application_id = e.application_id
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
  WITH ${earliest} SELECT ${lineOf(sessionColumns)} FROM sessions s JOIN kept k ON k.application_id = s.application_id
  WHERE s.device_key = ANY(${deviceKeys}::uuid[]) AND s.ref = ANY(${refs}::bigint[])`;

/** `dates` names the partitions: the days on which the sessions first arrived. */
export const touchedEvents = (
  { deviceKeys, refs }: TouchedSessions,
  dates: readonly string[],
): QueryConfig => sql`/* analytics: touchedEvents */
  WITH ${earliest} SELECT ${lineOf(eventColumns)} FROM events e JOIN kept k ON k.application_id = e.application_id
  WHERE e.session_ref = ANY(${refs}::bigint[]) AND e.device_key = ANY(${deviceKeys}::uuid[])
    AND e.anchored_on = ANY(${dates}::date[])`;

/** The table below the view, which joins devices for a column that the copy computes. */
export const allFirsts = (): QueryConfig =>
  sql`/* analytics: copyFirsts */ SELECT ${lineOf(firstColumns)}
    FROM analytics_firsts f JOIN analytics.earliest_times k ON k.application_id = f.application_id`;

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
