// Filters of a question as SQL (schema.graphql, "Filters" and "Conditions"): true or false, and never null.
import type { ConditionValue } from '../../campaigns/campaignRecord.ts';
import { type Dialect, join, raw, sql, type Sql } from '../engine/dialect.ts';
import { type BreakdownValue, deviceProperties, type Filter, type Property, type PropertyValue } from '../questions.ts';

/** The names that the relations have in the statement: of `analytics.events`, and of `analytics.devices`. */
export interface Rows {
  events?: string;
  devices?: string;
}

/** Whether a filter or a breakdown needs `analytics.devices`. */
export function needsDevice(parts: readonly (Property | null)[]): boolean {
  return parts.some((part) => part !== null && part.scope !== 'EVENT');
}

/** All filters together. */
export function allHold(dialect: Dialect, filters: readonly Filter[], rows: Rows): Sql {
  if (filters.length === 0) return sql`true`;
  return join(
    filters.map((filter) => holds(dialect, filter, valueOf(dialect, filter, rows))),
    ' AND ',
  );
}

/** The JSON value of a property; null where it is missing. */
export function valueOf({ property }: Dialect, part: Property, { events, devices }: Rows): Sql {
  if (part.scope === 'EVENT') return property(raw(`${events}.params`), part.property);
  if (part.scope === 'USER') return property(raw(`${devices}.user_properties`), part.property);
  return property(raw(`${devices}.properties`), deviceProperties[part.property]!);
}

function holds(dialect: Dialect, { op, value }: Filter, actual: Sql): Sql {
  const present = isPresent(dialect, actual);
  switch (op) {
    case 'EXISTS':
      return present;
    case 'NOT_EXISTS':
      return sql`NOT ${present}`;
    case 'EQ':
      return equals(dialect, actual, value);
    case 'NEQ':
      return sql`(${present} AND NOT ${equals(dialect, actual, value)})`;
    case 'IN':
      return equalsAny(dialect, actual, value);
    case 'NOT_IN':
      return sql`(${present} AND NOT ${equalsAny(dialect, actual, value)})`;
    case 'CONTAINS':
      return textHolds(dialect, actual, (text) => sql`strpos(${text}, ${value}::text) > 0`);
    case 'GT':
    case 'GTE':
    case 'LT':
    case 'LTE':
      return isOrdered(dialect, actual, { sign: signs[op], value });
  }
}

const signs = { GT: '>', GTE: '>=', LT: '<', LTE: '<=' };

/** JSON's null is no value. */
export function isPresent({ typeOf }: Dialect, actual: Sql): Sql {
  return sql`(coalesce(${typeOf(actual)}, 'null') <> 'null')`;
}

type Value = ConditionValue | null | undefined;

/** A value of another type is not equal. */
function equals(dialect: Dialect, actual: Sql, value: Value): Sql {
  if (typeof value === 'string') return textHolds(dialect, actual, (text) => sql`${text} = ${value}::text`);
  if (typeof value === 'number') return numberHolds(dialect, actual, (number) => sql`${number} = ${value}::float8`);
  const { typeOf, textOf } = dialect;
  return sql`(coalesce(${typeOf(actual)}, '') = 'boolean' AND ${textOf(actual)} = ${String(value)}::text)`;
}

function equalsAny(dialect: Dialect, actual: Sql, value: Value): Sql {
  const list = Array.isArray(value) ? value : [];
  return sql`(${join(
    list.map((each) => equals(dialect, actual, each)),
    ' OR ',
  )})`;
}

/** Values of different types have no order. */
function isOrdered(dialect: Dialect, actual: Sql, { sign, value }: { sign: string; value: Value }): Sql {
  if (typeof value === 'number')
    return numberHolds(dialect, actual, (number) => sql`${number} ${raw(sign)} ${value}::float8`);
  return textHolds(
    dialect,
    actual,
    (text) => sql`${dialect.ordered(text)} ${raw(sign)} ${dialect.ordered(sql`${value}::text`)}`,
  );
}

