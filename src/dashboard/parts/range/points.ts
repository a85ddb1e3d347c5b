// How the points of a report are named: by their hour, day or month, a week by its first day.
import { time } from '../figures.ts';
import { daysOf, type Range } from './range.ts';

export type PointStyle = 'hour' | 'day' | 'month';

export function pointStyle(interval: Range['interval']): PointStyle {
  if (interval === 'HOUR') return 'hour';
  return interval === 'MONTH' ? 'month' : 'day';
}

/** For a heading: `Mon, 2 Mar`, `week of Mon, 2 Mar`, `March 2026`. */
export function pointName(start: string, interval: Range['interval'], timeZone: string): string {
  const name = time(start, timeZone, pointStyle(interval));
  return interval === 'WEEK' ? `week of ${name}` : name;
}

/** Whether each point of the period before is as long as the point of the range that it stands below. */
export function isComparable({ from, to, interval }: Pick<Range, 'from' | 'to' | 'interval'>): boolean {
  return interval === 'WEEK' ? daysOf({ from, to }) % 7 === 0 : interval !== 'MONTH';
}

/** The period before in words: `The 30 days before`. */
export function periodBefore(range: Pick<Range, 'from' | 'to'>): string {
  const days = daysOf(range);
  return days === 1 ? 'The day before' : `The ${days} days before`;
}
