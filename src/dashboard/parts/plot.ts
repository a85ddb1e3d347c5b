// From points and lines to the data and options of uPlot.
import type uPlot from 'uplot';
import classes from './TimeChart.module.css';
import { axisCount, time } from './figures.ts';

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

/** What has not begun yet has no value: a 0 would say that nothing happened. */
export function withoutFuture(points: readonly ChartPoint[], lines: readonly ChartLine[]): ChartLine[] {
  const now = Date.now();
  const begun = points.filter(({ start }) => Date.parse(start) <= now).length;
  const cut = <Value>(values: readonly Value[]): (Value | null)[] =>
    values.map((value, at) => (at < begun ? value : null));
  return lines.map((line) =>
    line.before ? line : { ...line, values: cut(line.values), ...(line.texts && { texts: cut(line.texts) }) },
  );
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
  /** Null where nothing can be opened. */
  opening: ((point: number, line: number) => void) | null;
}

export function plotOptions(options: PlotOptions): uPlot.Options {
  const { width, points, lines, timeZone, by, format, color, opening } = options;
  const name = (at: number): string => time(points[at]!.start, timeZone, by);
  return {
    width,
    height: 240,
    // The last label may be as wide as twice this.
    padding: [8, 48, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { time: false },
      y: { range: (_plot, least, most) => [Math.min(0, least * 1.08), most > 0 ? most * 1.08 : 1] },
    },
    axes: axesOf(options),
    series: [{}, ...lines.flatMap(({ color: at, before }) => seriesOf(color(`--series-${at}`), before ?? false))],
    hooks: {
      setCursor: [showTip({ points, lines, name, format, color, opens: opening !== null })],
      ready: [
        (plot) =>
          plot.over.addEventListener('click', () => {
            const line = nearestLine(plot, lines);
            if (line !== null) opening?.(plot.cursor.idx!, line);
          }),
      ],
    },
  };
}

function axesOf({ width, points, lines, timeZone, by, color }: PlotOptions): uPlot.Axis[] {
  const grid = { stroke: color('--line'), width: 1 };
  const axis = { stroke: color('--mantine-color-dimmed'), grid, ticks: grid, font: '11px system-ui' };
  return [
    {
      ...axis,
      size: 30,
      splits: () => shownTimes(points, width),
      values: (_plot, splits) => splits.map((at) => time(at * 1_000, timeZone, by)),
    },
    {
      ...axis,
      size: 56,
      ...(lines.every(isWhole) && { incrs: wholeSteps }),
      values: (_plot, splits) => splits.map((value) => (value % 1 === 0 ? axisCount(value) : String(value))),
    },
  ];
}

const isWhole = ({ values }: ChartLine): boolean => values.every((value) => value === null || value % 1 === 0);

/** A number of devices has no steps of a half. */
const wholeSteps = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

function seriesOf(stroke: string, before: boolean): uPlot.Series[] {
  const width = before ? 1 : 2;
  const points: uPlot.Series.Points = { show: true, size: 6, fill: stroke, filter: alone };
  const one: uPlot.Series = { stroke, width, points, ...(before && { alpha: 0.6 }) };
  return [one, { ...one, dash: [4, 4] }];
}

/** A value between two gaps has no line: it is drawn as a dot. */
function alone(plot: uPlot, series: number): number[] {
  // The whole line has an odd place, and its dashed part the next one.
  const pair = [plot.data[series]!, plot.data[series % 2 === 1 ? series + 1 : series - 1]!];
  const has = (at: number): boolean => pair.some((values) => (values[at] ?? null) !== null);
  return Array.from(pair[0]!.keys()).filter((at) => (pair[0]![at] ?? null) !== null && !has(at - 1) && !has(at + 1));
}

/** At most one label for each 90 pixels, always at the start of a point. */
function shownTimes(points: readonly ChartPoint[], width: number): number[] {
  const every = Math.max(1, Math.ceil(points.length / Math.max(2, Math.floor((width - 60) / 90))));
  return points.filter((_, at) => at % every === 0).map(({ start }) => Date.parse(start) / 1_000);
}

/** What the pointer is at in a chart: the values of its point, and the line that a click opens. */
export function textAt({ values, texts }: ChartLine, at: number, format: (value: number) => string): string {
  const value = values[at];
  return texts?.[at] ?? (value === null || value === undefined ? '—' : format(value));
}

/** The line whose value is nearest to the pointer; null where no line has one. The period before cannot be opened. */
export function nearestLine(plot: uPlot, lines: readonly ChartLine[]): number | null {
  const { idx, top = 0 } = plot.cursor;
  if (idx === null || idx === undefined) return null;
  const away = lines.flatMap(({ values, before }, line) => {
    const value = values[idx] ?? null;
    return before || value === null ? [] : [{ line, pixels: Math.abs(plot.valToPos(value, 'y') - top) }];
  });
  return away.sort((a, b) => a.pixels - b.pixels)[0]?.line ?? null;
}

interface Tip {
  points: readonly ChartPoint[];
  lines: readonly ChartLine[];
  name: (at: number) => string;
  format: (value: number) => string;
  color: (name: string) => string;
  /** A click opens what is behind the nearest line. */
  opens: boolean;
}

export function showTip({ points, lines, name, format, color, opens }: Tip) {
  return (plot: uPlot): void => {
    const tip = tipOf(plot);
    const { idx, left = 0 } = plot.cursor;
    tip.hidden = idx === null || idx === undefined || left < 0;
    if (tip.hidden) return;
    const nearest = opens && lines.length > 1 ? nearestLine(plot, lines) : null;
    const rows = lines.map((line, at) => {
      const row = element('div', at === nearest ? `${classes.tipRow} ${classes.nearest}` : classes.tipRow);
      row.style.borderLeftColor = color(`--series-${line.color}`);
      row.append(element('span', classes.tipName, line.name), element('span', '', textAt(line, idx!, format)));
      return row;
    });
    const head = name(idx!) + (points[idx!]!.complete ? '' : ' (not finished)');
    tip.replaceChildren(element('div', '', head), ...rows);
    const right = left > plot.over.clientWidth / 2;
    tip.style.left = right ? 'auto' : `${left + 12}px`;
    tip.style.right = right ? `${plot.over.clientWidth - left + 12}px` : 'auto';
  };
}

function element(tag: string, className = '', text = ''): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

function tipOf(plot: uPlot): HTMLElement {
  const found = plot.over.querySelector<HTMLElement>(`.${classes.tip}`);
  if (found) return found;
  const tip = element('div', classes.tip);
  plot.over.append(tip);
  return tip;
}
