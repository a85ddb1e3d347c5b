// The events that a selection means, as FROM and WHERE of a statement: `e`, and `d` for their devices where a part needs them.
import type { Dialect } from '../engine/dialect.ts';
import { empty, raw, sql, type Sql } from '../engine/question.ts';
import type { EventSelection, Property } from '../questions.ts';
import { columnsOfValue, noValueColumns, valueColumns } from './breakdownValues.ts';
import { allHold, needsDevice, valueOf } from './filterCondition.ts';
import { isAsked } from './unitOf.ts';

interface Asked {
  applicationId: string;
  includeTest: boolean;
}

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
