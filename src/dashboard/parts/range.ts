// The range of a report as the URL names it: from, to, interval and unit. Without dates it is the last days.
import { z } from 'zod';
import { time, today } from './figures.ts';

const date = z.iso.date();
export const intervals = ['HOUR', 'DAY', 'WEEK', 'MONTH'] as const;

/** Search parameters of every screen with a report; a value that cannot be used counts as not given. */
export const rangeSearch = z.object({
  from: date.optional().catch(undefined),
  to: date.optional().catch(undefined),
  interval: z.enum(intervals).optional().catch(undefined),
  unit: z.enum(['DEVICE', 'USER']).optional().catch(undefined),
});

export type RangeSearch = z.infer<typeof rangeSearch>;

export interface Range {
  from: string;
  to: string;
  interval: (typeof intervals)[number];
  unit: 'DEVICE' | 'USER';
}

/** The last 30 days by day, today included, unless the URL names others. */
export function rangeOf({ from, to, interval, unit }: RangeSearch, timeZone: string): Range {
  const until = to ?? today(timeZone);
  const begin = from ?? dayBefore(until, 29);
  return { from: begin <= until ? begin : until, to: until, interval: interval ?? 'DAY', unit: unit ?? 'DEVICE' };
}

export function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
}

type Days = Pick<Range, 'from' | 'to'>;

/** How many days the range has, both ends included. */
export const daysOf = ({ from, to }: Days): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;

/** As many days, right before the range. */
export function beforeOf(range: Days): Days {
  return { from: dayBefore(range.from, daysOf(range)), to: dayBefore(range.from, 1) };
}

interface Preset {
  label: string;
  /** `last` is the present day in the zone of the application. */
  of: (last: string) => Days;
}

const lastDays = (label: string, days: number): Preset => ({
  label,
  of: (last) => ({ from: dayBefore(last, days - 1), to: last }),
});

function lastMonth(last: string): Days {
  const to = dayBefore(`${last.slice(0, 7)}-01`, 1);
  return { from: `${to.slice(0, 7)}-01`, to };
}

export const presets: readonly Preset[] = [
  { label: 'Yesterday', of: (last) => ({ from: dayBefore(last, 1), to: dayBefore(last, 1) }) },
  lastDays('7 days', 7),
  lastDays('30 days', 30),
  { label: 'Last month', of: lastMonth },
  lastDays('90 days', 90),
  lastDays('12 months', 365),
];

export type PointStyle = 'hour' | 'day' | 'month';

/** How the points of a report are named: by their hour, day or month, a week by its first day. */
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

// The first instant of a calendar day in a zone.

/** `day` as `2026-03-01`; the response is an instant as the API takes it. */
export function dayStart(day: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone });
  const middle = Date.parse(`${day}T00:00:00Z`);
  // No zone is a whole day away from UTC.
  let [before, from] = [middle - 86_400_000, middle + 86_400_000];
  while (from - before > 1) {
    const half = Math.floor((before + from) / 2);
    if (format.format(half) >= day) from = half;
    else before = half;
  }
  return new Date(from).toISOString();
}

// Between instants and the calendar of a time zone: times as a field of the browser writes them, `2026-03-01T09:30`.

const dayMillis = 86_400_000;

/** Seconds are written only where there are some. */
export function localOf(instant: string | number, timeZone: string): string {
  const text = secondsOf(new Date(instant).getTime(), timeZone);
  return text.endsWith(':00') ? text.slice(0, -3) : text;
}

/** The calendar day of an instant: `2026-03-01`. */
export const dayOf = (instant: string | number, timeZone: string): string => localOf(instant, timeZone).slice(0, 10);

/** `twice`: the clock is put back over this time; the earlier instant is taken. `never`: it is put forward over it. */
export type Doubt = 'twice' | 'never' | null;

/** Null for text that is no time. Of a time that the clocks skip, the instant is as long after their change. */
export function instantOf(local: string, timeZone: string): { instant: string; doubt: Doubt } | null {
  const wanted = Date.parse(`${local}Z`);
  if (Number.isNaN(wanted)) return null;
  // No zone's offset changes by more than a day, so the offsets a day before and after are those that can hold.
  const offsets = [wanted - dayMillis, wanted + dayMillis].map((near) => offsetOf(near, timeZone));
  const candidates = [...new Set(offsets)].map((offset) => wanted - offset).sort((one, other) => one - other);
  const holding = candidates.filter((candidate) => candidate + offsetOf(candidate, timeZone) === wanted);
  const taken = holding[0] ?? candidates.at(-1)!;
  const doubt = holding.length > 1 ? 'twice' : holding.length === 0 ? 'never' : null;
  return { instant: new Date(taken).toISOString(), doubt };
}

function offsetOf(instant: number, timeZone: string): number {
  return Date.parse(`${secondsOf(instant, timeZone)}Z`) - Math.floor(instant / 1_000) * 1_000;
}

function secondsOf(instant: number, timeZone: string): string {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const get = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type)!;
  const date = `${get('year').padStart(4, '0')}-${get('month')}-${get('day')}`;
  return `${date}T${get('hour')}:${get('minute')}:${get('second')}`;
}

/** To make one takes longer than to use it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const made = formats.get(timeZone);
  if (made) return made;
  const day = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, calendar: 'gregory', ...day, ...clock });
  formats.set(timeZone, format);
  return format;
}
