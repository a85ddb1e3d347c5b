// The read of `eventNames`: the names of a page, and the parameters of the newest events of each.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { question, sql, type Question, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import { pageOf, type CursorShape, type PageOf } from '../pageCursor.ts';
import type { Page } from '../questionInput.ts';
import { containsText } from './containsText.ts';
import { hoursOfNames, newestOfNames, type NewestQuestion } from './newestEvents.ts';
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
  const { rows, asOf } = await engine.ask<Row>(statement(engine.dialect, asked));
  const byName: Row[][] = [];
  for (const row of rows) {
    const [last] = byName.at(-1) ?? [];
    if (last?.event === row.event && last.system === row.system) byName.at(-1)!.push(row);
    else byName.push([row]);
  }
  const page = pageOf(byName, asked.limit, (own) => [own[0]!.event, String(own[0]!.system)]);
  return { ...page, nodes: page.nodes.map(nodeOf), asOf };
}

interface Row extends Omit<PropertyValueRow, 'property'> {
  event: string;
  system: boolean;
  first: number;
  last: number;
  count: number;
  /** Null without a parameter. */
  property: string | null;
}

function nodeOf(rows: Row[]): EventNameFound {
  const { event, system, first, last, count } = rows[0]!;
  return {
    ...{ name: event, system, count30Days: count },
    firstSeenAt: new Date(Math.floor(first / 1_000)),
    lastSeenAt: new Date(Math.floor(last / 1_000)),
    params: propertyNamesOf(rows.filter((row): row is Row & PropertyValueRow => row.property !== null)),
  };
}

/** Retention has kept the first time of each name: where no event is left it is the last one too. */
function statement(dialect: Dialect, asked: EventNamesQuestion): Question {
  const { ordered } = dialect;
  const search = asked.search === null ? sql`true` : containsText(sql`k.name`, asked.search);
  return question('eventNames')`WITH
    ${hoursOfNames(dialect, asked)},
    known AS (
      SELECT name, system, first, last, CASE WHEN age IS NULL THEN 0 ELSE events END AS events FROM hours
      UNION ALL SELECT f.name, f.system, f.at, NULL, 0 FROM analytics.firsts f
        WHERE ${isAsked(asked, 'f')} AND f.unit = 'DEVICE' AND f.name <> ''),
    names AS (
      SELECT k.name, k.system, min(k.first) AS first, coalesce(max(k.last), min(k.first)) AS last, sum(k.events) AS events
      FROM known k WHERE ${search} AND ${isAfter(dialect, asked)} GROUP BY k.name, k.system
      ORDER BY ${ordered(sql`k.name`)}, k.system LIMIT ${asked.limit + 1}::bigint),
    ${newestOfNames(asked)},
    params AS (
      SELECT * FROM ${propertyValues(dialect, { from: 'newest', by: ['name', 'system'] })} AS v
      WHERE number <= ${BigInt(mostParams)}::bigint)
  SELECT n.name AS event, n.system, n.first, n.last, n.events::bigint AS count,
    p.property, p.kind, p.word, p.figure, p.texts, p.numbers, p.booleans
  FROM names n LEFT JOIN params p ON p.name = n.name AND p.system = n.system
  ORDER BY ${ordered(sql`n.name`)}, n.system, ${ordered(sql`p.property`)}, p.nth`;
}

function isAfter({ ordered }: Dialect, { after }: EventNamesQuestion): Sql {
  if (after === null) return sql`true`;
  const [name, system] = [ordered(sql`k.name`), ordered(sql`${after[0]!}::text`)];
  return sql`(${name} > ${system} OR (${name} = ${system} AND k.system AND NOT ${after[1] === 'true'}::boolean))`;
}
