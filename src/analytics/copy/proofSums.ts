// The sums by which the copy is compared with PostgreSQL: rows and a checksum of every column, by the same text in both engines.
// Not compared: `firsts`, which retention fills before it drops a week and which the copy reads as a whole after each drop, and
// the lists of test devices, whose sum the follower looks at each time.
import type { QueryConfig } from 'pg';
import { empty, raw, sql, type Sql } from '../../platform/database/sql.ts';
import type { ProvedRelation as Relation } from '../../platform/observability/metrics.ts';
import type { DuckStatement } from './duck.ts';
import { duckTextOfLine, lineOf, text, textOfLine, type LineColumns } from './source.ts';
import {
  deviceColumns,
  earliest,
  eventColumns,
  renewalColumns,
  sessionColumns,
  type Span,
  transactionColumns,
} from './sourceStore.ts';
import { isMirror, ofSession } from './saveRows.ts';

/** UTC days since 1970-01-01. All of these applications on all of these days. */
export interface Within {
  applications: string[];
  days: number[];
}

/** Null: the sums of each application and day. Else those of each session, device, transaction or line. */
type Grouping = Within | null;

/** Rows are grouped by these. `device` is the key of a session's device, by which PostgreSQL finds the session. */
const partColumns = ['application', 'day'] as const;
const unitColumns = ['application', 'day', 'unit', 'device'] as const;

type Keys = Readonly<Record<(typeof unitColumns)[number], string>>;

export const dayMicros = 86_400_000_000n;
const since1970 = "'1970-01-01'::date";

const keysInDatabase: Readonly<Record<Relation, Keys>> = {
  sessions: {
    application: 's.application_id',
    day: `(s.received_at AT TIME ZONE 'UTC')::date - ${since1970}`,
    unit: 's.ref::text',
    device: 's.device_key',
  },
  events: {
    application: 'e.application_id',
    day: `e.anchored_on - ${since1970}`,
    unit: 'e.session_ref::text',
    device: 'e.device_key',
  },
  devices: {
    application: 'd.application_id',
    day: `(d.first_seen_at AT TIME ZONE 'UTC')::date - ${since1970}`,
    unit: 'd.key::text',
    device: 'd.key',
  },
  transactions: {
    application: 't.application_id',
    day: `t.purchased_at / ${dayMicros}`,
    unit: 't.id',
    device: 'NULL::uuid',
  },
  renewals: {
    application: 'r.application_id',
    day: `r.signed_at / ${dayMicros}`,
    unit: 'r.line',
    device: 'NULL::uuid',
  },
};

const columns: Readonly<Record<Relation, LineColumns>> = {
  sessions: sessionColumns,
  events: eventColumns,
  devices: deviceColumns,
  transactions: transactionColumns,
  renewals: renewalColumns,
};

/** Sums of parts of hashes do not depend on the order of rows. PostgreSQL adds up to `numeric`, DuckDB to HUGEINT. */
const sumInDatabase = (line: string): string => `sum(('x' || left(md5(${line}), 15))::bit(60)::bigint)`;
const sumInCopy = (line: string): string => `sum(('0x' || left(md5(${line}), 15))::BIGINT)`;

/** The columns of a table of sums, in the order of a line. */
export const sumColumns = (within: Grouping): LineColumns => ({
  application: ['UUID', 'sums.application'],
  day: ['BIGINT', 'sums.day'],
  ...(within ? { unit: text('sums.unit'), device: ['UUID', 'sums.device'] as const } : {}),
  rows: ['BIGINT', 'sums.rows'],
  sum: ['HUGEINT', 'sums.sum'],
});

/** The parts of a statement of PostgreSQL that are equal for all relations. */
interface Grouped {
  sums: Sql;
  /** A further condition. */
  narrowed: Sql;
  groups: Sql;
  line: Sql;
}

/** The span is for `sessions` and `events` alone. */
export function sumsOfDatabase(relation: Relation, span: Span, within: Grouping): QueryConfig {
  const keys = keysInDatabase[relation];
  const by = within ? unitColumns : partColumns;
  const named = by.map((column) => `${keys[column]} AS ${column}`);
  const grouped = {
    sums: raw(`${named.join(', ')}, count(*) AS rows, ${sumInDatabase(textOfLine(columns[relation]))} AS sum`),
    narrowed: within
      ? sql`AND ${raw(keys.application)} = ANY(${within.applications}::uuid[]) AND ${raw(keys.day)} = ANY(${within.days}::bigint[])`
      : empty,
    groups: raw(by.map((_, nth) => nth + 1).join(', ')),
    line: sql`SELECT ${lineOf(sumColumns(within))} FROM sums`,
  };
  return statements[relation](grouped, span);
}

