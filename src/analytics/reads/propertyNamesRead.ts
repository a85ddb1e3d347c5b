// The read of `propertyNames`: the names in the properties of devices or users, or in the parameters of the newest events.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { empty, question, raw, sql, type Question, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import { pageOf, type CursorShape, type PageOf } from '../pageCursor.ts';
import type { Page } from '../questionInput.ts';
import { deviceProperties, type Scope } from '../questions.ts';
import { containsText } from './containsText.ts';
import {
  findEdges,
  findReached,
  isRecent,
  newestOfNames,
  type NewestQuestion,
  type RecentName,
} from './newestEvents.ts';
import { propertyNamesOf, propertyValues, type PropertyNameFound, type PropertyValueRow } from './propertyValues.ts';
import { isAsked } from './unitOf.ts';

/** The name. */
export const propertyNamesCursor: CursorShape = ['text'];

export interface PropertyNamesQuestion extends NewestQuestion, Page {
  scope: Scope;
  /** Null: nothing is searched for. */
  search: string | null;
}

export interface PropertyNamesResult extends PageOf<PropertyNameFound> {
  asOf: Date;
}

export async function readPropertyNames(
  engine: AnalyticsEngine,
  asked: PropertyNamesQuestion,
): Promise<PropertyNamesResult> {
  const objects = asked.scope === 'EVENT' ? await newestObjects(engine, asked) : objectsOf(asked);
  const { rows, asOf } = await engine.ask<PropertyValueRow>(statement(engine.dialect, asked, objects));
  return { ...pageOf(propertyNamesOf(rows), asked.limit, ({ name }) => [name]), asOf };
}

function statement(dialect: Dialect, asked: PropertyNamesQuestion, objects: Sql): Question {
  const { ordered } = dialect;
  const wanted = wantedOf(dialect, asked);
  return question('propertyNames')`WITH
    ${objects},
    found AS (SELECT * FROM ${propertyValues(dialect, { from: 'objects', by: [], wanted })} AS v)
  SELECT property, kind, word, figure, texts, numbers, booleans FROM found
  WHERE number <= ${asked.limit + 1}::bigint ORDER BY ${ordered(sql`property`)}, nth`;
}

/** `objects` of devices or users. */
function objectsOf(asked: PropertyNamesQuestion): Sql {
  const column = raw(asked.scope === 'USER' ? 'user_properties' : 'properties');
  return sql`objects AS (SELECT d.${column} AS object FROM analytics.devices d WHERE ${isAsked(asked, 'd')})`;
}

/** `objects` of the newest events of all names. */
async function newestObjects(engine: AnalyticsEngine, asked: PropertyNamesQuestion): Promise<Sql> {
  const names = engine.ask<RecentName>(question('propertyNames: names')`
    SELECT e.name, e.system, count(*) AS count FROM analytics.events e
    WHERE ${isAsked(asked, 'e')} AND ${isRecent(asked)} GROUP BY 1, 2`);
  const [{ rows }, reached] = await Promise.all([names, findReached(engine, asked)]);
  const edges = await findEdges(engine, asked, { names: rows, reached });
  return sql`objects AS (SELECT object FROM ${newestOfNames(engine.dialect, asked, edges)} AS e)`;
}

/** A device has more properties than a question may name, and some under other names. */
function wantedOf(dialect: Dialect, { scope, search, after }: PropertyNamesQuestion) {
  const { ordered, table } = dialect;
  const isOfDevice = scope === 'DEVICE';
  const name = isOfDevice ? sql`listed.shown` : sql`p.name`;
  const listed = table({
    stored: { type: 'text', values: Object.values(deviceProperties) },
    shown: { type: 'text', values: Object.keys(deviceProperties) },
  });
  const found = search === null ? sql`true` : containsText(dialect, name, search);
  const isAfter = after === null ? sql`true` : sql`${ordered(name)} > ${ordered(sql`${after[0]!}::text`)}`;
  return {
    name,
    join: isOfDevice ? sql`JOIN ${listed} AS listed ON listed.stored = p.name` : empty,
    condition: sql`${found} AND ${isAfter}`,
  };
}
