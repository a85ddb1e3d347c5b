// query recentEvents: the events that have arrived last, newest arrival first, in pages by cursor.
import type { QueryRecentEventsArgs, RecentEventPage } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { RawJson } from '../platform/json/jsonBytes.ts';
import { tooLong } from '../platform/responseBudget.ts';
import { type AnalyticsNeeds, askEngine, findAskedApplication } from './askEngine.ts';
import { type Dialect, join, question, type Question, sql, type Sql } from './engine/dialect.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import { type Cursor, type CursorShape, pageOf, type PageOf } from './pageCursor.ts';
import { type Page, readFilters, readPage, readTimeZone } from './questionInput.ts';
import { type Filter, usesPresentProperties } from './questions.ts';
import { allHold } from './reads/filters.ts';
import { isAsked } from './reads/units.ts';

type Args = Partial<QueryRecentEventsArgs> & Pick<QueryRecentEventsArgs, 'applicationId'>;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function recentEvents(args: Args, needs: AnalyticsNeeds): Promise<RecentEventPage> {
  const rules = inputRules();
  const filters = readFilters(rules, 'filters', args.filters);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const page = readPage(rules, args, recentEventsCursor);
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  const asked = { applicationId: id, filters, includeTest: args.includeTest ?? false, ...page };
  return askEngine({
    needs,
    path: 'applicationId',
    async read(engine, { bytes }) {
      const found = await readRecentEvents(engine, asked, bytes);
      return { ...found, nodes: found.nodes.map(nodeOf), presentProperties: usesPresentProperties(filters) };
    },
    rowsOf: ({ nodes }) => nodes.length,
  });
}

/** Throws `validation_failed`: the engine has not sent parameters that no response has room for. */
function nodeOf({ system, params, ...event }: RecentEventFound): RecentEventPage['nodes'][number] {
  if (params === null) throw tooLong();
  return { ...event, type: system ? 'SYSTEM' : 'CUSTOM', params: new RawJson(params) };
}

// The read of `recentEvents`: found by the instants of the newest arrivals, and then filtered and sorted.

/** The columns of the order, and how many events that are equal in all of them the pages so far have shown. */
export const recentEventsCursor: CursorShape = ['number', 'number', 'number', 'text', 'text', 'number', 'count'];

export interface RecentEventsQuestion extends Page {
  applicationId: string;
  includeTest: boolean;
  filters: readonly Filter[];
}

export interface RecentEventFound {
  deviceId: string;
  sessionId: string;
  userId: string | null;
  name: string;
  system: boolean;
  timestamp: Date;
  receivedAt: Date;
  /** As JSON; null where all of them together are longer than the room. */
  params: string | null;
}

export interface RecentEventsResult extends PageOf<RecentEventFound> {
  asOf: Date;
}

/** How many of the newest arrivals are looked at, first and then, before all are: a bound that is a value spares the rest. */
const candidates = [1_000, 10_000, 100_000];

/** `bytes` is the room for all parameters. */
export async function readRecentEvents(
  engine: AnalyticsEngine,
  asked: RecentEventsQuestion,
  bytes: number,
): Promise<RecentEventsResult> {
  const newest = await minutesOf(engine, asked);
  for (const most of candidates) {
    const arrivedFrom = arrivalOf(newest, most);
    if (arrivedFrom === null) break;
    const found = await pageFrom(engine, asked, { arrivedFrom, bytes });
    if (found.hasMore) return found;
  }
  return pageFrom(engine, asked, { arrivedFrom: 0, bytes });
}

const aMinute = 60_000_000;
const mostMinutes = 5_000;

interface Minute {
  minute: number;
  events: number;
}

/** Events of the last minutes with any, newest first. To sort the arrivals of all events took 20 times as long as to count them. */
async function minutesOf(engine: AnalyticsEngine, asked: RecentEventsQuestion): Promise<Minute[]> {
  const minute = engine.dialect.quotient(sql`e.arrived_at`, sql`${aMinute}::bigint`);
  const { rows } = await engine.ask<Minute>(question('recentEvents: minutes')`
    SELECT ${minute} AS minute, count(*) AS events FROM analytics.events e
    WHERE e.application_id = ${asked.applicationId}::uuid AND ${isUpTo(asked)}
    GROUP BY 1 ORDER BY 1 DESC LIMIT ${mostMinutes}::bigint`);
  return rows;
}

/** From when on as many events have arrived, or those of all minutes that were counted; null where these are all. */
function arrivalOf(newest: readonly Minute[], most: number): number | null {
  let events = 0;
  for (const each of newest) {
    events += each.events;
    if (events >= most) return each.minute * aMinute;
  }
  return newest.length < mostMinutes ? null : newest.at(-1)!.minute * aMinute;
}

