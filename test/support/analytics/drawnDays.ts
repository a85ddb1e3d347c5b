// The hard days around which property tests of analytics draw, and instants on and beside the boundaries of days.
import fc from 'fast-check';
import { dateOf, dayNumber, microsOf, reportPoints } from '../../../src/analytics/reportDays.ts';
import type { Micros } from './drawn.ts';

export interface Place {
  timeZone: string;
  around: string;
}

/** From the plainest to the oddest: fast-check shrinks towards the first. */
const places: Place[] = [
  { timeZone: 'UTC', around: '2026-03-04' },
  { timeZone: 'Europe/Berlin', around: '2026-03-29' },
  { timeZone: 'Europe/Berlin', around: '2025-10-26' },
  { timeZone: 'Asia/Kolkata', around: '2025-12-31' },
  { timeZone: 'UTC', around: '2024-02-29' },
  { timeZone: 'Asia/Kathmandu', around: '2024-12-31' },
  // Midnight is skipped.
  { timeZone: 'America/Sao_Paulo', around: '2018-11-04' },
  // Midnight comes twice.
  { timeZone: 'America/St_Johns', around: '2010-11-07' },
  // Half an hour of summer time.
  { timeZone: 'Australia/Lord_Howe', around: '2026-04-05' },
  // The date itself is skipped.
  { timeZone: 'Pacific/Apia', around: '2011-12-30' },
];

export const place: fc.Arbitrary<Place> = fc.constantFrom(...places);

/** Dates beside the place's own. Three of them come often, so that ranges begin and end where something happens. */
export function dateNear({ around }: Place, days: number): fc.Arbitrary<string> {
  const offset = fc.oneof(
    { weight: 2, arbitrary: fc.integer({ min: -days, max: days }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, -1) },
  );
  return offset.map((each) => dateOf(dayNumber(around) + each));
}

export function startOfDay({ timeZone }: Place, date: string): Micros {
  // A date that the zone skipped has no point: the next one then begins where it would.
  const points = reportPoints({ from: date, to: dateOf(dayNumber(date) + 1), timeZone }, 'DAY');
  return Number(microsOf(points[0]!.start));
}

const second = 1_000_000;

/**
 * Few different instants: boundaries of days with the microsecond before and after, and some seconds of the day, so that ties are
 * frequent.
 */
export function instantNear(at: Place, days: number): fc.Arbitrary<Micros> {
  const beside = fc.constantFrom(0, 0, 0, 1, -1, second, -second);
  const ofDay = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 23 }).map((hours) => hours * 3_600 * second + second) },
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 86_400 * second }) },
  );
  return fc
    .tuple(dateNear(at, days), ofDay, beside)
    .map(([date, within, more]) => startOfDay(at, date) + within + more);
}
