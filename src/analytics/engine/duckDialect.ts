// The dialect of DuckDB, where `params` and `properties` are JSON as text.
import type { ColumnType, Dialect, TableColumns } from './dialect.ts';
import { join, raw, sql, type QuestionValue, type Sql } from './question.ts';

const types: Record<ColumnType, string> = { bigint: 'BIGINT', double: 'DOUBLE', text: 'VARCHAR', boolean: 'BOOLEAN' };

const numbers = raw("('BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT', 'DOUBLE')");

function column([name, { type, values }]: [string, TableColumns[string]]): Sql {
  return sql`unnest(from_json(${jsonOf(values)}::VARCHAR, ${raw(`'["${types[type]}"]'`)})) AS ${raw(`"${name}"`)}`;
}

/** JSON keeps the digits of a bigint. */
function jsonOf(values: readonly QuestionValue[]): string {
  return `[${values.map((value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))).join(',')}]`;
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
  typeOf: (value) => sql`(CASE WHEN json_type(${value}) IN ${numbers} THEN 'number' ELSE
    CASE json_type(${value}) WHEN 'VARCHAR' THEN 'string' WHEN 'BOOLEAN' THEN 'boolean' WHEN 'NULL' THEN 'null'
      WHEN 'OBJECT' THEN 'object' WHEN 'ARRAY' THEN 'array' END END)`,
  textOf: (value) => sql`json_extract_string(${value}, '$')`,
  numberOf: (value) =>
    sql`(CASE WHEN json_type(${value}) IN ${numbers} THEN TRY_CAST(json_extract_string(${value}, '$') AS DOUBLE) END)`,
  properties: (object) =>
    sql`(SELECT entry.key AS name, entry.value AS value FROM (SELECT unnest(map_entries(CAST(${object} AS MAP(VARCHAR, JSON)))) AS entry))`,
  ordered: (text) => sql`(${text})`,
  quantile: (value, fraction) => sql`quantile_cont(${value}, ${raw(String(fraction))})`,
};
