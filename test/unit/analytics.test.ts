// The questions of one read: they end with the client's request, and together after the time of one read.
import { jest } from '@jest/globals';
import fc from 'fast-check';
import { askEngine } from '../../src/analytics/askEngine.ts';
import { misfit } from '../../src/analytics/copy/copyFile.ts';
import {
  type AnalyticsEngine,
  AnalyticsUnavailable,
  offEngine,
  QuestionTooLarge,
} from '../../src/analytics/engine/engine.ts';
import { question } from '../../src/analytics/engine/dialect.ts';
import { readFigure } from '../../src/analytics/devicesBehind.ts';
import { type CountedIssue, createIssueCounts, mostLinesOfAll } from '../../src/analytics/issueCounts.ts';
import { readActivity } from '../../src/analytics/activity.ts';
import { readEventSeries } from '../../src/analytics/eventSeries.ts';
import { readRetention } from '../../src/analytics/retention.ts';
import { readRevenue } from '../../src/analytics/revenue.ts';
import {
  boundariesOf,
  dateOf,
  dayNumber,
  isComplete,
  lastDays,
  previousCalendar,
  type ReportPoint,
  reportPoints,
  wholeIntervals,
} from '../../src/analytics/reportDays.ts';
import { createResponseBudget } from '../../src/platform/responseBudget.ts';
import { inputRules } from '../../src/platform/inputRules.ts';

describe('askEngine', () => {
  const endings: unknown[] = [];
  const endless: AnalyticsEngine = {
    ...offEngine,
    ask: (_, signal) =>
      new Promise((_resolve, reject) => {
        const end = (): void => {
          endings.push(signal!.reason);
          reject(signal!.reason as Error);
        };
        if (signal!.aborted) end();
        signal!.addEventListener('abort', end);
      }),
  };
  beforeEach(() => endings.splice(0));

  const asking = (signal: AbortSignal) =>
    askEngine({
      needs: { budget: createResponseBudget(), analytics: endless, signal },
      path: 'applicationId',
      read: (engine) => engine.ask(question('endless')`SELECT 1`),
      rowsOf: () => 0,
    });

  test('a question ends when its client has gone', async () => {
    const request = new AbortController();
    const asked = asking(request.signal);
    request.abort();
    await expect(asked).rejects.toMatchObject({ code: 'analytics_unavailable' });
    await expect(asking(request.signal)).rejects.toMatchObject({ code: 'analytics_unavailable' });
    expect(endings).toEqual([expect.any(AnalyticsUnavailable), expect.any(AnalyticsUnavailable)]);
  });

  test('several questions of one read have the time of one', async () => {
    jest.useFakeTimers();
    const asked = asking(new AbortController().signal).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(14_999);
    expect(endings).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(await asked).toMatchObject({ code: 'validation_failed', details: { fields: [{ path: 'applicationId' }] } });
    expect(endings).toEqual([expect.any(QuestionTooLarge)]);
    jest.useRealTimers();
  });
});

