// query eventNames: the names of events with their parameters, for editors that complete a name.
import type { EventNamePage, QueryEventNamesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { type AnalyticsNeeds, askEngine, findAskedApplication } from './askEngine.ts';
import { type Dialect, question, type Question, sql, type Sql } from './engine/dialect.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import { type CursorShape, pageOf, type PageOf } from './pageCursor.ts';
import { type PropertyNameFound, propertyNamesOf, type PropertyValueRow, propertyValues } from './propertyNames.ts';
import { type Page, readPage, readSearch, readTimeZone } from './questionInput.ts';
import { containsText } from './reads/filters.ts';
import {
  type Edge,
  findEdges,
  findReached,
  isRecent,
  keyOf,
  mostNewest,
  newestOfNames,
  type NewestQuestion,
  type RecentName,
} from './reads/newestEvents.ts';
import { isAsked } from './reads/units.ts';

type Args = Partial<QueryEventNamesArgs> & Pick<QueryEventNamesArgs, 'applicationId'>;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function eventNames(args: Args, needs: AnalyticsNeeds): Promise<EventNamePage> {
  const rules = inputRules();
  const search = readSearch(rules, args.search);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const page = readPage(rules, args, eventNamesCursor);
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  const wanted = { search, includeTest: args.includeTest ?? false, newest: mostNewest };
  const asked = { applicationId: id, now: needs.now(), ...wanted, ...page };
  return askEngine({
    needs,
    path: 'applicationId',
    read: async (engine) => {
      const found = await readEventNames(engine, asked);
      return { ...found, nodes: found.nodes.map(nodeOf) };
    },
    rowsOf: ({ nodes }) => nodes.reduce((sum, { params }) => sum + 1 + params.length, 0),
  });
}

function nodeOf({ system, ...node }: EventNameFound): EventNamePage['nodes'][number] {
  return { ...node, type: system ? 'SYSTEM' : 'CUSTOM' };
}

// The read of `eventNames`: the names of a page, and the parameters of the newest events of each.

/** The name and the type. */
export const eventNamesCursor: CursorShape = ['text', 'text'];

const mostParams = 256;

export interface EventNamesQuestion extends NewestQuestion, Page {
  /** Null: nothing is searched for. */
  search: string | null;
}

export interface EventNameFound {
  name: string;
  system: boolean;
  firstSeenAt: Date;
  lastSeenAt: Date;
  count30Days: number;
  params: PropertyNameFound[];
}

export interface EventNamesResult extends PageOf<EventNameFound> {
  asOf: Date;
}

export async function readEventNames(engine: AnalyticsEngine, asked: EventNamesQuestion): Promise<EventNamesResult> {
  const [{ rows, asOf }, reached] = await Promise.all([
    engine.ask<NameRow>(namesOf(engine.dialect, asked)),
    findReached(engine, asked),
  ]);
  const page = pageOf(rows, asked.limit, ({ name, system }) => [name, String(system)]);
  const edges = await findEdges(engine, asked, { names: page.nodes, reached });
  const params = edges.length === 0 ? [] : (await engine.ask<ParamRow>(paramsOf(engine.dialect, asked, edges))).rows;
  const byName = new Map(page.nodes.map((row) => [keyOf(row), [] as ParamRow[]]));
  for (const row of params) byName.get(keyOf(row))!.push(row);
  return { ...page, nodes: page.nodes.map((row) => nameOf(row, byName.get(keyOf(row))!)), asOf };
}

interface NameRow extends RecentName {
  first: number;
  last: number;
}

interface ParamRow extends PropertyValueRow {
  name: string;
  system: boolean;
}

function nameOf({ name, system, first, last, count }: NameRow, params: ParamRow[]): EventNameFound {
  return {
    ...{ name, system, count30Days: count },
    firstSeenAt: new Date(Math.floor(first / 1_000)),
    lastSeenAt: new Date(Math.floor(last / 1_000)),
    params: propertyNamesOf(params),
  };
}

/** Retention has kept the first time of each name: where no event is left it is the last one too. */
function namesOf(dialect: Dialect, asked: EventNamesQuestion): Question {
  const { ordered } = dialect;
  const search = asked.search === null ? sql`true` : containsText(dialect, sql`k.name`, asked.search);
  return question('eventNames')`WITH
    known AS (
      SELECT e.name, e.system, min(e.at) AS first, max(e.at) AS last, count(CASE WHEN ${isRecent(asked)} THEN 1 END) AS events
      FROM analytics.events e WHERE ${isAsked(asked, 'e')} GROUP BY 1, 2
      UNION ALL SELECT f.name, f.system, f.at, NULL, 0 FROM analytics.firsts f
        WHERE ${isAsked(asked, 'f')} AND f.unit = 'DEVICE' AND f.name <> '')
  SELECT k.name, k.system, min(k.first) AS first, coalesce(max(k.last), min(k.first)) AS last, sum(k.events)::bigint AS count
  FROM known k WHERE ${search} AND ${isAfter(dialect, asked)} GROUP BY k.name, k.system
  ORDER BY ${ordered(sql`k.name`)}, k.system LIMIT ${asked.limit + 1}::bigint`;
}

function paramsOf(dialect: Dialect, asked: EventNamesQuestion, edges: readonly Edge[]): Question {
  return question('eventNames: params')`WITH newest AS (SELECT * FROM ${newestOfNames(dialect, asked, edges)} AS e)
  SELECT name, system, property, kind, word, figure, texts, numbers, booleans
  FROM ${propertyValues(dialect, { from: 'newest', by: ['name', 'system'] })} AS v
  WHERE number <= ${BigInt(mostParams)}::bigint ORDER BY name, system, ${dialect.ordered(sql`property`)}, nth`;
}

function isAfter({ ordered }: Dialect, { after }: EventNamesQuestion): Sql {
  if (after === null) return sql`true`;
  const [name, system] = [ordered(sql`k.name`), ordered(sql`${after[0]!}::text`)];
  return sql`(${name} > ${system} OR (${name} = ${system} AND k.system AND NOT ${after[1] === 'true'}::boolean))`;
}
