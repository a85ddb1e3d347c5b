// query propertyNames: the names of the properties of one scope, for editors that complete a name.
import type { PropertyNamePage, QueryPropertyNamesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { type AnalyticsNeeds, askEngine, findAskedApplication } from './askEngine.ts';
import { type Dialect, empty, join, question, type Question, raw, sql, type Sql } from './engine/dialect.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import { type CursorShape, pageOf, type PageOf } from './pageCursor.ts';
import { type Page, readPage, readSearch, readTimeZone } from './questionInput.ts';
import { deviceProperties, type Scope } from './questions.ts';
import { columnsOfValue, containsText, valueOfRow, valueOrder, type ValueRow } from './reads/filters.ts';
import {
  findEdges,
  findReached,
  isRecent,
  mostNewest,
  newestOfNames,
  type NewestQuestion,
  type RecentName,
} from './reads/newestEvents.ts';
import { isAsked } from './reads/units.ts';

type Args = Partial<QueryPropertyNamesArgs> & Pick<QueryPropertyNamesArgs, 'applicationId' | 'scope'>;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function propertyNames(args: Args, needs: AnalyticsNeeds): Promise<PropertyNamePage> {
  const rules = inputRules();
  const search = readSearch(rules, args.search);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const page = readPage(rules, args, propertyNamesCursor);
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  const wanted = { scope: args.scope, search, includeTest: args.includeTest ?? false, newest: mostNewest };
  const asked = { applicationId: id, now: needs.now(), ...wanted, ...page };
  return askEngine({
    needs,
    path: 'applicationId',
    read: (engine) => readPropertyNames(engine, asked),
    rowsOf: ({ nodes }) => nodes.length,
  });
}

// The read of `propertyNames`: the names in the properties of devices or users, or in the parameters of the newest events.

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

// The names of the properties in JSON objects, with the types of their values and a few of these: SQL, and what its rows make.

const mostExamples = 3;

export type ValueType = 'STRING' | 'NUMBER' | 'BOOLEAN';

export interface PropertyNameFound {
  name: string;
  types: ValueType[];
  examples: (string | number | boolean)[];
}

interface PropertiesOf {
  /** Names a relation with a column `object`. */
  from: string;
  /** Further columns of it: each of their values has names of its own. */
  by: readonly string[];
  /** The names that are wanted, of the properties `p`. By default all, as they are. */
  wanted?: { join: Sql; name: Sql; condition: Sql };
}

const all = { join: empty, name: raw('p.name'), condition: sql`true` };

/** A relation in parentheses, with a row for each example: the values that most objects have. Long texts are cut. */
export function propertyValues(dialect: Dialect, { from, by, wanted = all }: PropertiesOf): Sql {
  const { properties, typeOf, ordered } = dialect;
  const own = join([...by, 'property'].map((column) => raw(column)));
  const partition = by.length === 0 ? empty : sql`PARTITION BY ${join(by.map((column) => raw(column)))}`;
  const values = sql`(SELECT ${join([...by.map((column) => raw(`o.${column}`)), wanted.name])} AS property,
      ${columnsOfValue(dialect, sql`p.value`)}
    FROM ${raw(from)} o CROSS JOIN LATERAL ${properties(sql`o.object`)} AS p ${wanted.join}
    WHERE ${typeOf(sql`p.value`)} IN ('string', 'number', 'boolean') AND ${wanted.condition})`;
  const counted = sql`(SELECT ${own}, kind, word, figure, count(*) AS objects FROM (
      SELECT ${own}, kind, substr(word, 1, 256) AS word, figure FROM ${values} AS v) AS cut
    GROUP BY ${own}, kind, word, figure)`;
  const has = (kind: number) =>
    sql`max(CASE kind WHEN ${raw(String(kind))} THEN 1 ELSE 0 END) OVER (PARTITION BY ${own})`;
  return sql`(SELECT * FROM (
    SELECT ${own}, kind, word, figure, ${has(0)} AS texts, ${has(1)} AS numbers, ${has(2)} AS booleans,
      row_number() OVER (PARTITION BY ${own} ORDER BY objects DESC, ${valueOrder(dialect)}) AS nth,
      dense_rank() OVER (${partition} ORDER BY ${ordered(sql`property`)}) AS number
    FROM ${counted} AS c) AS numbered
    WHERE nth <= ${BigInt(mostExamples)}::bigint)`;
}

export interface PropertyValueRow extends ValueRow {
  property: string;
  texts: number;
  numbers: number;
  booleans: number;
}

/** Of rows in the order of the names. */
export function propertyNamesOf(rows: readonly PropertyValueRow[]): PropertyNameFound[] {
  const found: PropertyNameFound[] = [];
  for (const row of rows) {
    if (found.at(-1)?.name !== row.property) found.push({ name: row.property, types: typesOf(row), examples: [] });
    found.at(-1)!.examples.push(valueOfRow(row)!);
  }
  return found;
}

function typesOf({ texts, numbers, booleans }: PropertyValueRow): ValueType[] {
  const types: [ValueType, number][] = [
    ['STRING', texts],
    ['NUMBER', numbers],
    ['BOOLEAN', booleans],
  ];
  return types.flatMap(([type, has]) => (has === 1 ? [type] : []));
}