// The points of a report, in a table of hard days and against a second way: a walk from minute to minute over local dates.
describe('reportDays', () => {
  const shown = (points: ReportPoint[]) =>
    points.map(({ start, end }) => [new Date(start).toISOString().slice(0, 19), (end - start) / 3_600_000]);

  // The first instant of the day in UTC, and its hours.
  test.each([
    ['UTC', '2026-03-01', '2026-03-01T00:00:00', 24],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00', 23],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00', 25],
    ['Asia/Kolkata', '2026-01-01', '2025-12-31T18:30:00', 24],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00', 24],
    ['Pacific/Chatham', '2026-04-05', '2026-04-04T10:15:00', 25],
    // Half an hour of summer time.
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00', 24.5],
    ['Australia/Lord_Howe', '2026-10-04', '2026-10-03T13:30:00', 23.5],
    // Midnight is skipped: the day begins at 01:00.
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00', 23],
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00:00', 23],
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00', 23],
    // The clock goes back from midnight to 23:00, so the day before has 25 hours.
    ['America/Sao_Paulo', '2018-02-17', '2018-02-17T02:00:00', 25],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00', 25],
    // The clock goes back at 00:01, so midnight comes twice: the day begins with the first one.
    ['America/St_Johns', '2010-11-07', '2010-11-07T02:30:00', 25],
    ['America/St_Johns', '2010-11-06', '2010-11-06T02:30:00', 24],
    // The offset of Liberia had seconds until 1972.
    ['Africa/Monrovia', '1972-01-06', '1972-01-06T00:44:30', 24],
    ['Africa/Monrovia', '1972-01-07', '1972-01-07T00:44:30', 23 + 15.5 / 60],
    ['Pacific/Apia', '2011-12-29', '2011-12-29T10:00:00', 24],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00', 24],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00', 24],
    ['Etc/GMT+12', '2026-01-01', '2026-01-01T12:00:00', 24],
    ['UTC', '9999-12-31', '9999-12-31T00:00:00', 24],
  ])('%s, %s begins at %s and has %d hours', (timeZone, date, ...[start, hours]) => {
    expect(shown(reportPoints({ from: date, to: date, timeZone }, 'DAY'))).toEqual([[start, hours]]);
  });

  test.each([
    ['Pacific/Apia', '2011-12-30'],
    ['Pacific/Kwajalein', '1993-08-21'],
  ])('%s skipped %s: the date is no point, and the days beside it touch', (timeZone, date) => {
    expect(reportPoints({ from: date, to: date, timeZone }, 'DAY')).toEqual([]);
    expect(reportPoints({ from: date, to: date, timeZone }, 'HOUR')).toEqual([]);
    expect(boundariesOf([])).toBeNull();
    const around = { from: dateOf(dayNumber(date) - 1), to: dateOf(dayNumber(date) + 1), timeZone };
    const points = reportPoints(around, 'DAY');
    expect(points).toHaveLength(2);
    expect(points[0]!.end).toBe(points[1]!.start);
  });

  test.each([
    ['Europe/Berlin', '2026-03-29', 23, 1],
    ['Europe/Berlin', '2026-10-25', 25, 1],
    ['Australia/Lord_Howe', '2026-04-05', 25, 0.5],
    ['Australia/Lord_Howe', '2026-10-04', 24, 0.5],
  ])('%s, %s has %d hours, the last of %d', (timeZone, date, ...[count, last]) => {
    const hours = shown(reportPoints({ from: date, to: date, timeZone }, 'HOUR')).map(([, length]) => length);
    expect(hours).toEqual([...Array<number>(count - 1).fill(1), last]);
  });

  const starts = (points: ReportPoint[]) => points.map(({ start }) => new Date(start).toISOString().slice(0, 10));

  test('weeks begin on Monday, and the range cuts the first and the last', () => {
    const points = reportPoints({ from: '2025-12-31', to: '2026-01-13', timeZone: 'UTC' }, 'WEEK');
    expect(starts(points)).toEqual(['2025-12-31', '2026-01-05', '2026-01-12']);
    expect(new Date(points.at(-1)!.end).toISOString()).toBe('2026-01-14T00:00:00.000Z');
  });

  test('months likewise, over the end of a year and a leap day', () => {
    const points = reportPoints({ from: '2023-12-15', to: '2024-03-01', timeZone: 'UTC' }, 'MONTH');
    expect(shown(points)).toEqual([
      ['2023-12-15T00:00:00', 17 * 24],
      ['2024-01-01T00:00:00', 31 * 24],
      ['2024-02-01T00:00:00', 29 * 24],
      ['2024-03-01T00:00:00', 24],
    ]);
  });

  test('whole intervals are not cut', () => {
    const week = wholeIntervals({ date: '2026-01-01', timeZone: 'Europe/Berlin' }, 'WEEK', 2);
    expect(shown(week)).toEqual([
      ['2025-12-28T23:00:00', 168],
      ['2026-01-04T23:00:00', 168],
    ]);
    expect(starts(wholeIntervals({ date: '2024-01-31', timeZone: 'UTC' }, 'MONTH', 3))).toEqual([
      '2024-01-01',
      '2024-02-01',
      '2024-03-01',
    ]);
  });

  test('the range before has as many days, and the last days end with the same date', () => {
    const calendar = { from: '2026-03-01', to: '2026-03-28', timeZone: 'UTC' };
    expect(previousCalendar(calendar)).toEqual({ from: '2026-02-01', to: '2026-02-28', timeZone: 'UTC' });
    expect(lastDays(calendar, 30)).toEqual({ from: '2026-02-27', to: '2026-03-28', timeZone: 'UTC' });
  });

  test('a point is complete when its end is an hour past', () => {
    const point = { start: 0, end: 86_400_000 };
    const [before, then] = [new Date(86_400_000 + 3_599_999), new Date(86_400_000 + 3_600_000)];
    expect(isComplete(point, { now: before, asOf: then })).toBe(false);
    expect(isComplete(point, { now: then, asOf: before })).toBe(false);
    expect(isComplete(point, { now: then, asOf: then })).toBe(true);
  });

  test('boundaries are the starts and the last end, in microseconds', () => {
    const points = reportPoints({ from: '1970-01-01', to: '1970-01-02', timeZone: 'UTC' }, 'DAY');
    expect(boundariesOf(points)).toEqual({ starts: [0n, 86_400_000_000n], end: 172_800_000_000n });
  });

  /** The first instant of which the local date is this one or a later one, found minute by minute and then second by second. */
  function firstInstant(date: string, timeZone: string): number {
    const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    const midnight = Date.parse(`${date}T00:00:00Z`);
    const walk = (from: number, step: number): number => {
      for (let at = from; ; at += step) if (format.format(at) >= date) return at;
    };
    return walk(walk(midnight - 16 * 3_600_000, 60_000) - 60_000, 1_000);
  }

  const date = fc.integer({ min: dayNumber('1970-01-02'), max: dayNumber('2037-12-30') }).map(dateOf);
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));

  test('any day of any zone begins where a walk over local dates finds it', () => {
    const property = fc.property(date, zone, (from, timeZone) => {
      const to = dateOf(dayNumber(from) + 1);
      const [start, middle, end] = [from, to, dateOf(dayNumber(to) + 1)].map((day) => firstInstant(day, timeZone));
      const days = [
        { start: start!, end: middle! },
        { start: middle!, end: end! },
      ];
      expect(reportPoints({ from, to, timeZone }, 'DAY')).toEqual(days.filter((day) => day.start < day.end));
    });
    fc.assert(property, { numRuns: 150 });
  });

  test('the points of any range touch, and cover it, whatever their length', () => {
    const interval = fc.constantFrom('HOUR' as const, 'DAY' as const, 'WEEK' as const, 'MONTH' as const);
    const range = fc.record({ from: date, days: fc.nat(40), timeZone: zone });
    const property = fc.property(range, interval, ({ from, days, timeZone }, length) => {
      const calendar = { from, to: dateOf(dayNumber(from) + days), timeZone };
      const points = reportPoints(calendar, length);
      const whole = reportPoints(calendar, 'DAY');
      if (whole.length === 0) return;
      expect([points[0]!.start, points.at(-1)!.end]).toEqual([whole[0]!.start, whole.at(-1)!.end]);
      points.slice(1).forEach(({ start }, index) => expect(start).toBe(points[index]!.end));
      expect(points.every(({ start, end }) => start < end)).toBe(true);
    });
    fc.assert(property, { numRuns: 200 });
  });
});

