// The points of a report: hours, days, weeks and months of a calendar in a time zone (pure; schema.graphql, "Days and other points").
import { LRUCache } from 'lru-cache';
import { type Dialect, join, sql, type Sql } from './engine/dialect.ts';
import type { Calendar, SeriesInterval } from './questions.ts';

/** A point from its first instant to that of the next one, which is no part of it. In milliseconds since 1970. */
export interface ReportPoint {
  start: number;
  end: number;
}

/** The first instant of each interval, and its last end: what a read binds. In microseconds since 1970, as the rows are. */
export interface Boundaries {
  starts: bigint[];
  end: bigint;
}

const hour = 3_600_000;
const day = 24 * hour;
/** Late uploads have an hour to arrive. */
const lateness = hour;

/** Whole days since 1970 of a calendar date, as if it were in UTC. */
export function dayNumber(date: string): number {
  return Date.parse(`${date}T00:00:00.000Z`) / day;
}

export function dateOf(number: number): string {
  return new Date(number * day).toISOString().slice(0, 10);
}

/** The points from `from` to `to`, in order. A date that the time zone skipped as a whole is none. */
export function reportPoints({ from, to, timeZone }: Calendar, interval: SeriesInterval): ReportPoint[] {
  const [first, last] = [dayNumber(from), dayNumber(to)];
  const startOf = dayStarts(timeZone);
  const points: ReportPoint[] = [];
  for (let number = first; number <= last; number = Math.min(nextInterval(number, interval), last + 1)) {
    const start = startOf(number);
    const end = startOf(Math.min(nextInterval(number, interval), last + 1));
    if (interval === 'HOUR') points.push(...hoursOf(start, end));
    else if (start < end) points.push({ start, end });
  }
  return points;
}

/** How many calendar intervals have a date from `from` to `to`. */
export function countIntervals(
  { from, to }: Omit<Calendar, 'timeZone'>,
  interval: Exclude<SeriesInterval, 'HOUR'>,
): number {
  let count = 0;
  for (let number = dayNumber(from); number <= dayNumber(to); number = nextInterval(number, interval)) count += 1;
  return count;
}

/** As many whole calendar intervals as `count`, beginning with the one that contains the date. None is cut. */
export function wholeIntervals(
  { date, timeZone }: { date: string; timeZone: string },
  interval: Exclude<SeriesInterval, 'HOUR'>,
  count: number,
): ReportPoint[] {
  const startOf = dayStarts(timeZone);
  let number = intervalOf(dayNumber(date), interval);
  return Array.from({ length: count }, () => {
    const [start, next] = [startOf(number), nextInterval(number, interval)];
    number = next;
    return { start, end: startOf(next) };
  });
}

/** The same number of days right before `from`. */
export function previousCalendar({ from, to, timeZone }: Calendar): Calendar {
  const [first, last] = [dayNumber(from), dayNumber(to)];
  return { from: dateOf(2 * first - last - 1), to: dateOf(first - 1), timeZone };
}

/** The days that end with `to`, as many as `count`. */
export function lastDays({ to, timeZone }: Calendar, count: number): Calendar {
  return { from: dateOf(dayNumber(to) - count + 1), to, timeZone };
}

/** A copy that is behind PostgreSQL answers with an `asOf` before `now`: it lacks the rows in between. */
export function isComplete({ end }: ReportPoint, { now, asOf }: { now: Date; asOf: Date }): boolean {
  return end + lateness <= Math.min(now.getTime(), asOf.getTime());
}

/** Null without a point: a range of one date that the time zone skipped. */
export function boundariesOf(points: readonly ReportPoint[]): Boundaries | null {
  const last = points.at(-1);
  return last ? { starts: points.map(({ start }) => microsOf(start)), end: microsOf(last.end) } : null;
}

export function microsOf(millis: number): bigint {
  return BigInt(millis) * 1_000n;
}

function hoursOf(start: number, end: number): ReportPoint[] {
  const points: ReportPoint[] = [];
  for (let at = start; at < end; at += hour) points.push({ start: at, end: Math.min(at + hour, end) });
  return points;
}

