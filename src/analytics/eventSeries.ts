// query eventSeries: a measure of events over time, by the values of a property.
import type { EventSeries, QueryEventSeriesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { type AnalyticsNeeds, askEngine, inItsZone } from './askEngine.ts';
import { type Dialect, empty, join, question, type Question, raw, sql, type Sql } from './engine/dialect.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import {
  type EventSelection,
  type EventSeriesQuestion,
  type Figure,
  type Measure,
  type PropertyValue,
  usesPresentProperties,
} from './questions.ts';
import {
  isOfLine,
  mostValues,
  noValueColumns,
  sameValue,
  valueColumns,
  valueOfRow,
  valueOrder,
  type ValueRow,
} from './reads/filters.ts';
import {
  breakdownColumns,
  deviceValues,
  eventsJoined,
  isAsked,
  isSelected,
  selectedEvents,
  unitOf,
} from './reads/units.ts';
import { isComplete, isWithin, pointOf, pointsOfStart, type ReportPoint, reportPoints } from './reportDays.ts';
import { readEventSeriesInput } from './reportInput.ts';

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function eventSeries({ input }: QueryEventSeriesArgs, needs: AnalyticsNeeds): Promise<EventSeries> {
  const rules = inputRules();
  const asked = readEventSeriesInput(rules, 'input', input);
  rules.assert();
  const question = await inItsZone<EventSeriesQuestion>(needs, asked);
  return askEngine({
    needs,
    path: 'input',
    read: (engine) => readEventSeries(engine, question, needs.now()),
    rowsOf: ({ series }) => series.reduce((sum, { points }) => sum + 1 + points.length, 0),
    less: 'fewer events or days, a longer interval or no breakdown',
  });
}

// The read of `eventSeries`: the events of each selection by point and value, and the lines made of them.

export interface SeriesLine {
  /** Of the event in the question. */
  index: number;
  event: string;
  breakdownValue: PropertyValue | null;
  isOther: boolean;
  points: { start: Date; complete: boolean; value: number | null }[];
  total: number | null;
}

export interface EventSeriesResult {
  series: SeriesLine[];
  presentProperties: boolean;
  asOf: Date;
}

export async function readEventSeries(
  engine: AnalyticsEngine,
  asked: EventSeriesQuestion,
  now: Date,
): Promise<EventSeriesResult> {
  const points = reportPoints(asked, asked.interval);
  const { rows, asOf } = await engine.ask<Row>(statement(engine.dialect, asked, points));
  const { breakdown, events } = asked;
  const starts = points.map((point) => ({ start: new Date(point.start), complete: isComplete(point, { now, asOf }) }));
  const found = new Map(rows.map((row) => [keyOf(row), row.value]));
  const series = linesOf(asked, rows).map((line): SeriesLine => {
    const { series: index, slot } = line;
    const valueAt = (point: number | null) => measured(asked.measure, found.get(keyOf({ series: index, slot, point })));
    return {
      ...{ index, event: events[index]!.name, breakdownValue: valueOfRow(line), isOther: slot === mostValues },
      points: starts.map((each, point) => ({ ...each, value: valueAt(point) })),
      total: valueAt(null),
    };
  });
  const presentProperties = usesPresentProperties([breakdown, ...filtersOf(events)]);
  return { series, presentProperties, asOf };
}

interface Row extends ValueRow {
  series: number;
  /** The place of the value in its series; `mostValues` of all others together. */
  slot: number;
  /** Null: the whole range. Only such a row has its value of the breakdown. */
  point: number | null;
  value: number | null;
}

const keyOf = ({ series, slot, point }: Pick<Row, 'series' | 'slot' | 'point'>) => `${series} ${slot} ${point}`;

type Line = Pick<Row, 'series' | 'slot' | keyof ValueRow>;

/** With a breakdown those that have events, without one those of all events. */
function linesOf({ breakdown, events }: EventSeriesQuestion, rows: readonly Row[]): Line[] {
  if (!breakdown) return events.map((_, series) => ({ series, slot: 0, kind: 3, word: null, figure: null }));
  const lines = rows.filter(({ point }) => point === null);
  return lines.sort((one, other) => one.series - other.series || one.slot - other.slot);
}

const filtersOf = (events: readonly EventSelection[]) => events.flatMap(({ filters }) => filters);

