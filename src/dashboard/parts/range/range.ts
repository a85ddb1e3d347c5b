// The range of a report as the URL names it: from, to, interval and unit. Without dates it is the last days.
import { z } from 'zod';
import { today } from '../figures.ts';

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
