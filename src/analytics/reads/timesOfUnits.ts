// The times at which units were active, or had an event of a selection, as a relation with `unit` and `moment`.
import { raw, sql, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { EventSelection, Property, Unit } from '../questions.ts';
import { allHold, needsDevice } from './filterCondition.ts';
import { isAsked, unitOf, unitOfFirst } from './unitOf.ts';

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
