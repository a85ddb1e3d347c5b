// The dialect of PostgreSQL, where `params` and `properties` are jsonb.
import type { ColumnType, Dialect } from './dialect.ts';
import { join, raw, sql, type QuestionValue, type Sql } from './question.ts';

const types: Record<ColumnType, string> = { bigint: 'int8', double: 'float8', text: 'text', boolean: 'bool' };

/** An array of the driver would escape each value; JSON keeps the digits of a bigint. */
const list = (type: ColumnType, values: readonly QuestionValue[]): Sql =>
  sql`ARRAY(SELECT e::${raw(types[type])} FROM json_array_elements_text(${jsonOf(values)}::json) WITH ORDINALITY AS l (e, n) ORDER BY n)`;

function jsonOf(values: readonly QuestionValue[]): string {
  return `[${values.map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))).join(',')}]`;
}

export const postgresDialect: Dialect = {
  table(columns) {
    const names = Object.keys(columns).map((name) => raw(`"${name}"`));
    const lists = Object.values(columns).map(({ type, values }) => list(type, values));
    return sql`(SELECT ${join(names)}, n - 1 AS nth FROM unnest(${join(lists)}) WITH ORDINALITY AS t (${join(names)}, n))`;
  },
  quotient: (dividend, divisor) => sql`((${dividend}) / (${divisor}))`,
  property: (object, name) => sql`((${object}) -> ${name}::text)`,
  typeOf: (value) => sql`jsonb_typeof(${value})`,
  textOf: (value) => sql`((${value}) #>> '{}')`,
  numberOf: (value) => sql`(CASE WHEN jsonb_typeof(${value}) = 'number' THEN ((${value}) #>> '{}')::float8 END)`,
  // Beyond 10^20 the type would refuse it, as DuckDB does.
  decimalOf: (value) =>
    sql`(CASE WHEN jsonb_typeof(${value}) = 'number' AND abs(((${value}) #>> '{}')::numeric) < 1e20
      THEN round(((${value}) #>> '{}')::numeric, 18) END)`,
  doubleOf: (decimal) => sql`CAST(${decimal} AS float8)`,
  properties: (object) => sql`(SELECT key AS name, value FROM jsonb_each(${object}))`,
  lower: (text) => sql`lower((${text}) COLLATE "und-x-icu")`,
  ordered: (text) => sql`((${text}) COLLATE "C")`,
  quantile: (value, fraction) => sql`(percentile_cont(${raw(String(fraction))}) WITHIN GROUP (ORDER BY ${value}))`,
};