/** False for a value that is no text. CASE, because AND does not promise which side is computed first. */
function textHolds({ typeOf, textOf }: Dialect, actual: Sql, check: (text: Sql) => Sql): Sql {
  return sql`(CASE WHEN ${typeOf(actual)} = 'string' THEN ${check(textOf(actual))} ELSE false END)`;
}

/** False for a value that is no number. */
function numberHolds({ numberOf }: Dialect, actual: Sql, check: (number: Sql) => Sql): Sql {
  return sql`coalesce(${check(numberOf(actual))}, false)`;
}

// The values of a breakdown as SQL and back (schema.graphql, "Breakdowns"): 20 of them, with their types, and all others.

/** The slot of all values beyond these. */
export const mostValues = 20;

/**
 * Columns of a value: `kind` (0 text, 1 number, 2 boolean, 3 missing), `word` of a text or boolean, `figure` of a number.
 * Equal values have equal columns, and the columns sort as the contract says.
 */
export function valueColumns(dialect: Dialect, property: Property, rows: Rows): Sql {
  return columnsOfValue(dialect, valueOf(dialect, property, rows));
}

/** The same of a JSON value, which a large statement finds in a subquery, once for each row. */
export function columnsOfValue({ typeOf, textOf, numberOf }: Dialect, value: Sql): Sql {
  const type = sql`coalesce(${typeOf(value)}, 'null')`;
  // A sum with 0 makes of -0 the 0 that it is equal to.
  return sql`CASE ${type} WHEN 'string' THEN 0 WHEN 'number' THEN 1 WHEN 'boolean' THEN 2 ELSE 3 END AS kind,
    CASE WHEN ${type} IN ('string', 'boolean') THEN ${textOf(value)} END AS word, ${numberOf(value)} + 0 AS figure`;
}

/** For a statement without a breakdown, which then has one value. */
export const noValueColumns: Sql = sql`3 AS kind, CAST(NULL AS text) AS word, CAST(NULL AS float8) AS figure`;

/** For ORDER BY, after the number of events. */
export function valueOrder({ ordered }: Dialect): Sql {
  return sql`kind, ${ordered(sql`word`)}, figure`;
}

/**
 * Whether two rows have the same value. A kind has its columns or lacks them, so a stand-in for null equals nothing
 * else; PostgreSQL hashes no IS NOT DISTINCT FROM.
 */
export const sameValue: Sql = sql`a.kind = b.kind AND coalesce(a.word, '') = coalesce(b.word, '') AND coalesce(a.figure, 0) = coalesce(b.figure, 0)`;

export interface ValueRow {
  kind: number;
  word: string | null;
  figure: number | null;
}

export function valueOfRow({ kind, word, figure }: ValueRow): PropertyValue | null {
  if (kind === 0) return word;
  if (kind === 1) return figure;
  return kind === 2 ? word === 'true' : null;
}

/** Whether a row, with the slot of its value, belongs to a line. */
export function isOfLine({ value, isOther }: BreakdownValue): Sql {
  if (isOther) return sql`slot = ${BigInt(mostValues)}::bigint`;
  const shown = sql`slot < ${BigInt(mostValues)}::bigint`;
  if (value === null) return sql`(${shown} AND kind = 3)`;
  if (typeof value === 'number') return sql`(${shown} AND kind = 1 AND figure = ${value}::float8)`;
  return sql`(${shown} AND kind = ${typeof value === 'string' ? 0 : 2} AND word = ${String(value)}::text)`;
}

// The search of the lists as SQL: whether a text contains another, both in lower case.

/** The engines and JavaScript lower all letters alike but these two: the sigma at the end of a word, and an I with a dot. */
export function containsText(dialect: Dialect, text: Sql, searched: string): Sql {
  const lower = sql`replace(replace(${dialect.lower(text)}, 'ς', 'σ'), ${'i\u0307'}::text, 'i')`;
  return sql`(strpos(${lower}, ${searched.toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i')}::text) > 0)`;
}
