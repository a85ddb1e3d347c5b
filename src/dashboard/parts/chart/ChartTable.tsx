// The figures of a chart as a table, for readers of the screen and for exact values.
import { Text } from '@mantine/core';
import { FigureButton } from '../behind/FigureButton.tsx';
import { time } from '../figures.ts';
import { DataTable, type Column } from '../table/DataTable.tsx';
import type { ChartLine, ChartPoint } from './plot.ts';
import { textAt } from './tip.ts';

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
