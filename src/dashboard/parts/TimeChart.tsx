// The one way to draw values over time: lines of uPlot, unfinished points dashed, and the same figures as a table.
import { Group, SegmentedControl, Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { DataTable, type Column } from './DataTable.tsx';
import classes from './TimeChart.module.css';
import { count, time } from './figures.ts';
import { FigureButton } from './links.tsx';
import { plotData, plotOptions, textAt, withoutFuture, type ChartLine, type ChartPoint } from './plot.ts';

interface TimeChartProps {
  title: string;
  points: readonly ChartPoint[];
  lines: readonly ChartLine[];
  timeZone: string;
  /** How a point is named: by its day, or by its hour too. */
  by: 'hour' | 'day' | 'month';
  format?: (value: number) => string;
  /** Opens what is behind a point of a line: the one nearest to the pointer. */
  open?: (point: number, line: ChartLine) => void;
}

/** By the title of the chart: who reads the table reads it of another range too, for which the chart is made anew. */
const lastShown = new Map<string, string>();

export function TimeChart({ title, format = count, lines: given, open, ...rest }: TimeChartProps) {
  const [shown, setShown] = useState(() => lastShown.get(title) ?? 'chart');
  const show = (next: string): void => {
    lastShown.set(title, next);
    setShown(next);
  };
  const lines = useMemo(() => withoutFuture(rest.points, given), [rest.points, given]);
  const opens = open && ((point: number, line: number) => open(point, given[line]!));
  const props = { ...rest, lines, open: opens };
  const unfinished = props.points.some(({ complete }) => !complete);
  return (
    <figure className={classes.figure} aria-label={title}>
      <Group justify="space-between" mb={4} gap="xs">
        <Legend lines={props.lines} unfinished={unfinished} />
        <SegmentedControl
          size="xs"
          aria-label={`${title}: chart or table`}
          value={shown}
          onChange={show}
          data={[
            { value: 'chart', label: 'Chart' },
            { value: 'table', label: 'Table' },
          ]}
        />
      </Group>
      {shown === 'table' ? (
        <ChartTable title={title} format={format} {...props} />
      ) : (
        <Plot title={title} format={format} {...props} />
      )}
    </figure>
  );
}

interface Figures {
  format: (value: number) => string;
  /** By the place of the line. */
  open?: (point: number, line: number) => void;
}

function Legend({ lines, unfinished }: { lines: readonly ChartLine[]; unfinished: boolean }) {
  return (
    <Group gap="md" className={classes.legend}>
      {lines.map(({ name, color, before }, at) => (
        <Text size="xs" key={at} className={classes.name} title={name}>
          <span
            className={before ? classes.beforeMark : classes.mark}
            style={{ borderTopColor: `var(--series-${color})` }}
          />
          {name}
        </Text>
      ))}
      {unfinished && (
        <Text size="xs" c="dimmed">
          dashed: not finished yet
        </Text>
      )}
    </Group>
  );
}

function Plot({ title, points, lines, timeZone, by, format, open }: Omit<TimeChartProps, 'open'> & Figures) {
  const { ref, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const opens = open !== undefined;
  const onOpen = useRef(open);
  onOpen.current = open;
  useEffect(() => {
    if (width === 0 || !place.current) return;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const opening = opens ? (point: number, line: number) => onOpen.current?.(point, line) : null;
    const options = plotOptions({ width, points, lines, timeZone, by, format, color, opening });
    const plot = new uPlot(options, plotData(points, lines), place.current);
    return () => plot.destroy();
  }, [width, points, lines, timeZone, by, format, scheme, opens]);
  return (
    <div ref={ref} className={classes.plot} data-opens={opens || undefined}>
      <div ref={place} role="img" aria-label={`${title}, as a chart. The table has the same figures.`} />
    </div>
  );
}

interface ChartTableProps {
  title: string;
  points: readonly ChartPoint[];
  lines: readonly ChartLine[];
  timeZone: string;
  by: 'hour' | 'day' | 'month';
  format: (value: number) => string;
  /** By the place of the line. */
  open?: (point: number, line: number) => void;
}

/** The figures of a chart as a table, for readers of the screen and for exact values. */
export function ChartTable({ title, points, lines, timeZone, by, format, open }: ChartTableProps) {
  const rows = points.map((point, at) => ({ ...point, at }));
  const figure = (at: number, place: number) => {
    const line = lines[place]!;
    const text = textAt(line, at, format);
    if (!open || line.before || !line.values[at]) return text;
    return <FigureButton open={() => open(at, place)}>{text}</FigureButton>;
  };
  const columns: Column<(typeof rows)[number]>[] = [
    {
      key: 'start',
      head: `Start (${timeZone})`,
      cell: ({ start, complete }) => (
        <>
          {time(start, timeZone, by)}{' '}
          {!complete && (
            <Text span size="xs" c="dimmed">
              not finished
            </Text>
          )}
        </>
      ),
    },
    ...lines.map((line, index) => ({
      key: `${index}`,
      head: line.name,
      numeric: true,
      cell: ({ at }: { at: number }) => figure(at, index),
    })),
  ];
  return <DataTable caption={title} columns={columns} rows={rows} rowKey={({ start }) => start} empty={null} />;
}
