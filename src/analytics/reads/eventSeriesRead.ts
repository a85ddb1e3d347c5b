// The read of `eventSeries`: the events of each selection by point and value, and the lines made of them.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { empty, join, raw, sql, question, type Question, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import {
  usesPresentProperties,
  type EventSelection,
  type EventSeriesQuestion,
  type PropertyValue,
} from '../questions.ts';
import { isComplete, reportPoints, type ReportPoint } from '../reportDays.ts';
import { mostValues, noValueColumns, sameValue, valueOfRow, valueOrder, type ValueRow } from './breakdownValues.ts';
import { isWithin, pointOf } from './pointOf.ts';
import { breakdownColumns, deviceValues, eventsJoined, isSelected } from './selectedEvents.ts';
import { measured, ordinals, seriesMeasure } from './seriesMeasure.ts';
import { isAsked } from './unitOf.ts';

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
