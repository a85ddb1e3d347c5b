// The SQL that reads from PostgreSQL what the copy holds: all of a span of time, or what some sessions have now.
import type { ClientBase, QueryConfig } from 'pg';
import { raw, sql } from '../../platform/database/sql.ts';
import { json, type LineColumns, lineOf, micros, text } from './source.ts';

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

// The weeks over which PostgreSQL's sessions are spread.

const dayMillis = 86_400_000;

/** Weeks that begin on Monday, as the partitions of events do; none where there is no session. */
export async function findSpans(client: ClientBase): Promise<Span[]> {
  const { rows } = await client.query<{ first: string | null; last: string | null }>(`/* analytics: findSpans */
    SELECT to_char(min(received_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS first,
      to_char(max(received_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS last FROM sessions`);
  const { first, last } = rows[0]!;
  return first === null || last === null ? [] : weeksOf(Date.parse(first), Date.parse(last));
}

/** From the week of one time to that of another. */
export function weeksOf(first: number, last: number): Span[] {
  const spans: Span[] = [];
  const weekday = (new Date(first).getUTCDay() + 6) % 7;
  const day = Date.parse(dateOf(first));
  for (let at = day - weekday * dayMillis; at <= last; at += 7 * dayMillis) {
    spans.push({ from: dateOf(at), to: dateOf(at + 7 * dayMillis) });
  }
  return spans;
}

const dateOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10);

// The SQL that reads from PostgreSQL what the copy holds of purchases, from the views that both engines share.

const bigint = (column: string) => ['BIGINT', column] as const;

export const transactionColumns = {
  application_id: ['UUID', 't.application_id'],
  id: text('t.id'),
  line: text('t.line'),
  product_id: text('t.product_id'),
  kind: text('t.kind'),
  environment: text('t.environment'),
  purchased_at: bigint('t.purchased_at'),
  expires_at: bigint('t.expires_at'),
  revoked_at: bigint('t.revoked_at'),
  revocation_percent: ['DOUBLE', 't.revocation_percent'],
  revocation_type: text('t.revocation_type'),
  price_milli: bigint('t.price_milli'),
  currency: text('t.currency'),
  quantity: ['INTEGER', 't.quantity'],
  ownership: text('t.ownership'),
  offer: text('t.offer'),
  offer_mode: text('t.offer_mode'),
  storefront: text('t.storefront'),
  payer: text('t.payer'),
  device_id: text('t.device_id'),
  upgraded: ['BOOLEAN', 't.upgraded'],
  paid_until: bigint('t.paid_until'),
} satisfies LineColumns;

export const renewalColumns = {
  application_id: ['UUID', 'r.application_id'],
  line: text('r.line'),
  signed_at: bigint('r.signed_at'),
  auto_renew: ['BOOLEAN', 'r.auto_renew'],
  in_billing_retry: ['BOOLEAN', 'r.in_billing_retry'],
  grace_expires_at: bigint('r.grace_expires_at'),
} satisfies LineColumns;

export const allTransactions = (): QueryConfig => sql`/* analytics: copyTransactions */
  SELECT ${lineOf(transactionColumns)} FROM analytics.transactions t`;

export const allRenewals = (): QueryConfig => sql`/* analytics: copyRenewals */
  SELECT ${lineOf(renewalColumns)} FROM analytics.renewals r`;

/** Of one application. */
export interface TouchedPurchases {
  applicationId: string;
  ids: readonly string[];
  lines: readonly string[];
}

/** The ids, and those of all transactions of the lines: the owner of a line is in each of them. */
export async function findTouchedIds(
  client: ClientBase,
  { applicationId, ids, lines }: TouchedPurchases,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(sql`/* analytics: findTouchedIds */
    SELECT id FROM store_transactions WHERE application_id = ${applicationId}::uuid AND line_id = ANY(${lines}::text[])`);
  return [...new Set([...ids, ...lines, ...rows.map(({ id }) => id)])];
}

export const touchedTransactions = (applicationId: string, ids: readonly string[]): QueryConfig =>
  sql`/* analytics: touchedTransactions */ SELECT ${lineOf(transactionColumns)} FROM analytics.transactions t
    WHERE t.application_id = ${applicationId}::uuid AND t.id = ANY(${ids}::text[])`;

export const touchedRenewals = ({ applicationId, lines }: TouchedPurchases): QueryConfig =>
  sql`/* analytics: touchedRenewals */ SELECT ${lineOf(renewalColumns)} FROM analytics.renewals r
    WHERE r.application_id = ${applicationId}::uuid AND r.line = ANY(${lines}::text[])`;