/** Events become counts by point and value first: what is left of ten million is ranked and summed up. */
function statement(dialect: Dialect, asked: EventSeriesQuestion, points: readonly ReportPoint[]): Question {
  const { value } = seriesMeasure(dialect, asked);
  const sent = asked.events.map((selection, index) => sentOf(dialect, asked, { selection, index, points }));
  return question('eventSeries')`WITH ${deviceValues(dialect, asked, asked.breakdown)}
    sent AS (${join(sent, ' UNION ALL ')}), ${placed(dialect, asked)},
    measures AS (
      SELECT series, slot, point, ${value} AS value FROM placed GROUP BY series, slot, point
      UNION ALL SELECT series, slot, CAST(NULL AS bigint), ${value} FROM placed GROUP BY series, slot)
  SELECT m.series, m.slot, m.point, m.value, coalesce(t.kind, 3) AS kind, t.word, t.figure
    FROM measures m LEFT JOIN tops t ON m.point IS NULL AND t.series = m.series AND t.slot = m.slot`;
}

interface Selected {
  selection: EventSelection;
  index: number;
  points: readonly ReportPoint[];
}

function sentOf(dialect: Dialect, asked: EventSeriesQuestion, { selection, index, points }: Selected): Sql {
  const { breakdown } = asked;
  const { needed, kept, grouped } = seriesMeasure(dialect, asked);
  const { found, made } = breakdownColumns(dialect, breakdown);
  return sql`SELECT ${BigInt(index)}::bigint AS series, ${pointOf(dialect, raw('e.at'), points)} AS point, ${made}, ${kept}
    FROM (
      SELECT e.at, ${needed}, ${found} FROM ${eventsJoined(selection.filters, breakdown)}
      WHERE ${isAsked(asked, 'e')} AND ${isWithin(raw('e.at'), points)} AND ${isSelected(dialect, selection)}) AS e
    ${grouped === null ? empty : sql`GROUP BY ${ordinals(5 + grouped)}`}`;
}

/** Gives each value its slot. A statement without a breakdown has one value, and ranks nothing. */
function placed(dialect: Dialect, { breakdown }: EventSeriesQuestion): Sql {
  if (!breakdown) {
    return sql`placed AS (SELECT s.*, 0::bigint AS slot FROM sent s),
      tops AS (SELECT 0::bigint AS series, 0::bigint AS slot, ${noValueColumns} WHERE false)`;
  }
  return sql`ranked AS (
      SELECT series, kind, word, figure,
        row_number() OVER (PARTITION BY series ORDER BY sum(events) DESC, ${valueOrder(dialect)}) - 1 AS slot
      FROM sent GROUP BY series, kind, word, figure),
    tops AS (SELECT * FROM ranked WHERE slot < ${BigInt(mostValues)}::bigint),
    placed AS (
      SELECT a.*, coalesce(b.slot, ${BigInt(mostValues)}::bigint) AS slot
      FROM sent a LEFT JOIN tops b ON a.series = b.series AND ${sameValue})`;
}

// The measures of `eventSeries` as SQL: what is kept of the events, and what a line makes of it (schema.graphql, "Analytics").

/**
 * A property may have numbers up to 1.8e308, whose sum both engines refuse. A power of two changes the exponent of a
 * number and none of its digits.
 */
const scale = 2 ** 64;

/** PostgreSQL refuses a product that is too small for a double. */
const smallest = 1e-280;

interface SeriesMeasure {
  /** Columns of an event: each is computed once, and used below under its name. */
  needed: Sql;
  /** Columns of `e` beside its series, point and value: first those to group by, then the aggregates. */
  kept: Sql;
  /** How many columns are grouped by; null where each event stays a row. */
  grouped: number | null;
  /** The measure of a group of such rows. */
  value: Sql;
}

const events = raw('CAST(sum(events) AS bigint)');

