// The names of the properties in JSON objects, with the types of their values and a few of these: SQL, and what its rows make.
import { empty, join, raw, sql, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import { columnsOfValue, valueOfRow, valueOrder, type ValueRow } from './breakdownValues.ts';

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
