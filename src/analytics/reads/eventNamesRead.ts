// The read of `eventNames`: the names of a page, and the parameters of the newest events of each.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { question, sql, type Question, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import { pageOf, type CursorShape, type PageOf } from '../pageCursor.ts';
import type { Page } from '../questionInput.ts';
import { containsText } from './containsText.ts';
import {
  findEdges,
  findReached,
  isRecent,
  keyOf,
  newestOfNames,
  type Edge,
  type NewestQuestion,
  type RecentName,
} from './newestEvents.ts';
import { propertyNamesOf, propertyValues, type PropertyNameFound, type PropertyValueRow } from './propertyValues.ts';
import { isAsked } from './unitOf.ts';

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
  return { ...page, nodes: page.nodes.map((row) => nodeOf(row, byName.get(keyOf(row))!)), asOf };
}

interface NameRow extends RecentName {
  first: number;
  last: number;
}

interface ParamRow extends PropertyValueRow {
  name: string;
  system: boolean;
}

function nodeOf({ name, system, first, last, count }: NameRow, params: ParamRow[]): EventNameFound {
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