export function seriesMeasure(dialect: Dialect, { measure, property, unit }: EventSeriesQuestion): SeriesMeasure {
  const units = { needed: sql`${unitOf(unit, 'e')} AS unit`, kept: sql`e.unit, count(*) AS events`, grouped: 1 };
  const needed = sql`${dialect.property(raw('e.params'), property ?? '')} AS given`;
  const number = scaled(dialect.numberOf(raw('e.given')));
  const exact = exactOf(dialect);
  const sums = {
    ...{ needed, grouped: 0 },
    kept: sql`count(*) AS events, sum(${exact}) AS exact, count(${number}) AS numbers,
      sum(CASE WHEN ${exact} IS NULL THEN ${number} END) AS amount`,
  };
  // Null without a number.
  const sum = sql`(CASE WHEN sum(numbers) > 0
    THEN coalesce(${dialect.doubleOf(sql`sum(exact)`)} * ${1 / scale}::float8, 0) + coalesce(sum(amount), 0) END)`;
  const numbers = { needed, grouped: null, kept: sql`1::bigint AS events, ${number} AS number` };
  switch (measure) {
    case 'COUNT':
      return { needed: sql`1 AS one`, kept: sql`count(*) AS events`, grouped: 0, value: events };
    case 'UNIQUE':
      return { ...units, value: sql`count(DISTINCT unit)` };
    case 'PER_UNIT':
      return { ...units, value: sql`CAST(sum(events) AS float8) / count(DISTINCT unit)` };
    case 'SUM':
      return { ...sums, value: sum };
    case 'AVERAGE':
      return { ...sums, value: sql`${sum} / CAST(nullif(sum(numbers), 0) AS float8)` };
    case 'MEDIAN':
      return { ...numbers, value: dialect.quantile(sql`number`, 0.5) };
    case 'P90':
      return { ...numbers, value: dialect.quantile(sql`number`, 0.9) };
  }
}

/**
 * A number that people write: thirty times 0.1 is 3, and not what thirty doubles next to it give. Null for what a decimal of 18
 * places does not hold to the last digit; below 10^9 the sum of any number of events fits.
 */
function exactOf(dialect: Dialect): Sql {
  const [given, decimal] = [dialect.numberOf(raw('e.given')), dialect.decimalOf(raw('e.given'))];
  return sql`(CASE WHEN abs(${given}) < 1e9 AND ${dialect.doubleOf(decimal)} = ${given} THEN ${decimal} END)`;
}

function scaled(number: Sql): Sql {
  return sql`(CASE WHEN abs(${number}) < ${smallest}::float8 THEN 0 ELSE ${number} * ${1 / scale}::float8 END)`;
}

/** Whether the figure is made of events alone, so that no unit is counted. */
export function isOfEvents(measure: Measure): boolean {
  return measure === 'COUNT' || ofNumbers.includes(measure);
}

const ofNumbers: readonly Measure[] = ['SUM', 'AVERAGE', 'MEDIAN', 'P90'];

/** The measure as the response has it. `found` is null or undefined without an event or a number. */
export function measured(measure: Measure, found: number | null | undefined): number | null {
  if (found == null) return ['COUNT', 'UNIQUE', 'SUM'].includes(measure) ? 0 : null;
  if (!ofNumbers.includes(measure)) return found;
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, found * scale));
}

/** Numbers of the columns to group by, from the first on. */
export function ordinals(count: number): Sql {
  return join(Array.from({ length: count }, (_, index) => raw(String(index + 1))));
}

// The units behind a point of `eventSeries`, where wanted of one line of its breakdown.

type SeriesFigure = Extract<Figure, { of: 'eventSeries' }>;

/** A relation with `unit`. */
export function seriesUnits(dialect: Dialect, { question, series, start, line }: SeriesFigure): Sql {
  const { breakdown, unit } = question;
  const points = reportPoints(question, question.interval);
  const isInside = isWithin(sql`e.at`, pointsOfStart(points, start));
  const isOwn = sql`${isAsked(question, 'e')} AND ${isWithin(sql`e.at`, points)}`;
  const events = selectedEvents(dialect, { selection: question.events[series]!, isOwn, breakdown });
  if (!breakdown || !line) return sql`SELECT DISTINCT ${unitOf(unit, 'e')} AS unit FROM ${events} AND ${isInside}`;
  const values = valueColumns(dialect, breakdown, { events: 'e', devices: 'd' });
  return sql`WITH
    sent AS (
      SELECT ${unitOf(unit, 'e')} AS unit, ${isInside} AS inside, ${values} FROM ${events}),
    lines AS (
      SELECT kind, word, figure, count(*) AS events,
        least(row_number() OVER (ORDER BY count(*) DESC, ${valueOrder(dialect)}) - 1, ${BigInt(mostValues)}::bigint) AS slot
      FROM sent GROUP BY kind, word, figure)
    SELECT DISTINCT a.unit FROM sent a JOIN (SELECT kind, word, figure FROM lines WHERE ${isOfLine(line)}) AS b ON ${sameValue}
    WHERE a.inside`;
}