/** The first day after the interval of this day. */
function nextInterval(number: number, interval: SeriesInterval): number {
  if (interval === 'WEEK') return intervalOf(number, interval) + 7;
  if (interval !== 'MONTH') return number + 1;
  const date = new Date(number * day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / day;
}

/** The first day of the interval that contains this day. 1970-01-01 was a Thursday. */
function intervalOf(number: number, interval: SeriesInterval): number {
  if (interval === 'WEEK') return number - ((((number + 3) % 7) + 7) % 7);
  if (interval !== 'MONTH') return number;
  const date = new Date(number * day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / day;
}

/** Since 1967 every local midnight lies within these hours of the midnight in UTC. */
const widest = 16 * hour;

/**
 * Finds the first instant of a day, or of the next one where the zone skipped it as a whole. Two changes of one zone's
 * clocks are never within the two days that are looked at.
 */
function dayStarts(timeZone: string): (number: number) => number {
  const offsetAt = offsets(timeZone);
  const known = new Map<number, number>();
  const find = (number: number): number => {
    const midnight = number * day;
    const [before, after] = [offsetAt(midnight - widest), offsetAt(midnight + widest)];
    if (before === after) return midnight - before;
    const change = firstSecond([midnight - widest, midnight + widest], (at) => offsetAt(at) !== before);
    // A clock that was set back over midnight shows midnight twice: the day begins with the first one.
    if (midnight - before < change) return midnight - before;
    return Math.max(midnight - after, change);
  };
  return (number) => {
    const found = known.get(number) ?? find(number);
    known.set(number, found);
    return found;
  };
}

/** The first whole second at which `holds` does, which it does from then on. */
function firstSecond([least, most]: [number, number], holds: (at: number) => boolean): number {
  let [before, after] = [least / 1_000, most / 1_000];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (holds(middle * 1_000)) after = middle;
    else before = middle;
  }
  return after * 1_000;
}

/** The offset from UTC of an instant, in milliseconds. Some were no whole minutes: Africa/Monrovia until 1972. */
function offsets(timeZone: string): (at: number) => number {
  const format = formatIn(timeZone);
  return (at) => {
    // 1 µs, a third of formatToParts.
    const [month, date, year, hours, minutes, seconds] = format.format(at).match(/\d+/g)!.map(Number);
    return Date.UTC(year!, month! - 1, date, hours, minutes, seconds) - at;
  };
}

/** A format holds some 100 kB that V8 does not count: garbage of 10,000 formats filled a gigabyte before a collection. */
const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 100 });

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' },
  });
  formats.set(timeZone, format);
  return format;
}

// The point of a report in which a row falls, as arithmetic on its microseconds: a join with the boundaries took longer.

/** Points of one length that follow one another. */
interface Run {
  first: number;
  start: bigint;
  end: bigint;
  length: bigint;
}

/**
 * The index of the point that contains `at`, as bigint. The caller asks only for rows within all points (`isWithin`). Two
 * years of days are nine runs: a change of the clocks makes one day that is longer or shorter.
 */
export function pointOf({ quotient }: Dialect, at: Sql, points: readonly ReportPoint[]): Sql {
  const runs = runsOf(points);
  const index = ({ first, start, length }: Run) =>
    sql`${BigInt(first)}::bigint + ${quotient(sql`${at} - ${start}::bigint`, sql`${length}::bigint`)}`;
  const cases = runs.map((run) => sql`WHEN ${at} < ${run.end}::bigint THEN ${index(run)}`);
  return cases.length === 0 ? sql`0::bigint` : sql`(CASE ${join(cases, ' ')} END)`;
}

/**
 * Whether `at` is in any of the points. Without a point it is a range of no instant: Citus refuses some joins whose condition
 * is a constant, because its planner drops the tables behind it ("recursive complex joins are only supported …").
 */
export function isWithin(at: Sql, points: readonly ReportPoint[]): Sql {
  const [start, end] = [points.at(0)?.start ?? 0, points.at(-1)?.end ?? 0];
  return sql`(${at} >= ${microsOf(start)}::bigint AND ${at} < ${microsOf(end)}::bigint)`;
}

/** The point that begins at an instant, or all of them where it is null. None begins at any other instant. */
export function pointsOfStart(points: readonly ReportPoint[], start: Date | null): readonly ReportPoint[] {
  return start === null ? points : points.filter((point) => point.start === start.getTime());
}

function runsOf(points: readonly ReportPoint[]): Run[] {
  const runs: Run[] = [];
  points.forEach((point, index) => {
    const [start, end] = [microsOf(point.start), microsOf(point.end)];
    const last = runs.at(-1);
    if (last?.length === end - start) last.end = end;
    else runs.push({ first: index, start, end, length: end - start });
  });
  return runs;
}
