// The values of a breakdown as SQL and back (schema.graphql, "Breakdowns"): 20 of them, with their types, and all others.
import { sql, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { BreakdownValue, Property, PropertyValue } from '../questions.ts';
import { valueOf, type Rows } from './filterCondition.ts';

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
