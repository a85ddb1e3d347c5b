// query devices: the devices of an application that fit what was asked for, in pages by cursor.
import type { DevicePage, QueryDevicesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { type AnalyticsNeeds, askEngine, findAskedApplication } from './askEngine.ts';
import { type Dialect, join, question, type Question, raw, sql, type Sql } from './engine/dialect.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import { type CursorShape, pageOf, type PageOf } from './pageCursor.ts';
import { type Page, readDeviceFilters, readPage, readSearch, readTimeZone } from './questionInput.ts';
import type { Filter } from './questions.ts';
import { allHold, containsText } from './reads/filters.ts';
import { isAsked } from './reads/units.ts';
import { microsOf } from './reportDays.ts';

type Args = Partial<QueryDevicesArgs> & Pick<QueryDevicesArgs, 'applicationId'>;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function devices(args: Args, needs: AnalyticsNeeds): Promise<DevicePage> {
  const rules = inputRules();
  const userId = args.userId == null ? null : rules.text('userId', args.userId, 256);
  const search = readSearch(rules, args.search);
  const filters = readDeviceFilters(rules, 'filters', args.filters);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const sort = args.sort ?? 'LAST_SEEN';
  const page = readPage(rules, args, deviceCursor('devices', sort));
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  const { activeSince = null, includeTest } = args;
  const wanted = { userId, search, filters, activeSince, sort, includeTest: includeTest ?? false };
  return askEngine({
    needs,
    path: 'applicationId',
    read: (engine) => readDevices(engine, { applicationId: id, ...wanted, ...page }),
    rowsOf: ({ nodes }) => nodes.length,
  });
}

// The read of `devices`: those that fit what was asked for, in the order of a sort.

export interface DevicesQuestion extends Page {
  applicationId: string;
  includeTest: boolean;
  /** The present user; null: any. */
  userId: string | null;
  /** Null: nothing is searched for. */
  search: string | null;
  filters: readonly Filter[];
  activeSince: Date | null;
  sort: DeviceRank;
}

export function readDevices(engine: AnalyticsEngine, asked: DevicesQuestion): Promise<DeviceListResult> {
  return readDeviceList(engine, { ...asked, name: 'devices', fits: fits(engine.dialect, asked) });
}

function fits(dialect: Dialect, { userId, search, filters, activeSince }: DevicesQuestion): Sql {
  const conditions = [allHold(dialect, filters, { devices: 'd' })];
  if (userId !== null) conditions.push(sql`d.user_id = ${userId}::text`);
  if (activeSince !== null) conditions.push(sql`d.last_seen_at >= ${microsOf(activeSince.getTime())}::bigint`);
  if (search !== null) {
    const inUser = sql`coalesce(${containsText(dialect, sql`d.user_id`, search)}, false)`;
    conditions.push(sql`(${containsText(dialect, sql`d.id`, search)} OR ${inUser})`);
  }
  return join(conditions, ' AND ');
}

// The page of devices that fit a condition: the statement that all lists of devices share, and the nodes made of its rows.

export type DeviceRank = 'LAST_SEEN' | 'FIRST_SEEN' | 'SESSIONS';

export type DeviceListName = 'devices' | 'devicesBehind' | 'userDevices';

/** The list with its sort, the rank and the id. */
export function deviceCursor(name: DeviceListName, sort: DeviceRank = 'LAST_SEEN'): CursorShape {
  return [{ is: orderOf({ name, sort }) }, 'number', 'text'];
}

const orderOf = ({ name, sort }: Pick<DeviceListQuestion, 'name' | 'sort'>): string => `${name} ${sort}`;

export interface DeviceListQuestion extends Page {
  /** Of the read. */
  name: DeviceListName;
  applicationId: string;
  includeTest: boolean;
  /** Whether the device `d` of `analytics.devices` is in the list. */
  fits: Sql;
  sort: DeviceRank;
}

export interface DeviceFound {
  id: string;
  userId: string | null;
  platform: string | null;
  country: string | null;
  appVersion: number | null;
  firstSeenAt: Date;
  lastSeenAt: Date;
  sessionsCount: number;
}

export interface DeviceListResult extends PageOf<DeviceFound> {
  total: number;
  asOf: Date;
}

export async function readDeviceList(engine: AnalyticsEngine, asked: DeviceListQuestion): Promise<DeviceListResult> {
  const { rows, asOf } = await engine.ask<Row>(statement(engine.dialect, asked));
  // The one row of an empty page has the total alone.
  const found = rows.filter((row): row is FoundRow => row.id !== null);
  const page = pageOf(found, asked.limit, ({ rank, id }) => [orderOf(asked), String(rank), id]);
  return { ...page, nodes: page.nodes.map(nodeOf), total: rows[0]!.total, asOf };
}

interface FoundRow {
  total: number;
  id: string;
  user_id: string | null;
  platform: string | null;
  country: string | null;
  version: number | null;
  first: number;
  last: number;
  sessions: number;
  rank: number;
}

type Row = FoundRow | { total: number; id: null };

function nodeOf({ id, user_id: userId, platform, country, version, first, last, sessions }: FoundRow): DeviceFound {
  return {
    ...{ id, userId, platform, country, appVersion: version },
    firstSeenAt: new Date(Math.floor(first / 1_000)),
    lastSeenAt: new Date(Math.floor(last / 1_000)),
    sessionsCount: sessions,
  };
}

/** Sessions are counted for the devices of the page alone, unless their number makes the order. */
function statement(dialect: Dialect, asked: DeviceListQuestion): Question {
  const { ordered, property, numberOf } = dialect;
  const { name, fits, sort, limit } = asked;
  const sessionsOf = (devices: 'fitting' | 'page') => sql`begun AS (
      SELECT s.device, count(*) AS sessions FROM analytics.sessions s
      WHERE ${isAsked(asked, 's')} AND s.device IN (SELECT device FROM ${raw(devices)}) GROUP BY s.device)`;
  const bySessions = sql`ranked AS (
      SELECT f.device, f.id, coalesce(b.sessions, 0)::bigint AS rank
      FROM fitting f LEFT JOIN begun b ON b.device = f.device)`;
  const byTime = sql`ranked AS (SELECT f.device, f.id, f.${raw(sort === 'LAST_SEEN' ? 'last' : 'first')} AS rank FROM fitting f)`;
  const page = sql`page AS (
      SELECT r.device, r.id, r.rank FROM ranked r WHERE ${isAfter(dialect, asked)}
      ORDER BY r.rank DESC, ${ordered(sql`r.id`)} LIMIT ${limit + 1}::bigint)`;
  const parts = sort === 'SESSIONS' ? [sessionsOf('fitting'), bySessions, page] : [byTime, page, sessionsOf('page')];
  const textOf = (column: string) => presentText(dialect, property(sql`d.properties`, column));
  return question(name)`WITH
    fitting AS (
      SELECT d.device, d.id, d.first_seen_at AS first, d.last_seen_at AS last
      FROM analytics.devices d WHERE ${isAsked(asked, 'd')} AND ${fits}),
    ${join(parts)},
    nodes AS (
      SELECT p.id, d.user_id, ${textOf('platform')} AS platform, ${textOf('country')} AS country,
        ${numberOf(property(sql`d.properties`, 'appVersionNormalized'))} AS version,
        d.first_seen_at AS first, d.last_seen_at AS last, coalesce(b.sessions, 0)::bigint AS sessions, p.rank
      FROM page p
      JOIN analytics.devices d ON d.application_id = ${asked.applicationId}::uuid AND d.device = p.device
      LEFT JOIN begun b ON b.device = p.device)
  SELECT every.total, n.id, n.user_id, n.platform, n.country, n.version, n.first, n.last, n.sessions, n.rank
  FROM (SELECT count(*) AS total FROM fitting) AS every LEFT JOIN nodes n ON true
  ORDER BY n.rank DESC, ${ordered(sql`n.id`)}`;
}

function isAfter({ ordered }: Dialect, { after }: DeviceListQuestion): Sql {
  if (after === null) return sql`true`;
  const [rank, id] = [BigInt(after[1]!), after[2]!];
  return sql`(r.rank < ${rank}::bigint OR (r.rank = ${rank}::bigint AND ${ordered(sql`r.id`)} > ${ordered(sql`${id}::text`)}))`;
}

function presentText({ typeOf, textOf }: Dialect, value: Sql): Sql {
  return sql`CASE WHEN ${typeOf(value)} = 'string' THEN ${textOf(value)} END`;
}
