// The one way to draw values over time: lines of uPlot, unfinished points dashed, and the same figures as a table.
import { Group, SegmentedControl, Text } from '@mantine/core';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { count } from '../figures.ts';
import { ChartTable } from './ChartTable.tsx';
import classes from './TimeChart.module.css';
import { plotData, plotOptions, type ChartLine, type ChartPoint } from './plot.ts';

interface TimeChartProps {
  title: string;
  points: readonly ChartPoint[];
  lines: readonly ChartLine[];
  timeZone: string;
  /** How a point is named: by its day, or by its hour too. */
  by: 'hour' | 'day' | 'month';
  format?: (value: number) => string;
  /** Opens what is behind a point. */
  open?: (point: number, line: ChartLine) => void;
}

export function TimeChart({ title, format = count, ...props }: TimeChartProps) {
  const [shown, setShown] = useState('chart');
  const unfinished = props.points.some(({ complete }) => !complete);
  return (
    <figure className={classes.figure} aria-label={title}>
      <Group justify="space-between" mb={4} gap="xs">
        <Legend lines={props.lines} unfinished={unfinished} />
        <SegmentedControl
          size="xs"
          aria-label={`${title}: chart or table`}
          value={shown}
          onChange={setShown}
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

function Legend({ lines, unfinished }: { lines: readonly ChartLine[]; unfinished: boolean }) {
  return (
    <Group gap="md" className={classes.legend}>
      {lines.map(({ name, color, before }) => (
        <Text size="xs" key={name} className={classes.name} title={name}>
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

function Plot({
  title,
  points,
  lines,
  timeZone,
  by,
  format,
  open,
}: TimeChartProps & { format: (value: number) => string }) {
  const { ref, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const onOpen = useRef(open);
  onOpen.current = open;
  useEffect(() => {
    if (width === 0 || !place.current) return;
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(name).trim();
    const opening = (point: number) => onOpen.current?.(point, lines[0]!);
    const options = plotOptions({ width, points, lines, timeZone, by, format, color, opening });
    const plot = new uPlot(options, plotData(points, lines), place.current);
    return () => plot.destroy();
  }, [width, points, lines, timeZone, by, format, scheme]);
  return (
    <div ref={ref} className={classes.plot}>
      <div ref={place} role="img" aria-label={`${title}, as a chart. The table has the same figures.`} />
    </div>
  );
}
