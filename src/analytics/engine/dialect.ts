// The expressions that DuckDB and PostgreSQL write differently: each engine has one record of them.
import type { QuestionValue, Sql } from './question.ts';

export type ColumnType = 'bigint' | 'double' | 'text' | 'boolean';

export type TableColumns = Record<string, { type: ColumnType; values: readonly QuestionValue[] }>;

export interface Dialect {
  /** A relation in parentheses with these columns, of equal length, and `nth` (bigint, from 0). */
  table(columns: TableColumns): Sql;
  /** The whole quotient of two bigints that are not negative. */
  quotient(dividend: Sql, divisor: Sql): Sql;
  /** The JSON value of a property (`params`, `properties`); null where the object lacks it. The name is bound. */
  property(object: Sql, name: string): Sql;
  /** Of such a value: `string`, `number`, `boolean`, `null`, or null where there is none. */
  typeOf(value: Sql): Sql;
  /** A string without its quotes, any other value as its JSON text. */
  textOf(value: Sql): Sql;
  /** The number as double; null for a value that is no number. */
  numberOf(value: Sql): Sql;
  /** The number as a decimal of 18 places, whose sums are exact; null for a value that is no number or does not fit. */
  decimalOf(value: Sql): Sql;
  /** A decimal as the nearest double: a cast alone rounds twice. */
  doubleOf(decimal: Sql): Sql;
  /** A row for each property of an object: a relation in parentheses with `name` (text) and `value` (JSON), for LATERAL. */
  properties(object: Sql): Sql;
  /** A text in the order of its code points, for ORDER BY, comparisons, min and max. */
  ordered(text: Sql): Sql;
  /** A text in lower case: in PostgreSQL whatever the locale of the database, which knows ASCII alone where it is C. */
  lower(text: Sql): Sql;
  /** The `fraction` quantile of the numbers of a group, interpolated as percentile_cont does. An aggregate. */
  quantile(value: Sql, fraction: number): Sql;
}
