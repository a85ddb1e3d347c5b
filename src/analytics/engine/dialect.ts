// The expressions that DuckDB and PostgreSQL write differently: each engine has one record of them.
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';

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

// The dialect of PostgreSQL, where `params` and `properties` are jsonb.

const postgresTypes: Record<ColumnType, string> = { bigint: 'int8', double: 'float8', text: 'text', boolean: 'bool' };

/** An array of the driver would escape each value. */
const list = (type: ColumnType, values: readonly QuestionValue[]): Sql =>
  sql`ARRAY(SELECT e::${raw(postgresTypes[type])} FROM json_array_elements_text(${jsonOf(values)}::json) WITH ORDINALITY AS l (e, n) ORDER BY n)`;

/** Keeps the digits of a bigint. */
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

// The dialect of DuckDB, where `params` and `properties` are JSON as text.

const duckTypes: Record<ColumnType, string> = {
  bigint: 'BIGINT',
  double: 'DOUBLE',
  text: 'VARCHAR',
  boolean: 'BOOLEAN',
};

function column([name, { type, values }]: [string, TableColumns[string]]): Sql {
  return sql`unnest(from_json(${jsonOf(values)}::VARCHAR, ${raw(`'["${duckTypes[type]}"]'`)})) AS ${raw(`"${name}"`)}`;
}

/** A JSON Pointer (RFC 6901): the other form of a path gives some characters a meaning. */
const pointer = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

export const duckDialect: Dialect = {
  table(columns) {
    const names = Object.keys(columns).map((name) => raw(`"${name}"`));
    const length = Object.values(columns)[0]?.values.length ?? 0;
    const lists = [...Object.entries(columns).map(column), sql`unnest(range(${raw(String(length))})) AS nth`];
    return sql`(SELECT ${join([...names, raw('nth')])} FROM (SELECT ${join(lists)}) AS lists)`;
  },
  quotient: (dividend, divisor) => sql`((${dividend}) // (${divisor}))`,
  property: (object, name) => sql`json_extract(${object}, ${pointer(name)}::VARCHAR)`,
  // By its first character: json_type would parse the value again, and took 60 % longer over 3 million events.
  typeOf: (value) => sql`(CASE substr(CAST(${value} AS VARCHAR), 1, 1) WHEN '"' THEN 'string' WHEN 't' THEN 'boolean'
    WHEN 'f' THEN 'boolean' WHEN 'n' THEN 'null' WHEN '{' THEN 'object' WHEN '[' THEN 'array'
    ELSE CASE WHEN ${value} IS NOT NULL THEN 'number' END END)`,
  textOf: (value) => sql`json_extract_string(${value}, '$')`,
  // A text has its quotes, so no text is a number.
  numberOf: (value) => sql`TRY_CAST(CAST(${value} AS VARCHAR) AS DOUBLE)`,
  decimalOf: (value) => sql`TRY_CAST(CAST(${value} AS VARCHAR) AS DECIMAL(38, 18))`,
  doubleOf: (decimal) => sql`CAST(CAST(${decimal} AS VARCHAR) AS DOUBLE)`,
  properties: (object) =>
    sql`(SELECT entry.key AS name, entry.value AS value FROM (SELECT unnest(map_entries(CAST(${object} AS MAP(VARCHAR, JSON)))) AS entry))`,
  lower: (text) => sql`lower(${text})`,
  ordered: (text) => sql`(${text})`,
  quantile: (value, fraction) => sql`quantile_cont(${value}, ${raw(String(fraction))})`,
};

// A question to the engine: SQL with its name in a comment and every value bound.

export { empty, join, raw, sql, type Sql };

export interface Question {
  /** The name of the read, for the log and the metrics. */
  name: string;
  /** Values are `$1`, `$2` in both engines. */
  text: string;
  values: readonly QuestionValue[];
}

/** A UUID and a JSON value are texts, and cast in the SQL. Lists are bound by `Dialect.table`. */
export type QuestionValue = string | number | bigint | boolean | null;

/** A tag: `question('activity')` + a template. The name is in the SQL, so that the database's log tells the reads apart. */
export function question(name: string) {
  return (strings: readonly string[], ...parts: unknown[]): Question => {
    const { text, values } = sql(strings, ...parts);
    return { name, text: `/* analytics: ${name} */ ${text}`, values: values as QuestionValue[] };
  };
}
