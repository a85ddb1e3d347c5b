// The response of the report: its chart, the figures of the whole range, and what to know of them.
import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useBehind } from '../../parts/behind/BehindDrawer.tsx';
import type { ChartLine } from '../../parts/chart/plot.ts';
import { TimeChart } from '../../parts/chart/TimeChart.tsx';
import { dayName, time } from '../../parts/figures.ts';
import { isComparable, periodBefore, pointName, pointStyle } from '../../parts/range/points.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import {
  behindOf,
  chartLines,
  drawnOf,
  formatOf,
  keyOf,
  lineName,
  type Line,
  type Report,
  type ReportBefore,
} from './lines.ts';
import type { Definition, SeriesQuestion } from './question.ts';
import { TotalsTable } from './TotalsTable.tsx';

export interface SeriesReportProps {
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
