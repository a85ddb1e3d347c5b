// The response of the report: its chart, the figures of the whole range, and what to know of them.
import { Checkbox, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { EventsReportQuery } from '../../../../generated/screens/events/graphql.ts';
import { useBehind, type Behind } from '../../parts/BehindDrawer.tsx';
import { DataTable, type Column } from '../../parts/DataTable.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { TimeChart } from '../../parts/TimeChart.tsx';
import { change, count, dayName, decimal, percent, time } from '../../parts/figures.ts';
import { FigureButton } from '../../parts/links.tsx';
import type { ChartLine } from '../../parts/plot.ts';
import { isComparable, periodBefore, pointName, pointStyle } from '../../parts/range.ts';
import { breakdownWords, selectionWords, type Selection } from '../../parts/selection.ts';
import { useApplication } from '../../session/me.ts';
import { mostLines } from '../searches.ts';
import classes from './Events.module.css';
import type { Definition, Measure, SeriesQuestion } from './question.ts';

interface SeriesReportProps {
  report: Report;
  /** The same of the period before. Null with a breakdown. */
  before: ReportBefore | null;
  question: SeriesQuestion;
  definition: Definition;
  /** The keys of the drawn lines, as the URL has them. */
  chosen: string[] | undefined;
  choose: (lines: string[] | undefined) => void;
}

export function SeriesReport({ report, before, question, definition, chosen, choose }: SeriesReportProps) {
  const { timeZone } = useApplication();
  const behind = useBehind();
  const { series, presentProperties, asOf } = report;
  const drawn = useDrawn(series, chosen);
  const { interval, from, to } = question;
  const nameOf = (line: Line): string => lineName(line, definition);
  const lines = useLines({ report, before, question, drawn, names: drawn.map(nameOf) });
  const open = (line: Line, start?: string): void => {
    const when = start === undefined ? `${dayName(from)} to ${dayName(to)}` : pointName(start, interval, timeZone);
    behind.open(behindOf(question, { line, start, title: `${nameOf(line)}, ${when}` }));
  };
  const points = series[0]?.points ?? [];
  return (
    <Stack gap="sm">
      <TimeChart
        title="Events over time"
        points={points}
        lines={lines}
        timeZone={timeZone}
        by={pointStyle(interval)}
        format={formatOf(question.measure)}
        open={(at, line) => open(drawn[lines.indexOf(line)]!, points[at]!.start)}
      />
      <TotalsTable
        {...{ series, drawn, before, question, nameOf, open }}
        events={definition.events}
        toggle={(line) => choose(toggled(drawn, line))}
      />
      <Text size="xs" c="dimmed">
        {points.at(-1)?.complete === false && 'The range is not finished: its figures can still change. '}
        {before && `Compared with ${periodBefore(question).toLowerCase()}. `}
        {presentProperties && 'Properties of users and devices are those of now, not those at the time of the event. '}
        As of {time(asOf, timeZone, 'second')}.
      </Text>
      {behind.drawer}
    </Stack>
  );
}

const toggled = (drawn: readonly Line[], line: Line): string[] =>
  drawn.includes(line) ? drawn.filter((one) => one !== line).map(keyOf) : [...drawn, line].map(keyOf);

function useDrawn(series: readonly Line[], chosen: string[] | undefined): Line[] {
  const keys = JSON.stringify(chosen ?? null);
  return useMemo(() => drawnOf(series, (JSON.parse(keys) as string[] | null) ?? undefined), [series, keys]);
}

interface LinesOf extends Pick<SeriesReportProps, 'report' | 'before' | 'question'> {
  drawn: Line[];
  names: string[];
}

/** The period before is drawn below one line alone: below several nobody could tell which one is whose. */
function useLines({ report, before, question, drawn, names }: LinesOf): ChartLine[] {
  const named = JSON.stringify(names);
  const comparable = isComparable(question);
  const beforeName = periodBefore(question);
  return useMemo(() => {
    const nameOf = JSON.parse(named) as string[];
    const lines = chartLines(drawn, (line) => nameOf[drawn.indexOf(line)]!);
    const last = before?.series[0]?.points;
    if (!comparable || report.series.length !== 1 || last?.length !== report.series[0]!.points.length) return lines;
    return [...lines, { name: beforeName, values: last.map(({ value }) => value ?? null), color: 7, before: true }];
  }, [report, before, drawn, named, comparable, beforeName]);
}

interface TotalsTableProps {
  series: readonly Line[];
  drawn: readonly Line[];
  before: ReportBefore | null;
  question: SeriesQuestion;
  events: readonly Selection[];
  nameOf: (line: Line) => string;
  open: (line: Line) => void;
  toggle: (line: Line) => void;
}

/** The measure of the whole range for each line, against the period before or as a share; chooses what is drawn. */
function TotalsTable(props: TotalsTableProps) {
  const { series, drawn, question, events, before } = props;
  const columns = [
    ...(series.length > 1 ? [drawnColumn(props)] : []),
    ...(events.length > 1 || question.breakdown === null ? [eventColumn(events)] : []),
    ...(question.breakdown === null ? [] : [valueColumn(question.breakdown.property)]),
    totalColumn(props),
    ...(before === null ? [] : beforeColumns(before, question)),
    ...(question.breakdown !== null && question.measure === 'COUNT' ? [shareColumn(series)] : []),
  ];
  return (
    <div>
      {series.length > mostLines && (
        <Text size="xs" c="dimmed" mb={4}>
          The chart draws at most {mostLines} lines.
          {drawn.length === mostLines && ' Take one away to draw another.'}
        </Text>
      )}
      <DataTable caption="Figures of the whole range" columns={columns} rows={series} rowKey={keyOf} empty={null} />
    </div>
  );
}

function drawnColumn({ drawn, nameOf, toggle }: TotalsTableProps): Column<Line> {
  return {
    key: 'drawn',
    head: 'Drawn',
    style: { width: '1%' },
    cell: (line) => {
      const at = drawn.indexOf(line);
      return (
        <span className={classes.drawn}>
          <Checkbox
            size="xs"
            aria-label={`Draw ${nameOf(line)}`}
            checked={at !== -1}
            disabled={at === -1 ? drawn.length >= mostLines : drawn.length === 1}
            onChange={() => toggle(line)}
          />
          <span
            className={classes.swatch}
            style={at === -1 ? undefined : { borderTopColor: `var(--series-${at + 1})` }}
          />
        </span>
      );
    },
  };
}

const nameStyle = { maxWidth: 'clamp(7rem, 34vw, 24rem)' };

const eventColumn = (events: readonly Selection[]): Column<Line> => ({
  key: 'event',
  head: 'Event',
  style: nameStyle,
  cell: ({ index }) => <GivenText text={selectionWords(events[index]!)} cut />,
});

const valueColumn = (property: string): Column<Line> => ({
  key: 'value',
  head: property,
  style: nameStyle,
  cell: (line) => <GivenText text={valueWords(line)} cut />,
});

function totalColumn({ question, nameOf, open }: TotalsTableProps): Column<Line> {
  const format = formatOf(question.measure);
  return {
    key: 'total',
    head: 'Whole range',
    numeric: true,
    title: ({ total }) => (total == null ? undefined : String(total)),
    cell: (line) => {
      if (line.total == null) return '—';
      const text = format(line.total);
      // A sum of 0 can have events behind it, a number of 0 has none.
      if (line.total === 0 && question.measure !== 'SUM') return text;
      return (
        <FigureButton label={`${text}: ${nameOf(line)}, show the devices`} open={() => open(line)}>
          {text}
        </FigureButton>
      );
    },
  };
}

function beforeColumns(before: ReportBefore, { measure }: SeriesQuestion): Column<Line>[] {
  const last = ({ index }: Line): number | null => before.series.find((line) => line.index === index)?.total ?? null;
  const changeOf = (line: Line): string | null => {
    const from = last(line);
    return from === null || line.total == null || from < 0 ? null : change(line.total, from);
  };
  return [
    {
      key: 'before',
      head: 'Period before',
      numeric: true,
      cell: (line) => {
        const value = last(line);
        return value === null ? '—' : formatOf(measure)(value);
      },
    },
    { key: 'change', head: 'Change', numeric: true, cell: (line) => changeOf(line) ?? '—' },
  ];
}

/** Of all events of the name: the line of the other values makes them whole. */
const shareColumn = (series: readonly Line[]): Column<Line> => ({
  key: 'share',
  head: 'Share',
  numeric: true,
  cell: ({ index, total }) => {
    const all = series.filter((line) => line.index === index).reduce((sum, line) => sum + (line.total ?? 0), 0);
    return percent(all === 0 ? null : (total ?? 0) / all);
  },
});

type Report = NonNullable<EventsReportQuery['eventSeries']>;
type ReportBefore = NonNullable<EventsReportQuery['before']>;
type Line = Report['series'][number];

/** Stays the same when the range changes: the place of the event, and the value with its type. */
const keyOf = ({ index, breakdownValue, isOther }: Line): string =>
  `${index} ${isOther ? 'other' : JSON.stringify(breakdownValue ?? null)}`;

const valueWords = ({ breakdownValue, isOther }: Line): string => breakdownWords(breakdownValue, isOther);

/** The value alone where one event is broken down. */
function lineName(line: Line, { events, breakdown }: { events: Selection[]; breakdown: object | null }): string {
  const event = selectionWords(events[line.index]!);
  if (breakdown === null) return event;
  return events.length === 1 ? valueWords(line) : `${event}: ${valueWords(line)}`;
}

/** Those that the URL names, else the values with the most events of each event. */
function drawnOf(series: readonly Line[], chosen: readonly string[] | undefined): Line[] {
  const drawn = series.filter((line) => chosen?.includes(keyOf(line)));
  if (drawn.length > 0) return drawn;
  const ranks = series.map((line) => ({
    line,
    rank: series.filter(({ index }) => index === line.index).indexOf(line),
  }));
  const first = [...ranks].sort((a, b) => a.rank - b.rank).slice(0, mostLines);
  return series.filter((line) => first.some((one) => one.line === line));
}

function chartLines(drawn: readonly Line[], nameOf: (line: Line) => string): ChartLine[] {
  return drawn.map((line, at) => ({
    name: nameOf(line),
    values: line.points.map(({ value }) => value ?? null),
    color: at + 1,
  }));
}

/** Numbers of events and units are whole; the others have digits after the point. */
const formatOf = (measure: Measure): ((value: number) => string) =>
  measure === 'COUNT' || measure === 'UNIQUE' ? count : decimal;

interface Figure {
  line: Line;
  /** Absent: of the whole range. */
  start?: string;
  title: string;
}

function behindOf(question: SeriesQuestion, { line, start, title }: Figure): Behind {
  const value = line.isOther ? { isOther: true } : { breakdownValue: line.breakdownValue ?? null };
  const part = question.breakdown === null ? {} : value;
  const point = { series: line.index, ...(start !== undefined && { start }), ...part };
  return { title, of: { eventSeries: question }, point: { eventSeries: point } };
}