interface Bounds {
  arrivedFrom: number;
  bytes: number;
}

async function pageFrom(
  engine: AnalyticsEngine,
  asked: RecentEventsQuestion,
  bounds: Bounds,
): Promise<RecentEventsResult> {
  const { rows, asOf } = await engine.ask<Row>(statement(engine.dialect, asked, bounds));
  const page = pageOf(rows, asked.limit, (_, index) => cursorOf(rows, index, asked.after));
  return { ...page, nodes: page.nodes.map(eventOf), asOf };
}

interface Row {
  device_id: string;
  session_id: string;
  user_id: string | null;
  name: string;
  system: boolean;
  happened: number;
  arrived: number;
  session_arrived: number;
  place: number;
  params: string | null;
}

function eventOf(row: Row): RecentEventFound {
  const { device_id: deviceId, session_id: sessionId, user_id: userId, name, system, params } = row;
  const [timestamp, receivedAt] = [row.happened, row.arrived].map((micros) => new Date(Math.floor(micros / 1_000)));
  return { deviceId, sessionId, userId, name, system, timestamp: timestamp!, receivedAt: receivedAt!, params };
}

/** Two uploads of one session may arrive at one instant, and events of earlier releases have no place. */
function cursorOf(rows: readonly Row[], index: number, after: Cursor | null): Cursor {
  const own = keyOf(rows[index]!);
  let first = index;
  while (first > 0 && isSame(keyOf(rows[first - 1]!), own)) first -= 1;
  const before = first === 0 && after !== null && isSame(after.slice(0, -1), own) ? Number(after.at(-1)) : 0;
  return [...own, String(before + index - first + 1)];
}

function keyOf({ arrived, happened, session_arrived: begun, session_id, device_id, place }: Row): Cursor {
  return [String(arrived), String(happened), String(begun), session_id, device_id, String(place)];
}

const isSame = (one: Cursor, other: Cursor): boolean => one.every((part, index) => part === other[index]);

function statement(dialect: Dialect, asked: RecentEventsQuestion, { arrivedFrom, bytes }: Bounds): Question {
  const { filters, limit, after } = asked;
  return question('recentEvents')`WITH
    newest AS (
      SELECT d.id AS device_id, e.session_id, e.unit_user AS user_id, e.name, e.system, e.at AS happened,
        e.arrived_at AS arrived, e.session_arrived_at AS session_arrived, e.place, CAST(e.params AS text) AS params
      FROM analytics.events e
      JOIN analytics.devices d ON d.application_id = ${asked.applicationId}::uuid AND d.device = e.device
      WHERE ${isAsked(asked, 'e')} AND e.arrived_at >= ${arrivedFrom}::bigint AND ${isUpTo(asked)}
        AND ${allHold(dialect, filters, { events: 'e', devices: 'd' })}),
    page AS (
      SELECT * FROM newest n WHERE ${notBefore(dialect, after)} ORDER BY ${order(dialect)}
      LIMIT ${limit + 1}::bigint OFFSET ${after === null ? 0n : BigInt(after.at(-1)!)}::bigint)
  SELECT device_id, session_id, user_id, name, system, happened, arrived, session_arrived, place,
    CASE WHEN (SELECT sum(length(params)) FROM page) <= ${BigInt(bytes)}::bigint THEN params END AS params
  FROM page n ORDER BY ${order(dialect)}`;
}

/** The arrivals of the cursor's own instant too. */
function isUpTo({ after }: RecentEventsQuestion): Sql {
  return after === null ? sql`true` : sql`e.arrived_at <= ${BigInt(after[0]!)}::bigint`;
}

/** The last three tell apart what is equal in all columns of the order. */
function order({ ordered }: Dialect): Sql {
  const descending = [
    ...[sql`n.arrived`, sql`n.happened`, sql`n.session_arrived`, ordered(sql`n.session_id`), ordered(sql`n.device_id`)],
    ...[sql`n.place`, ordered(sql`n.name`), sql`n.system`, ordered(sql`n.params`)],
  ];
  return join(descending.map((column) => sql`${column} DESC`));
}

/** The events of the cursor's own place too, of which the statement skips as many as were shown. */
function notBefore({ ordered }: Dialect, after: Cursor | null): Sql {
  if (after === null) return sql`true`;
  const [arrived, happened, begun, session, device, place] = after as [string, string, string, string, string, string];
  return sql`(n.arrived, n.happened, n.session_arrived, ${ordered(sql`n.session_id`)}, ${ordered(sql`n.device_id`)}, n.place) <=
    (${BigInt(arrived)}::bigint, ${BigInt(happened)}::bigint, ${BigInt(begun)}::bigint,
      ${ordered(sql`${session}::text`)}, ${ordered(sql`${device}::text`)}, ${BigInt(place)}::bigint)`;
}
