// The lines of a report: their keys in the URL, their names, which of them are drawn, and what is behind them.
import type { EventsReportQuery } from '../../../../generated/screens/events/graphql.ts';
import type { Behind } from '../../parts/behind/BehindDrawer.tsx';
import type { ChartLine } from '../../parts/chart/plot.ts';
import { breakdownWords, selectionWords, type Selection } from '../../parts/events/selection.ts';
import { count, decimal } from '../../parts/figures.ts';
import { mostLines } from '../searches.ts';
import { type Measure, type SeriesQuestion } from './question.ts';

export type Report = NonNullable<EventsReportQuery['eventSeries']>;
export type ReportBefore = NonNullable<EventsReportQuery['before']>;
export type Line = Report['series'][number];

/** Stays the same when the range changes: the place of the event, and the value with its type. */
export const keyOf = ({ index, breakdownValue, isOther }: Line): string =>
  `${index} ${isOther ? 'other' : JSON.stringify(breakdownValue ?? null)}`;

export const valueWords = ({ breakdownValue, isOther }: Line): string => breakdownWords(breakdownValue, isOther);

/** The value alone where one event is broken down. */
export function lineName(line: Line, { events, breakdown }: { events: Selection[]; breakdown: object | null }): string {
  const event = selectionWords(events[line.index]!);
  if (breakdown === null) return event;
  return events.length === 1 ? valueWords(line) : `${event}: ${valueWords(line)}`;
}

/** Those that the URL names, else the values with the most events of each event. */
export function drawnOf(series: readonly Line[], chosen: readonly string[] | undefined): Line[] {
  const drawn = series.filter((line) => chosen?.includes(keyOf(line)));
  if (drawn.length > 0) return drawn;
  const ranks = series.map((line) => ({
    line,
    rank: series.filter(({ index }) => index === line.index).indexOf(line),
  }));
  const first = [...ranks].sort((a, b) => a.rank - b.rank).slice(0, mostLines);
  return series.filter((line) => first.some((one) => one.line === line));
}

export function chartLines(drawn: readonly Line[], nameOf: (line: Line) => string): ChartLine[] {
  return drawn.map((line, at) => ({
    name: nameOf(line),
    values: line.points.map(({ value }) => value ?? null),
    color: at + 1,
  }));
}

/** Numbers of events and units are whole; the others have digits after the point. */
export const formatOf = (measure: Measure): ((value: number) => string) =>
  measure === 'COUNT' || measure === 'UNIQUE' ? count : decimal;

interface Figure {
  line: Line;
  /** Absent: of the whole range. */
  start?: string;
  title: string;
}

export function behindOf(question: SeriesQuestion, { line, start, title }: Figure): Behind {
  const value = line.isOther ? { isOther: true } : { breakdownValue: line.breakdownValue ?? null };
  const part = question.breakdown === null ? {} : value;
  const point = { series: line.index, ...(start !== undefined && { start }), ...part };
  return { title, of: { eventSeries: question }, point: { eventSeries: point } };
}