/** Citus takes an expression by which rows are grouped as a column alone: lines are made of it afterwards. */
const statements: Readonly<Record<Relation, (grouped: Grouped, span: Span) => QueryConfig>> = {
  sessions: ({ sums, narrowed, groups, line }, { from, to }) => sql`/* analytics: proveSessions */
    WITH ${earliest}, sums AS MATERIALIZED (SELECT ${sums} FROM sessions s JOIN kept k ON k.application_id = s.application_id
      WHERE s.received_at >= ${from}::timestamp AT TIME ZONE 'UTC' AND s.received_at < ${to}::timestamp AT TIME ZONE 'UTC' ${narrowed}
      GROUP BY ${groups}) ${line}`,
  events: ({ sums, narrowed, groups, line }, { from, to }) => sql`/* analytics: proveEvents */
    WITH ${earliest}, sums AS MATERIALIZED (SELECT ${sums} FROM events e JOIN kept k ON k.application_id = e.application_id
      WHERE e.anchored_on >= ${from}::date AND e.anchored_on < ${to}::date ${narrowed} GROUP BY ${groups}) ${line}`,
  devices: ({ sums, narrowed, groups, line }) => sql`/* analytics: proveDevices */
    WITH sums AS MATERIALIZED (SELECT ${sums} FROM devices d WHERE true ${narrowed} GROUP BY ${groups}) ${line}`,
  transactions: ({ sums, narrowed, groups, line }) => sql`/* analytics: proveTransactions */
    WITH sums AS MATERIALIZED (SELECT ${sums} FROM analytics.transactions t WHERE true ${narrowed} GROUP BY ${groups}) ${line}`,
  renewals: ({ sums, narrowed, groups, line }) => sql`/* analytics: proveRenewals */
    WITH sums AS MATERIALIZED (SELECT ${sums} FROM analytics.renewals r WHERE true ${narrowed} GROUP BY ${groups}) ${line}`,
};

/** Where the copy has a relation: `from` names its tables as PostgreSQL's statement does. */
interface InCopy {
  from(stored: string): string;
  alias: string;
  day: string;
  unit: string;
  /** Other than the column itself. */
  column?(name: string): string | null;
}

/** As events have them of their session: one that differs changes the checksum, and so does an event without its session. */
const agrees = [
  ...Object.keys(ofSession).map((column) => `e.${column} IS NOT DISTINCT FROM s.${column}`),
  `e.mirror = (${isMirror})`,
].join(' AND ');
const asEventsHave = Object.entries(ofSession).map(([column, expression]) => `${expression} AS ${column}`);

const inCopy: Readonly<Record<Relation, InCopy>> = {
  sessions: {
    from: (stored) => `${stored}.sessions s LEFT JOIN ${stored}.devices d ON d.device = s.device`,
    alias: 's',
    day: 'arrived_at',
    unit: 'session',
    column: (name) => (name === 'key' ? 'd.key' : null),
  },
  events: {
    from: (stored) => `${stored}.events e
      LEFT JOIN (SELECT s.session, ${asEventsHave.join(', ')} FROM ${stored}.sessions s) s ON s.session = e.session`,
    alias: 'e',
    day: 'session_arrived_at',
    unit: 'session',
    column: (name) => (name === 'session' ? `CASE WHEN ${agrees} THEN e.session END` : null),
  },
  devices: { from: (stored) => `${stored}.devices d`, alias: 'd', day: 'first_seen_at', unit: 'key' },
  transactions: { from: (stored) => `${stored}.transactions t`, alias: 't', day: 'purchased_at', unit: 'id' },
  renewals: { from: (stored) => `${stored}.renewals r`, alias: 'r', day: 'signed_at', unit: 'line' },
};

export interface AskedOfCopy {
  catalog: string;
  relation: Relation;
  /** Microseconds since 1970: the first inclusive, the last exclusive. */
  from: bigint;
  to: bigint;
  applications: Within['applications'] | null;
}

/** The columns have the names of `sumColumns`. */
export function sumsOfCopy({ catalog, relation, from, to, applications }: AskedOfCopy): DuckStatement {
  const { alias, day, unit, column, ...place } = inCopy[relation];
  const line = duckTextOfLine(columns[relation], (name) => column?.(name) ?? `${alias}."${name}"`);
  const ofUnit = applications ? `${alias}.${unit}::VARCHAR AS unit, NULL::UUID AS device, ` : '';
  const narrowed = applications ? `AND ${alias}.application_id IN (SELECT unnest($3::UUID[]))` : '';
  return {
    text: `SELECT ${alias}.application_id AS application, ${alias}.${day} // ${dayMicros} AS day, ${ofUnit}
        count(*) AS rows, ${sumInCopy(line)} AS sum
      FROM ${place.from(`${catalog}.stored`)} WHERE ${alias}.${day} >= $1 AND ${alias}.${day} < $2 ${narrowed} GROUP BY ALL`,
    values: [from, to, ...(applications ? [`[${applications.join(',')}]`] : [])],
  };
}
