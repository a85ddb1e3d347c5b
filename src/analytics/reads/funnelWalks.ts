// The way of each unit through a funnel as common tables: `step0`, `step1` … have the units that reached the step.
import type { Dialect } from '../engine/dialect.ts';
import { empty, join, raw, sql, type Sql } from '../engine/question.ts';
import { usesPresentProperties, type EventSelection, type FunnelQuestion } from '../questions.ts';
import { microsOf, reportPoints } from '../reportDays.ts';
import { breakdownColumns, deviceValues, eventsJoined, isSelected } from './selectedEvents.ts';
import { isAsked, unitOf } from './unitOf.ts';

/**
 * The tables `step0` … have `unit`, `nth` and `at` of its event, and `before`, the time of the step before. `chosen` has,
 * with a breakdown, the value of each event.
 */
export function funnelWalks(dialect: Dialect, asked: FunnelQuestion): Sql {
  const steps = asked.order === 'ORDERED' ? inOrder(asked.steps) : inAnyOrder(asked.steps);
  return sql`${deviceValues(dialect, asked, asked.breakdown)} ${begun(dialect, asked)}, ${chosen(dialect, asked)},
    step0 AS (
      SELECT c.unit, min(c.nth) AS nth, min(c.at) AS at, CAST(NULL AS bigint) AS before
      FROM chosen c WHERE c.fits0 AND c.at < ${rangeOf(asked).end}::bigint GROUP BY c.unit),
    ${steps}`;
}

function rangeOf(asked: FunnelQuestion): { start: bigint; end: bigint } {
  const points = reportPoints(asked, 'DAY');
  return { start: microsOf(points[0]?.start ?? 0), end: microsOf(points.at(-1)?.end ?? 0) };
}

/** When each unit entered. What is before, or after its window, is neither sorted nor kept. */
function begun(dialect: Dialect, asked: FunnelQuestion): Sql {
  const { start, end } = rangeOf(asked);
  const [first] = asked.steps;
  return sql`begun AS (
      SELECT ${unitOf(asked.unit, 'e')} AS unit, min(e.at) AS at FROM ${eventsJoined(first!.filters, null)}
      WHERE ${isAsked(asked, 'e')} AND e.at >= ${start}::bigint AND e.at < ${end}::bigint
        AND ${isSelected(dialect, first!)} GROUP BY 1)`;
}

/** The events of any step from then on, numbered in the order of "Times of events and sessions". */
function chosen(dialect: Dialect, asked: FunnelQuestion): Sql {
  const { steps, unit, breakdown, withinMicros } = asked;
  const { start, end } = rangeOf(asked);
  const ids = steps.map((_, index) => raw(`fits${index}`));
  const fits = steps.map((step, index) => sql`${isSelected(dialect, step)} AS ${ids[index]!}`);
  const { found, made } = breakdownColumns(dialect, breakdown);
  // The events of one device need no order among devices.
  const several = unit === 'USER';
  const device = several ? sql`${dialect.ordered(sql`i.id`)} AS device_id` : sql`1 AS device_id`;
  const filters = steps.flatMap((step) => step.filters);
  return sql`chosen AS (
      SELECT e.unit, e.at, ${join(ids)}, ${made}, row_number() OVER (PARTITION BY e.unit
        ORDER BY e.at, e.session_arrived_at, e.session_id, e.device_id, e.arrived_at, e.place) AS nth
      FROM (
        SELECT ${unitOf(unit, 'e')} AS unit, e.at, e.session_arrived_at, ${dialect.ordered(raw('e.session_id'))} AS session_id,
          ${device}, e.arrived_at, e.place, ${join(fits)}, ${found}
        FROM ${eventsJoined(filters, breakdown)} ${several ? sql`JOIN analytics.devices i ON i.device = e.device` : empty}
        WHERE ${isAsked(asked, 'e')} AND e.at >= ${start}::bigint AND e.at < ${end + withinMicros}::bigint
          AND (${join(
            steps.map((step) => isSelected(dialect, step)),
            ' OR ',
          )})) AS e
      JOIN begun b ON b.unit = e.unit AND e.at >= b.at AND e.at <= b.at + ${withinMicros}::bigint)`;
}

/** Each step by the first event after that of the step before. */
function inOrder(steps: readonly EventSelection[]): Sql {
  const later = steps.slice(1).map((_, index) => {
    const [before, step, fits] = [raw(`step${index}`), raw(`step${index + 1}`), raw(`c.fits${index + 1}`)];
    return sql`${step} AS (
      SELECT c.unit, min(c.nth) AS nth, min(c.at) AS at, min(p.at) AS before
      FROM chosen c JOIN ${before} p ON p.unit = c.unit AND c.nth > p.nth WHERE ${fits} GROUP BY c.unit)`;
  });
  return join(later);
}

/**
 * Each step by an event of its own: that is possible when, for any set of steps, as many events fit at least one of them as
 * there are steps in the set (P. Hall, 1935). Steps of different names share no event, so only sets of one name count.
 */
function inAnyOrder(steps: readonly EventSelection[]): Sql {
  const conditions = steps.map((_, step) => {
    const sets = step === 0 ? [] : setsUpTo(steps, step);
    const enough = sets.map((set) => {
      const fits = set.map((index) => raw(`c.fits${index}`));
      return sql`count(CASE WHEN ${join(fits, ' OR ')} THEN 1 END) >= ${raw(String(set.length))}`;
    });
    return sql`WHEN NOT (${join(enough.length > 0 ? enough : [sql`true`], ' AND ')}) THEN ${raw(String(step))}`;
  });
  const later = steps.slice(1).map((_, index) => {
    const number = raw(String(index + 1));
    return sql`${raw(`step${index + 1}`)} AS (
      SELECT unit, CAST(NULL AS bigint) AS nth, CAST(NULL AS bigint) AS at, CAST(NULL AS bigint) AS before
      FROM reached WHERE steps > ${number})`;
  });
  return sql`reached AS (
      SELECT c.unit, CASE ${join(conditions, ' ')} ELSE ${raw(String(steps.length))} END AS steps
      FROM chosen c JOIN step0 p ON p.unit = c.unit AND c.nth > p.nth GROUP BY c.unit),
    ${join(later)}`;
}

/** The sets of steps after the first one, of one name, whose last step is `last`. */
function setsUpTo(steps: readonly EventSelection[], last: number): number[][] {
  const { name, system } = steps[last]!;
  const before = steps.flatMap((step, index) =>
    index > 0 && index < last && step.name === name && step.system === system ? [index] : [],
  );
  return before.reduce<number[][]>((sets, index) => [...sets, ...sets.map((set) => [...set, index])], [[last]]);
}

export function usesPresent({ breakdown, steps }: FunnelQuestion): boolean {
  return usesPresentProperties([breakdown, ...steps.flatMap(({ filters }) => filters)]);
}
