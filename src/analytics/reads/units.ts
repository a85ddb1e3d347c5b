// The unit of a row of `analytics.sessions` or `analytics.events` (schema.graphql, "Units and counts").
import { type Dialect, empty, raw, sql, type Sql } from '../engine/dialect.ts';
import type { EventSelection, Property, Unit } from '../questions.ts';
import { allHold, columnsOfValue, needsDevice, noValueColumns, valueColumns, valueOf } from './filters.ts';

/**
 * A key to compare, group and count by. A device's is the relation's own key, a number in the copy. A user's is text with
 * a mark before it, so that a user whose id is that of a device stays another unit.
 */
export function unitOf(unit: Unit, row: string): Sql {
  if (unit === 'DEVICE') return raw(`${row}.device`);
  const [user, device] = [raw(`${row}.unit_user`), raw(`${row}.device`)];
  return sql`(CASE WHEN ${user} IS NULL THEN 'd' || CAST(${device} AS text) ELSE 'u' || ${user} END)`;
}

/**
 * The columns that `unitOf` reads, for GROUP BY: rows are grouped by them first where there are many, because making the
 * text of a user took two thirds of the time of grouping ten million rows by it.
 */
export function unitColumns(unit: Unit, row: string): Sql {
  return raw(unit === 'DEVICE' ? `${row}.device` : `${row}.device, ${row}.unit_user`);
}

/** The same key of a row of `analytics.firsts`. */
export function unitOfFirst(unit: Unit, row: string): Sql {
  if (unit === 'DEVICE') return raw(`${row}.device`);
  const [user, device] = [raw(`${row}.user_id`), raw(`${row}.device`)];
  return sql`(CASE WHEN ${user} IS NULL THEN 'd' || CAST(${device} AS text) ELSE 'u' || ${user} END)`;
}

/** The key among users of a device, over its sessions without a user. */
export function unitOfDevice(row: string): Sql {
  return sql`('d' || CAST(${raw(`${row}.device`)} AS text))`;
}

interface Asked {
  applicationId: string;
  includeTest: boolean;
}

/** Whether the row of any relation belongs to what was asked about. */
export function isAsked({ applicationId, includeTest }: Asked, row: string): Sql {
  const own = sql`${raw(row)}.application_id = ${applicationId}::uuid`;
  return includeTest ? own : sql`${own} AND NOT ${raw(row)}.test`;
}

// The events that a selection means, as FROM and WHERE of a statement: `e`, and `d` for their devices where a part needs them.

/** Whether `e` is one of the events; `devices` has then to be joined for its filters. */
export function isSelected(dialect: Dialect, { name, system, filters }: EventSelection): Sql {
  const named = sql`e.name = ${name}::text AND ${system ? empty : sql`NOT `}e.system`;
  return filters.length === 0 ? sql`(${named})` : sql`(${named} AND ${allHold(dialect, filters, eventRows)})`;
}

export const eventRows = { events: 'e', devices: 'd' };

/** `analytics.events e`, with the joins that the filters and the breakdown of the question need. */
export function eventsJoined(parts: readonly Property[], breakdown: Property | null): Sql {
  const devices = needsDevice(parts) ? sql` JOIN analytics.devices d ON d.device = e.device` : empty;
  const values = needsDevice([breakdown]) ? sql` JOIN device_values v ON v.device = e.device` : empty;
  return sql`analytics.events e${devices}${values}`;
}

/** The value of `e` as one column, and as the columns that are made of it in a statement around: a device has its own once. */
export function breakdownColumns(dialect: Dialect, breakdown: Property | null): { found: Sql; made: Sql } {
  if (!breakdown) return { found: sql`1 AS whole`, made: noValueColumns };
  if (needsDevice([breakdown]))
    return { found: raw('v.kind, v.word, v.figure'), made: raw('e.kind, e.word, e.figure') };
  return {
    found: sql`${valueOf(dialect, breakdown, eventRows)} AS value`,
    made: columnsOfValue(dialect, raw('e.value')),
  };
}

/** The common table `device_values` that `eventsJoined` names, with its comma; nothing where it names none. */
export function deviceValues(dialect: Dialect, asked: Asked, breakdown: Property | null): Sql {
  if (!breakdown || !needsDevice([breakdown])) return empty;
  return sql`device_values AS (
      SELECT d.device, ${valueColumns(dialect, breakdown, eventRows)} FROM analytics.devices d WHERE ${isAsked(asked, 'd')}),`;
}

// The times at which units were active, or had an event of a selection, as a relation with `unit` and `moment`.

export interface AskedUnits {
  applicationId: string;
  includeTest: boolean;
  unit: Unit;
}

export interface Times {
  /** Null: any activity. */
  selection: EventSelection | null;
  /** A condition on a time. */
  within(at: Sql): Sql;
}

export function timesOf(dialect: Dialect, asked: AskedUnits, { selection, within }: Times): Sql {
  const { unit } = asked;
  const own = (row: string) => sql`${isAsked(asked, row)} AND ${within(raw(`${row}.at`))}`;
  if (selection === null) {
    return sql`SELECT ${unitOf(unit, 's')} AS unit, s.at AS moment FROM analytics.sessions s WHERE ${own('s')}
      UNION ALL SELECT ${unitOf(unit, 'e')}, e.at FROM analytics.events e WHERE ${own('e')} AND NOT e.mirror`;
  }
  return sql`SELECT ${unitOf(unit, 'e')} AS unit, e.at AS moment FROM ${selectedEvents(dialect, { selection, isOwn: own('e') })}`;
}

/**
 * The first time ever of each unit: of the rows, and of those that retention has removed, which no filter can be asked of.
 * `known` gives the times of the rows where the statement has them already, in this order of columns.
 */
export function firstTimesOf(
  dialect: Dialect,
  asked: AskedUnits,
  { selection, known = null }: { selection: EventSelection | null; known?: Sql | null },
): Sql {
  const times = known ?? timesOf(dialect, asked, { selection, within: () => sql`true` });
  const { unit } = asked;
  const name = selection?.name ?? '';
  const kept = sql`UNION ALL SELECT ${unitOfFirst(unit, 'f')}, f.at FROM analytics.firsts f
    WHERE ${isAsked(asked, 'f')} AND f.unit = ${unit}::text AND f.name = ${name}::text
      AND f.system = ${selection?.system ?? false}::boolean`;
  const isFiltered = selection !== null && selection.filters.length > 0;
  return sql`SELECT unit, min(moment) AS moment FROM (
    SELECT * FROM (${times}) AS rows_of (unit, moment) ${isFiltered ? sql`` : kept}) AS every GROUP BY unit`;
}

interface Selected {
  selection: EventSelection;
  /** A condition on `e`. */
  isOwn: Sql;
  /** What else is asked of `e` or its device `d`. */
  breakdown?: Property | null;
}

/** FROM and WHERE of the events `e` that are selected. */
export function selectedEvents(dialect: Dialect, { selection, isOwn, breakdown = null }: Selected): Sql {
  const { name, system, filters } = selection;
  const device = needsDevice([...filters, breakdown])
    ? sql`JOIN analytics.devices d ON d.application_id = e.application_id AND d.device = e.device`
    : sql``;
  return sql`analytics.events e ${device}
    WHERE ${isOwn} AND e.name = ${name}::text AND e.system = ${system}::boolean
      AND ${allHold(dialect, filters, { events: 'e', devices: 'd' })}`;
}
