// From points and lines to the data and options of uPlot.
import type uPlot from 'uplot';
import { axisCount, time } from '../figures.ts';

export interface ChartPoint {
  /** The first instant of the point. */
  start: string;
  /** False while uploads can still come in time: the point is drawn as unfinished. */
  complete: boolean;
}

export interface ChartLine {
  name: string;
  /** One value for each point; null leaves a gap. */
  values: readonly (number | null)[];
  /** The same values in full where a number is not exact, for the tip and the table. */
  texts?: readonly (string | null)[];
  /** 1 to 7: a colour of the theme. */
  color: number;
  /** The period before: drawn thin. */
  before?: boolean;
}

/** A line is drawn twice: its finished points as a whole line, then from its last finished point on as a dashed one. */
export function plotData(points: readonly ChartPoint[], lines: readonly ChartLine[]): uPlot.AlignedData {
  const unfinishedFrom = firstUnfinished(points);
  const times = points.map(({ start }) => Date.parse(start) / 1_000);
  const series = lines.flatMap(({ values, before }) => {
    if (before) return [[...values], values.map(() => null)];
    return [
      values.map((value, at) => (at < unfinishedFrom ? value : null)),
      values.map((value, at) => (at >= unfinishedFrom - 1 ? value : null)),
    ];
  });
  return [times, ...series] as uPlot.AlignedData;
}

export function firstUnfinished(points: readonly ChartPoint[]): number {
  const at = points.findIndex(({ complete }) => !complete);
  return at === -1 ? points.length : at;
}

interface PlotOptions {
  width: number;
  points: readonly ChartPoint[];
  lines: readonly ChartLine[];
  timeZone: string;
  by: 'hour' | 'day' | 'month';
  format: (value: number) => string;
  color: (name: string) => string;
  opening: (point: number) => void;
}

export function plotOptions(options: PlotOptions): uPlot.Options {
  const { width, points, lines, timeZone, by, format, color, opening } = options;
  const grid = { stroke: color('--line'), width: 1 };
  const axis = { stroke: color('--mantine-color-dimmed'), grid, ticks: grid, font: '11px system-ui' };
  const name = (at: number): string => time(points[at]!.start, timeZone, by);
  return {
    width,
    height: 240,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { time: false },
      y: { range: (_plot, least, most) => [Math.min(0, least * 1.08), most > 0 ? most * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        splits: () => shownTimes(points, width),
        values: (_plot, splits) => splits.map((at) => time(at * 1_000, timeZone, by)),
      },
      {
        ...axis,
        size: 56,
        values: (_plot, splits) => splits.map((value) => (value % 1 === 0 ? axisCount(value) : String(value))),
      },
    ],
    series: [{}, ...lines.flatMap(({ color: at, before }) => seriesOf(color(`--series-${at}`), before ?? false))],
    hooks: {
      setCursor: [showTip({ points, lines, name, format })],
      ready: [
        (plot) =>
          plot.over.addEventListener('click', () => {
            const at = plot.cursor.idx;
            if (at !== null && at !== undefined) opening(at);
          }),
      ],
    },
  };
}

function seriesOf(stroke: string, before: boolean): uPlot.Series[] {
  const width = before ? 1 : 2;
  const one: uPlot.Series = { stroke, width, points: { show: false }, ...(before && { alpha: 0.6 }) };
  return [one, { ...one, dash: [4, 4] }];
}

/** At most one label for each 90 pixels, always at the start of a point. */
function shownTimes(points: readonly ChartPoint[], width: number): number[] {
  const every = Math.max(1, Math.ceil(points.length / Math.max(2, Math.floor((width - 60) / 90))));
  return points.filter((_, at) => at % every === 0).map(({ start }) => Date.parse(start) / 1_000);
}

export function textAt({ values, texts }: ChartLine, at: number, format: (value: number) => string): string {
  const value = values[at];
  return texts?.[at] ?? (value === null || value === undefined ? '—' : format(value));
}

interface Tip {
  points: readonly ChartPoint[];
  lines: readonly ChartLine[];
  name: (at: number) => string;
  format: (value: number) => string;
}

function showTip({ points, lines, name, format }: Tip) {
  return (plot: uPlot): void => {
    const tip = tipOf(plot);
    const { idx, left = 0 } = plot.cursor;
    tip.hidden = idx === null || idx === undefined || left < 0;
    if (tip.hidden) return;
    const unfinished = points[idx!]!.complete ? '' : ' (not finished)';
    const rows = lines.map((line) => `${line.name}: ${textAt(line, idx!, format)}`);
    tip.textContent = [name(idx!) + unfinished, ...rows].join('\n');
    const right = left > plot.over.clientWidth / 2;
    tip.style.left = right ? 'auto' : `${left + 12}px`;
    tip.style.right = right ? `${plot.over.clientWidth - left + 12}px` : 'auto';
  };
}

function tipOf(plot: uPlot): HTMLElement {
  const found = plot.over.querySelector<HTMLElement>('[data-tip]');
  if (found) return found;
  const tip = document.createElement('div');
  tip.dataset['tip'] = '';
  plot.over.append(tip);
  return tip;
}
