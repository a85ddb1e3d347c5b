// Filters of a question as SQL (schema.graphql, "Filters" and "Conditions"): true or false, and never null.
import type { ConditionValue } from '../../campaigns/campaignRecord.ts';
import { join, raw, sql, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import { deviceProperties, type Filter, type Property } from '../questions.ts';

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
