// The cohorts of a retention as the dashboard reads them: which periods have begun, their days in a zone, and their sums.
import {
  begunPeriods,
  cohortWords,
  periodDay,
  stateOf,
  sumOf,
  type Cohort,
} from '../../src/dashboard/screens/retention/cohorts.ts';

const cohort = (start: string, size: number, periods: [count: number, complete: boolean][]): Cohort => ({
  start,
  size,
  periods: periods.map(([count, complete], index) => ({ index, count, complete })),
});

test('a period begins so many calendar days, weeks from Monday on, or months after the cohort’s own', () => {
  expect(periodDay('2026-02-27', 2, 'DAY')).toBe('2026-03-01');
  // A Thursday, whose week began on the 5th.
  expect(periodDay('2026-10-08', 0, 'WEEK')).toBe('2026-10-05');
  expect(periodDay('2026-10-11', 1, 'WEEK')).toBe('2026-10-12');
  expect(periodDay('2026-10-12', 1, 'WEEK')).toBe('2026-10-19');
  expect(periodDay('2025-12-31', 2, 'MONTH')).toBe('2026-02-01');
});

test('a period is open from the first instant of its day in the zone, and later before', () => {
  // The first instants of 31 October and of 1 November, the day on which the clocks are set back.
  const started = cohort('2026-10-31T04:00:00Z', 2, [
    [2, true],
    [0, false],
  ]);
  const times = { timeZone: 'America/New_York', interval: 'DAY' } as const;
  expect(stateOf(started, 0, { ...times, asOf: '2026-11-01T03:59:59Z' })).toBe('complete');
  expect(stateOf(started, 1, { ...times, asOf: '2026-11-01T03:59:59Z' })).toBe('later');
  expect(stateOf(started, 1, { ...times, asOf: '2026-11-01T04:00:00Z' })).toBe('open');
});

test('a sum has only the cohorts whose period is finished, and columns end with the last period that has begun', () => {
  const cohorts = [
    cohort('2026-03-01T00:00:00Z', 10, [
      [10, true],
      [4, true],
      [1, false],
      [0, false],
    ]),
    cohort('2026-03-02T00:00:00Z', 5, [
      [5, true],
      [2, false],
      [0, false],
      [0, false],
    ]),
  ];
  expect([0, 1, 2].map((index) => sumOf(cohorts, index))).toEqual([
    { count: 15, size: 15 },
    { count: 4, size: 10 },
    { count: 0, size: 0 },
  ]);
  expect(begunPeriods(cohorts, { timeZone: 'UTC', interval: 'DAY', asOf: '2026-03-03T12:00:00Z' })).toBe(3);
  expect(begunPeriods([], { timeZone: 'UTC', interval: 'DAY', asOf: '2026-03-03T12:00:00Z' })).toBe(0);
});

test('a cohort is named by its day in the zone, by the first day of its week, or by its month', () => {
  const start = '2026-03-02T05:00:00Z';
  expect(cohortWords(start, { timeZone: 'America/New_York', interval: 'DAY' })).toBe('Mon, 2 Mar 2026');
  expect(cohortWords(start, { timeZone: 'America/New_York', interval: 'WEEK' })).toBe('2 Mar 2026');
  expect(cohortWords('2026-03-01T05:00:00Z', { timeZone: 'America/New_York', interval: 'MONTH' })).toBe('Mar 2026');
});