// The line of a breakdown that `devicesBehind` opens: null and absent mean the same in every report.
describe('figureLine', () => {
  const about = { applicationId: '00000000-0000-4000-8000-000000000000', from: '2026-03-01', to: '2026-03-02' };
  const event = { name: 'A', type: 'CUSTOM' as const };
  const breakdown = { scope: 'EVENT' as const, property: 'p' };

  function linesOf(given: { breakdownValue?: unknown; isOther?: boolean }) {
    const series = readFigure(inputRules(), {
      of: { eventSeries: { ...about, events: [event], breakdown } },
      point: { eventSeries: { series: 0, ...given } },
    });
    const funnel = readFigure(inputRules(), {
      of: { funnel: { ...about, steps: [event, event], within: { value: 1, unit: 'DAY' }, breakdown } },
      point: { funnel: { step: 0, ...given } },
    });
    return [series, funnel].map((figure) => (figure as { line: unknown }).line);
  }

  test.each([
    [{}, null],
    [{ breakdownValue: null }, { value: null, isOther: false }],
    [{ breakdownValue: 'DE' }, { value: 'DE', isOther: false }],
    [{ isOther: true }, { value: null, isOther: true }],
  ])('%j', (given, line) => {
    expect(linesOf(given)).toEqual([line, line]);
  });
});

