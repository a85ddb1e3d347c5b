// What the pointer is at in a chart: the values of its point, and the line that a click opens.
import type uPlot from 'uplot';
import type { ChartLine, ChartPoint } from './plot.ts';
import classes from './TimeChart.module.css';

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
