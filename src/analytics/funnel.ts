// query funnel: how many units go through steps.
import type { Funnel, QueryFunnelArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { type AnalyticsNeeds, askEngine, inItsZone } from './askEngine.ts';
import { type Dialect, empty, join, question, type Question, raw, sql, type Sql } from './engine/dialect.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import {
  type EventSelection,
  type Figure,
  type FunnelQuestion,
  type PropertyValue,
  usesPresentProperties,
} from './questions.ts';
import { isOfLine, mostValues, sameValue, valueOfRow, valueOrder, type ValueRow } from './reads/filters.ts';
import { breakdownColumns, deviceValues, eventsJoined, isAsked, isSelected, unitOf } from './reads/units.ts';
import { microsOf, reportPoints } from './reportDays.ts';
import { readFunnelInput } from './reportInput.ts';

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function funnel({ input }: QueryFunnelArgs, needs: AnalyticsNeeds): Promise<Funnel> {
  const rules = inputRules();
  const asked = readFunnelInput(rules, 'input', input);
  rules.assert();
  const question = await inItsZone<FunnelQuestion>(needs, asked);
  return askEngine({
    needs,
    path: 'input',
    read: (engine) => readFunnel(engine, question),
    rowsOf: ({ steps, breakdown }) => steps.length * (1 + (breakdown?.length ?? 0)) + (breakdown?.length ?? 0),
  });
}

// The read of `funnel`: how many units reach each step, by the value at their entering event.

export interface FunnelFigures {
  index: number;
  count: number;
  conversion: number | null;
  fromPrevious: number | null;
  medianSeconds: number | null;
}

export interface FunnelResult {
  steps: FunnelFigures[];
  breakdown: { value: PropertyValue | null; isOther: boolean; steps: FunnelFigures[] }[] | null;
  presentProperties: boolean;
  asOf: Date;
}

export async function readFunnel(engine: AnalyticsEngine, asked: FunnelQuestion): Promise<FunnelResult> {
  const { rows, asOf } = await engine.ask<Row>(statement(engine.dialect, asked));
  const stepsOf = (slot: number | null) =>
    figuresOf(asked, (step) => rows.find((row) => row.step === step && row.slot === slot));
  const lines = rows
    .filter(({ step, slot }) => step === 0 && slot !== null)
    .sort((one, other) => one.slot! - other.slot!);
  const breakdown = lines.map((line) => ({
    value: valueOfRow(line),
    isOther: line.slot === mostValues,
    steps: stepsOf(line.slot),
  }));
  return {
    steps: stepsOf(null),
    breakdown: asked.breakdown && breakdown,
    presentProperties: usesPresent(asked),
    asOf,
  };
}

interface Row extends ValueRow {
  step: number;
  /** The place of the value; null: all values together. */
  slot: number | null;
  count: number;
  median: number | null;
}

function figuresOf({ steps }: FunnelQuestion, rowOf: (step: number) => Row | undefined): FunnelFigures[] {
  const countOf = (step: number) => rowOf(Math.max(0, step))?.count ?? 0;
  const share = (count: number, of: number) => (of === 0 ? null : count / of);
  return steps.map((_, index) => ({
    index,
    count: countOf(index),
    conversion: share(countOf(index), countOf(0)),
    fromPrevious: share(countOf(index), countOf(index - 1)),
    medianSeconds: rowOf(index)?.median ?? null,
  }));
}

function statement(dialect: Dialect, asked: FunnelQuestion): Question {
  const { breakdown, steps } = asked;
  const median = dialect.quantile(sql`(s.at - s.before) / 1000000.0::float8`, 0.5);
  const counted = steps.map((_, index) => {
    const [number, step] = [raw(String(index)), raw(`step${index}`)];
    const all = sql`SELECT ${number} AS step, CAST(NULL AS bigint) AS slot, count(*) AS count, ${median} AS median FROM ${step} s`;
    if (!breakdown) return all;
    return sql`${all} UNION ALL SELECT ${number}, p.slot, count(*), ${median}
      FROM ${step} s JOIN placed p ON p.unit = s.unit GROUP BY p.slot`;
  });
  return question('funnel')`WITH ${funnelWalks(dialect, asked)}, ${breakdown ? enteringValues(dialect) : nowhere},
    counted AS (${join(counted, ' UNION ALL ')})
  SELECT c.step, c.slot, c.count, c.median, coalesce(t.kind, 3) AS kind, t.word, t.figure
    FROM counted c LEFT JOIN tops t ON c.step = 0 AND t.slot = c.slot`;
}

const nowhere: Sql = sql`tops AS (
    SELECT 0::bigint AS slot, 3 AS kind, CAST(NULL AS text) AS word, CAST(NULL AS float8) AS figure WHERE false)`;

// The way of each unit through a funnel as common tables: `step0`, `step1` … have the units that reached the step.

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

// The values of a funnel's breakdown as common tables: each unit belongs to the value at its entering event.

/**
 * Beside the tables of `funnelWalks`: `placed` has each unit with the `slot` of the value at its entering event, and `tops` the
 * values of the slots.
 */
export function enteringValues(dialect: Dialect): Sql {
  return sql`entering AS (
      SELECT c.unit, c.kind, c.word, c.figure FROM step0 s JOIN chosen c ON c.unit = s.unit AND c.nth = s.nth),
    ranked AS (
      SELECT kind, word, figure, row_number() OVER (ORDER BY count(*) DESC, ${valueOrder(dialect)}) - 1 AS slot
      FROM entering GROUP BY kind, word, figure),
    tops AS (SELECT * FROM ranked WHERE slot < ${BigInt(mostValues)}::bigint),
    placed AS (
      SELECT a.unit, coalesce(b.slot, ${BigInt(mostValues)}::bigint) AS slot FROM entering a LEFT JOIN tops b ON ${sameValue})`;
}

// The units of a step of `funnel`, or those that it has lost since the step before, where wanted of one line of its breakdown.

type FunnelFigure = Extract<Figure, { of: 'funnel' }>;

/** A relation with `unit`. */
export function funnelUnits(dialect: Dialect, { question, step, dropped, line }: FunnelFigure): Sql {
  const reached = raw(`step${step}`);
  const units = dropped
    ? sql`SELECT unit FROM ${raw(`step${step - 1}`)} EXCEPT SELECT unit FROM ${reached}`
    : sql`SELECT unit FROM ${reached}`;
  const walks = funnelWalks(dialect, question);
  if (!question.breakdown || !line) return sql`WITH ${walks} ${units}`;
  return sql`WITH ${walks}, ${enteringValues(dialect)},
    lines AS (SELECT p.unit, p.slot, t.kind, t.word, t.figure FROM placed p LEFT JOIN tops t ON t.slot = p.slot)
    SELECT unit FROM (${units}) AS units WHERE unit IN (SELECT unit FROM lines WHERE ${isOfLine(line)})`;
}