// A copy that no longer follows PostgreSQL: no report says that a point after its `asOf` is complete.
describe('stalledPoints', () => {
  const asOf = new Date('2026-03-02T01:30:00Z');
  const stalled: AnalyticsEngine = { ...offEngine, ask: () => Promise.resolve({ rows: [], asOf }) };
  const now = new Date('2026-03-20T00:00:00Z');
  const asked = {
    ...{ applicationId: '00000000-0000-4000-8000-000000000000', includeTest: false, timeZone: 'UTC' },
    ...{ from: '2026-03-01', to: '2026-03-02', interval: 'DAY' as const, unit: 'DEVICE' as const },
  };
  const event = { name: 'A', system: false, filters: [] };

  test('activity, eventSeries, retention and revenue complete no point after asOf', async () => {
    const activity = await readActivity(stalled, { ...asked, compare: false }, now);
    const counted = { events: [event], measure: 'COUNT', property: null, breakdown: null } as const;
    const { series } = await readEventSeries(stalled, { ...asked, ...counted }, now);
    const revenue = await readRevenue(stalled, { ...asked, currency: 'EUR', breakdown: 'NONE' }, now);
    for (const points of [activity.points, series[0]!.points, revenue.points]) {
      expect(points.map(({ complete }) => complete)).toEqual([true, false]);
    }
    const returns = { start: null, returning: null, periods: 2, mode: 'ON' } as const;
    const { cohorts } = await readRetention(stalled, { ...asked, ...returns }, now);
    expect(cohorts[0]!.periods.map(({ complete }) => complete)).toEqual([true, false]);
  });
});

// Refused requests of many applications, while the database is away, stay within the lines that a process keeps.
describe('issueCounts.bound', () => {
  test('lines beyond the bound are dropped, with one warning', async () => {
    const saved: CountedIssue[] = [];
    const warn: unknown[] = [];
    const counts = createIssueCounts({
      save: (issues) => Promise.resolve(void saved.push(...issues)),
      log: { warn: (...said: unknown[]) => void warn.push(said) } as never,
      everyMillis: 1_000_000,
    });
    const fault = { status: 422, reason: 'invalid', path: 'p', message: 'm' };
    for (let n = 0; n < mostLinesOfAll + 50; n += 1) {
      const request = { operation: 'o', sdkVersion: null, appVersion: null, at: new Date(0), faults: [fault] };
      counts.note({ applicationId: `a${n}`, ...request });
    }
    await counts.stop();
    expect([saved.length, warn.length]).toEqual([mostLinesOfAll, 1]);
  });
});

// A copy belongs to one database, one history of it, and a log that still has what the copy has not read.
describe('analyticsMisfit', () => {
  const identity = { system: '7', database: '5', timeline: '00000001' };
  const day = 86_400_000_000n;
  const now = 2_000_000n * day;
  const state = {
    ...identity,
    ...{ nextXid: 90n, seenXid: 100n, asOf: now - day, complete: true, removedSince: null },
  };

  const cases: {
    name: string;
    is?: Partial<typeof identity>;
    had?: Partial<typeof state>;
    sees?: object;
    reason: string | null;
  }[] = [
    { name: 'fits', reason: null },
    { name: 'fits with a clock that was set back', sees: { now: now - 30n * day }, reason: null },
    { name: 'another cluster', is: { system: '8' }, reason: 'it is of another database' },
    { name: 'a restored database', is: { database: '6' }, reason: 'it is of another database' },
    { name: 'a fail-over', is: { timeline: '00000002' }, reason: 'PostgreSQL has failed over or was restored' },
    { name: 'a backup in place', sees: { next: 99n }, reason: 'PostgreSQL is behind it: a backup was restored' },
    { name: 'a week without the log', had: { asOf: now - 7n * day }, reason: 'it is older than the log of changes' },
  ];

  test.each(cases)('$name', ({ is, had, sees, reason }) => {
    expect(misfit({ ...state, ...had }, { ...identity, ...is }, { next: 100n, now, ...sees })).toBe(reason);
  });
});
