// The figures of a chart as a table, for readers of the screen and for exact values.
import { Text } from '@mantine/core';
import { FigureButton } from '../behind/FigureButton.tsx';
import { time } from '../figures.ts';
import { DataTable, type Column } from '../table/DataTable.tsx';
import { textAt, type ChartLine, type ChartPoint } from './plot.ts';

interface ChartTableProps {
  title: string;
  points: readonly ChartPoint[];
  lines: readonly ChartLine[];
  timeZone: string;
  by: 'hour' | 'day' | 'month';
  format: (value: number) => string;
  open?: (point: number, line: ChartLine) => void;
}

export function ChartTable({ title, points, lines, timeZone, by, format, open }: ChartTableProps) {
  const rows = points.map((point, at) => ({ ...point, at }));
  const figure = (line: ChartLine, at: number) => {
    const value = textAt(line, at, format);
    if (!open || line.before || value === '—') return value;
    return <FigureButton open={() => open(at, line)}>{value}</FigureButton>;
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
      cell: ({ at }: { at: number }) => figure(line, at),
    })),
  ];
  return <DataTable caption={title} columns={columns} rows={rows} rowKey={({ start }) => start} empty={null} />;
}
