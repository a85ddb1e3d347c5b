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

export const presets = [
  { label: '7 days', days: 7 },
  { label: '30 days', days: 30 },
  { label: '90 days', days: 90 },
  { label: '12 months', days: 365 },
];
