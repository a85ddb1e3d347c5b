// What figures often get wrong, each by a named test on every engine.
import type {
  ActivityQuestion,
  EventSelection,
  EventSeriesQuestion,
  Figure,
  Filter,
  FunnelQuestion,
  Measure,
  RetentionQuestion,
  RevenueQuestion,
} from '../../src/analytics/questions.ts';
import { readActivity } from '../../src/analytics/activity.ts';
import { readDevicesBehind } from '../../src/analytics/devicesBehind.ts';
import { readEventNames } from '../../src/analytics/eventNames.ts';
import { readEventSeries } from '../../src/analytics/eventSeries.ts';
import { readFunnel } from '../../src/analytics/funnel.ts';
import { readRecentEvents } from '../../src/analytics/recentEvents.ts';
import { readRetention } from '../../src/analytics/retention.ts';
import { readRevenue, type RevenueResult } from '../../src/analytics/revenue.ts';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import type { DrawnEvent } from '../support/analytics/drawn.ts';
import type { DrawnLine, DrawnPurchase } from '../support/analytics/drawnPurchases.ts';
import { openEngines, type TestEngine } from '../support/analytics/engines.ts';
import { customEvent, drawnOf, micros, onEngines, sessionOf } from '../support/analytics/onEngines.ts';
import { storeDrawn } from '../support/analytics/storeDrawn.ts';
import { storePurchases } from '../support/analytics/storePurchases.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

// What figures of active units often get wrong, each by a named test on every engine.
describe('activityKinds', () => {
  const eachEngine = onEngines();

  const asked = (change: Partial<ActivityQuestion> = {}): Omit<ActivityQuestion, 'applicationId'> => ({
    ...{ from: '2026-03-28', to: '2026-03-30', timeZone: 'Europe/Berlin', includeTest: false },
    ...{ interval: 'DAY', unit: 'DEVICE', compare: false, ...change },
  });
  const now = new Date('2026-03-30T12:00:00Z');

  test('a unit whose first is before the range is active in it, and not new', () =>
    eachEngine(
      drawnOf([
        sessionOf([customEvent('A', '2026-02-01T12:00:00Z')]),
        sessionOf([customEvent('A', '2026-03-28T12:00:00Z')], { id: 's2' }),
      ]),
      async (engine, applicationId) => {
        const { totals } = await readActivity(engine, { ...asked(), applicationId }, now);
        expect(totals).toMatchObject({ active: 1, new: 0 });
      },
    ));

  test('the total counts a unit of two days once, and no point is summed', () =>
    eachEngine(
      drawnOf([sessionOf([customEvent('A', '2026-03-28T12:00:00Z'), customEvent('A', '2026-03-29T12:00:00Z')])]),
      async (engine, applicationId) => {
        const { points, totals } = await readActivity(engine, { ...asked(), applicationId }, now);
        expect(points.map(({ active }) => active)).toEqual([1, 1, 0]);
        expect(totals).toMatchObject({ active: 1, new: 1, sessions: 1, events: 2 });
      },
    ));

  test('a day of 25 hours is there once, and its hour that comes twice counts twice', () =>
    eachEngine(
      drawnOf([sessionOf([customEvent('A', '2025-10-26T00:30:00Z'), customEvent('A', '2025-10-26T01:30:00Z')])]),
      async (engine, applicationId) => {
        const question = { ...asked({ from: '2025-10-25', to: '2025-10-27' }), applicationId };
        const { points } = await readActivity(engine, question, now);
        expect(points.map(({ start, events }) => [start.toISOString(), events])).toEqual([
          ['2025-10-24T22:00:00.000Z', 0],
          ['2025-10-25T22:00:00.000Z', 2],
          ['2025-10-26T23:00:00.000Z', 0],
        ]);
      },
    ));

  test('the point of today is no drop: it is not complete, nor is yesterday in the first hour of today', () =>
    eachEngine(drawnOf([sessionOf([customEvent('A', '2026-03-28T12:00:00Z')])]), async (engine, applicationId) => {
      const completeAt = async (time: string) => {
        const { points } = await readActivity(engine, { ...asked(), applicationId }, new Date(time));
        return points.map(({ complete }) => complete);
      };
      expect(await completeAt('2026-03-30T12:00:00Z')).toEqual([true, true, false]);
      expect(await completeAt('2026-03-29T22:59:59.999Z')).toEqual([true, false, false]);
      expect(await completeAt('2026-03-29T23:00:00Z')).toEqual([true, true, false]);
    }));

  test('activity, eventSeries, funnel and retention count the same units', () =>
    eachEngine(
      drawnOf([
        sessionOf([customEvent('A', '2026-03-28T12:00:00Z'), customEvent('A', '2026-03-28T13:00:00Z')]),
        // A user whose id is that of the device, on two devices.
        sessionOf([customEvent('A', '2026-03-28T14:00:00Z')], { id: 's2', userId: 'd1' }),
        sessionOf([customEvent('A', '2026-03-28T15:00:00Z')], { device: 'd2', userId: 'd1' }),
      ]),
      async (engine, applicationId) => {
        for (const unit of ['DEVICE', 'USER'] as const) {
          const question = { ...asked({ unit }), applicationId };
          const events = [{ name: 'A', system: false, filters: [] }];
          const { totals } = await readActivity(engine, question, now);
          const measure = { events, measure: 'UNIQUE' as const, property: null, breakdown: null };
          const { series } = await readEventSeries(engine, { ...question, ...measure }, now);
          const order = { withinMicros: 60_000_000n, order: 'ORDERED' as const, breakdown: null };
          const { steps } = await readFunnel(engine, { ...question, ...order, steps: [events[0]!, events[0]!] });
          const returns = { start: null, returning: null, mode: 'ON' as const, periods: 1 };
          const { cohorts } = await readRetention(engine, { ...question, ...returns }, now);
          const size = cohorts.reduce((sum, cohort) => sum + cohort.size, 0);
          expect([unit, totals.active, totals.new, series[0]!.total, steps[0]!.count, size]).toEqual([
            unit,
            2,
            2,
            2,
            2,
            2,
          ]);
        }
      },
    ));

  test('an EventTriggered doubles no event and makes nobody active, and is listed under its name', () => {
    const event = customEvent('A', '2026-03-28T12:00:00Z');
    const mirror = { ...event, name: 'EventTriggered', system: true, occurredAt: event.occurredAt + 86_400_000_000 };
    return eachEngine(drawnOf([sessionOf([event, mirror])]), async (engine, applicationId) => {
      const { points, totals } = await readActivity(engine, { ...asked(), applicationId }, now);
      expect(points.map(({ active, events }) => [active, events])).toEqual([
        [1, 1],
        [0, 0],
        [0, 0],
      ]);
      expect(totals.events).toBe(1);
      const page = { applicationId, includeTest: false, limit: 50, after: null };
      const names = await readEventNames(engine, { ...page, search: null, newest: 1_000, now });
      expect(names.nodes.map(({ name, count30Days }) => [name, count30Days])).toEqual([
        ['A', 1],
        ['EventTriggered', 1],
      ]);
      const recent = await readRecentEvents(engine, { ...page, filters: [] }, 1_000_000);
      expect(recent.nodes.map(({ name }) => name)).toEqual(['EventTriggered', 'A']);
    });
  });
});

// What figures of events over time often get wrong, each by a named test on every engine.
describe('eventSeriesKinds', () => {
  const eachEngine = onEngines();

  const asked = (change: Partial<EventSeriesQuestion>): Omit<EventSeriesQuestion, 'applicationId'> => ({
    ...{ from: '2026-03-28', to: '2026-03-30', timeZone: 'Europe/Berlin', includeTest: false },
    ...{ interval: 'DAY', unit: 'DEVICE', measure: 'COUNT', property: null, breakdown: null },
    ...{ events: [{ name: 'A', system: false, filters: [] }], ...change },
  });
  const now = new Date('2026-03-30T12:00:00Z');

  test('the total of units counts a unit of two days once, as activity does', () =>
    eachEngine(
      drawnOf([
        sessionOf([customEvent('A', '2026-03-28T12:00:00Z'), customEvent('A', '2026-03-29T12:00:00Z')]),
        sessionOf([customEvent('A', '2026-03-29T12:00:00Z')], { device: 'd2' }),
      ]),
      async (engine, applicationId) => {
        const { series } = await readEventSeries(engine, { ...asked({ measure: 'UNIQUE' }), applicationId }, now);
        expect(series[0]!.points.map(({ value }) => value)).toEqual([1, 2, 0]);
        expect(series[0]!.total).toBe(2);
        const { totals } = await readActivity(
          engine,
          { ...asked({}), interval: 'DAY', compare: false, applicationId },
          now,
        );
        expect(totals.active).toBe(2);
      },
    ));

  test('a day of 23 hours is there once, and an event of its last hour is in it', () =>
    eachEngine(
      drawnOf([sessionOf([customEvent('A', '2026-03-28T23:00:00Z'), customEvent('A', '2026-03-29T21:59:59Z')])]),
      async (engine, applicationId) => {
        const { series } = await readEventSeries(engine, { ...asked({}), applicationId }, now);
        expect(series[0]!.points.map(({ start, value }) => [start.toISOString(), value])).toEqual([
          ['2026-03-27T23:00:00.000Z', 0],
          ['2026-03-28T23:00:00.000Z', 2],
          ['2026-03-29T22:00:00.000Z', 0],
        ]);
        const hours = await readEventSeries(engine, { ...asked({ interval: 'HOUR' }), applicationId }, now);
        expect(hours.series[0]!.points).toHaveLength(24 + 23 + 24);
      },
    ));

  test('the point of today is not complete', () =>
    eachEngine(drawnOf([sessionOf([customEvent('A', '2026-03-28T12:00:00Z')])]), async (engine, applicationId) => {
      const { series } = await readEventSeries(engine, { ...asked({}), applicationId }, now);
      expect(series[0]!.points.map(({ complete }) => complete)).toEqual([true, true, false]);
    }));

  test('an EventTriggered doubles no custom event, and counts where it is named', () => {
    const event = customEvent('A', '2026-03-28T12:00:00Z');
    const mirror = { ...event, name: 'EventTriggered', system: true, params: { name: 'A' } };
    return eachEngine(drawnOf([sessionOf([event, mirror])]), async (engine, applicationId) => {
      const events = [
        { name: 'A', system: false, filters: [] },
        { name: 'EventTriggered', system: true, filters: [] },
      ];
      const { series } = await readEventSeries(engine, { ...asked({ events }), applicationId }, now);
      expect(series.map(({ total }) => total)).toEqual([1, 1]);
    });
  });

  test('the other values are counted together: a unit with two of them is one', () => {
    const shown = Array.from({ length: 20 }, (_, value) => value);
    const events = [...shown, ...shown, 20, 21].map((p) => customEvent('A', '2026-03-28T12:00:00Z', { p }));
    return eachEngine(drawnOf([sessionOf(events)]), async (engine, applicationId) => {
      const question = asked({ measure: 'UNIQUE', breakdown: { scope: 'EVENT', property: 'p' } });
      const { series } = await readEventSeries(engine, { ...question, applicationId }, now);
      expect(series.map(({ breakdownValue }) => breakdownValue)).toEqual([...shown, null]);
      expect(series.at(-1)).toMatchObject({ isOther: true, total: 1 });
    });
  });

  test('a filter compares with a number beyond 2^63', () => {
    const events = [1e308, 9_007_199_254_740_992, 1].map((p) => customEvent('A', '2026-03-28T12:00:00Z', { p }));
    return eachEngine(drawnOf([sessionOf(events)]), async (engine, applicationId) => {
      const totalOf = async (filter: Pick<Filter, 'op' | 'value'>) => {
        const filters: Filter[] = [{ scope: 'EVENT', property: 'p', ...filter }];
        const question = { ...asked({ events: [{ name: 'A', system: false, filters }] }), applicationId };
        return (await readEventSeries(engine, question, now)).series[0]!.total;
      };
      expect(await totalOf({ op: 'EQ', value: 1e308 })).toBe(1);
      expect(await totalOf({ op: 'LT', value: 1e308 })).toBe(2);
      expect(await totalOf({ op: 'IN', value: [9_007_199_254_740_992, 1e308] })).toBe(2);
      expect(await totalOf({ op: 'GT', value: -1e308 })).toBe(3);
    });
  });

  test('the largest and the smallest numbers give numbers', () => {
    const events = [1.7e308, 1.7e308, 5e-324].map((p) => customEvent('A', '2026-03-28T12:00:00Z', { p }));
    return eachEngine(drawnOf([sessionOf(events)]), async (engine, applicationId) => {
      const totalOf = async (measure: EventSeriesQuestion['measure']) => {
        const question = { ...asked({ measure, property: 'p' }), applicationId };
        return (await readEventSeries(engine, question, now)).series[0]!.total;
      };
      expect(await totalOf('SUM')).toBe(Number.MAX_VALUE);
      expect(await totalOf('AVERAGE')).toBeCloseTo(1.7e308 / 1.5, -296);
      expect(await totalOf('MEDIAN')).toBe(1.7e308);
    });
  });

  test.each<[string, number[], number]>([
    ['thirty times 0.1', Array.from({ length: 30 }, () => 0.1), 3],
    ['0.1 and 0.2', [0.1, 0.2], 0.3],
    ['prices', [19.99, 4.99, 0.99, 1_234_567.89], 1_234_593.86],
    ['a sum of nothing', [-0.3, 0.1, 0.2], 0],
    ['small and large', [1e-7, 2e-7, 123_456_789], 123_456_789.0000003],
    ['beyond what a decimal holds', [1e20, 5e-324], 1e20],
  ])('sums of decimals are decimals: %s', (_, numbers, sum) => {
    const events = numbers.map((p) => customEvent('A', '2026-03-28T12:00:00Z', { p }));
    return eachEngine(drawnOf([sessionOf(events)]), async (engine, applicationId) => {
      const responseOf = async (measure: EventSeriesQuestion['measure']) => {
        const question = { ...asked({ measure, property: 'p' }), applicationId };
        const [line] = (await readEventSeries(engine, question, now)).series;
        return [line!.total, line!.points.find(({ value }) => value !== null && value !== 0)?.value ?? 0];
      };
      expect(await responseOf('SUM')).toEqual([sum, sum]);
      expect(await responseOf('AVERAGE')).toEqual([sum / numbers.length, sum / numbers.length]);
    });
  });
});

// What funnels often get wrong, each by a named test on every engine.
describe('funnelKinds', () => {
  const eachEngine = onEngines();

  const asked = (names: string, change: Partial<FunnelQuestion> = {}): Omit<FunnelQuestion, 'applicationId'> => ({
    ...{ from: '2026-03-28', to: '2026-03-28', timeZone: 'UTC', includeTest: false, unit: 'DEVICE', breakdown: null },
    steps: [...names].map((name) => ({ name, system: false, filters: [] })),
    ...{ withinMicros: 3_600_000_000n, order: 'ORDERED', ...change },
  });

  /** Each event by its name, at a time of 28 March. */
  const events = (...times: [string, string][]): DrawnEvent[] =>
    times.map(([name, time]) => customEvent(name, `2026-03-28T${time}Z`));

  async function expectCounts(sent: DrawnEvent[], expected: [ReturnType<typeof asked>, number[]][]): Promise<void> {
    await eachEngine(drawnOf([sessionOf(sent)]), async (engine, applicationId) => {
      for (const [question, counts] of expected) {
        const { steps } = await readFunnel(engine, { ...question, applicationId });
        expect(steps.map(({ count }) => count)).toEqual(counts);
      }
    });
  }

  test('steps in one second go by their position', () =>
    expectCounts(events(['A', '12:00:00'], ['B', '12:00:00']), [
      [asked('AB'), [1, 1]],
      [asked('BA'), [1, 0]],
    ]));

  test('a repeated step needs a second event', () =>
    expectCounts(events(['A', '12:00:00'], ['B', '12:00:01'], ['A', '12:00:02']), [
      [asked('AA'), [1, 1]],
      [asked('AAA'), [1, 1, 0]],
      [asked('AAA', { order: 'ANY' }), [1, 1, 0]],
      [asked('BB'), [1, 0]],
    ]));

  test('a later entering event begins nothing anew, and the last instant of the window counts', () =>
    expectCounts(events(['A', '12:00:00'], ['A', '12:30:00'], ['B', '13:00:01']), [
      [asked('AB'), [1, 0]],
      [asked('AB', { withinMicros: 3_601_000_000n }), [1, 1]],
    ]));

  test('a unit may finish after the range, and enters in it', () =>
    expectCounts(
      [
        ...events(['A', '23:59:59']),
        customEvent('B', '2026-03-29T00:10:00Z'),
        customEvent('A', '2026-03-29T00:20:00Z'),
      ],
      [
        [asked('AB'), [1, 1]],
        [asked('BA'), [0, 0]],
      ],
    ));

  test('ANY takes the others in any order, and one event serves one step', () =>
    expectCounts(events(['C', '11:00:00'], ['A', '12:00:00'], ['C', '12:00:01'], ['B', '12:00:02']), [
      [asked('ABC'), [1, 1, 0]],
      [asked('ABC', { order: 'ANY' }), [1, 1, 1]],
      [asked('ACC', { order: 'ANY' }), [1, 1, 0]],
    ]));
});

// What figures of returning units often get wrong, each by a named test on every engine.
describe('retentionKinds', () => {
  const eachEngine = onEngines();

  const asked = (change: Partial<RetentionQuestion>): Omit<RetentionQuestion, 'applicationId'> => ({
    ...{ from: '2026-03-28', to: '2026-03-30', timeZone: 'Europe/Berlin', includeTest: false, interval: 'DAY' },
    ...{ unit: 'DEVICE', start: null, returning: null, mode: 'ON', periods: 2, ...change },
  });
  const named = (name: string, system = false) => ({ name, system, filters: [] });
  const now = new Date('2026-03-30T12:00:00Z');

  type Engine = Parameters<Parameters<typeof eachEngine>[1]>[0];

  /** Of each cohort its size and the counts of its periods. */
  async function countsOf(engine: Engine, question: RetentionQuestion): Promise<number[][]> {
    const { cohorts } = await readRetention(engine, question, now);
    return cohorts.map(({ size, periods }) => [size, ...periods.map(({ count }) => count)]);
  }

  test('a unit whose first is before the range is in no cohort, whatever it does in the range', () =>
    eachEngine(
      drawnOf([
        sessionOf([customEvent('A', '2026-02-01T12:00:00Z')]),
        sessionOf([customEvent('A', '2026-03-28T12:00:00Z')], { id: 's2' }),
      ]),
      async (engine, applicationId) => {
        for (const start of [null, named('A')]) {
          expect(await countsOf(engine, { ...asked({ start }), applicationId })).toEqual([
            [0, 0, 0],
            [0, 0, 0],
            [0, 0, 0],
          ]);
        }
      },
    ));

  test('what arrives late moves the first to its own time', () => {
    const late = { uploads: [{ arrivedAt: micros('2026-03-30T09:00:00Z'), events: [] }] };
    const sessions = [
      sessionOf([customEvent('A', '2026-03-29T12:00:00Z')]),
      sessionOf([customEvent('A', '2026-03-28T12:00:00Z')], { id: 's2', ...late }),
    ];
    return eachEngine(drawnOf(sessions), async (engine, applicationId) => {
      expect(await countsOf(engine, { ...asked({}), applicationId })).toEqual([
        [1, 1, 1],
        [0, 0, 0],
        [0, 0, 0],
      ]);
    });
  });

  test('an EventTriggered neither begins nor returns, and does both where it is named', () => {
    const mirror = { ...customEvent('EventTriggered', '2026-03-29T12:00:00Z', { name: 'A' }), system: true };
    return eachEngine(
      drawnOf([sessionOf([customEvent('A', '2026-03-28T12:00:00Z'), mirror])]),
      async (engine, applicationId) => {
        const [first] = await countsOf(engine, { ...asked({}), applicationId });
        expect(first).toEqual([1, 1, 0]);
        const returning = named('EventTriggered', true);
        expect((await countsOf(engine, { ...asked({ returning }), applicationId }))[0]).toEqual([1, 0, 1]);
        expect((await countsOf(engine, { ...asked({ start: returning }), applicationId }))[1]).toEqual([1, 0, 0]);
      },
    );
  });

  test('a return before the start is none, and the event of the start is one', () =>
    eachEngine(
      drawnOf([sessionOf([customEvent('B', '2026-03-28T11:59:59Z'), customEvent('A', '2026-03-28T12:00:00Z')])]),
      async (engine, applicationId) => {
        const start = named('A');
        const [before] = await countsOf(engine, { ...asked({ start, returning: named('B') }), applicationId });
        expect(before).toEqual([1, 0, 0]);
        const [own] = await countsOf(engine, { ...asked({ start, returning: start }), applicationId });
        expect(own).toEqual([1, 1, 0]);
      },
    ));

  test('ON_OR_AFTER counts a return in every period before it, also one beyond all periods', () =>
    eachEngine(
      drawnOf([
        sessionOf([customEvent('A', '2026-03-28T12:00:00Z')]),
        sessionOf([customEvent('A', '2026-04-05T12:00:00Z')], { id: 's2' }),
      ]),
      async (engine, applicationId) => {
        const mode = 'ON_OR_AFTER';
        expect((await countsOf(engine, { ...asked({ mode, periods: 4 }), applicationId }))[0]).toEqual([1, 1, 1, 1, 1]);
        expect((await countsOf(engine, { ...asked({ periods: 4 }), applicationId }))[0]).toEqual([1, 1, 0, 0, 0]);
      },
    ));

  test('a day of 23 hours is one cohort, and the period of today is not complete', () =>
    eachEngine(
      drawnOf([sessionOf([customEvent('A', '2026-03-28T23:00:00Z'), customEvent('A', '2026-03-29T22:00:00Z')])]),
      async (engine, applicationId) => {
        const { cohorts } = await readRetention(engine, { ...asked({}), applicationId }, now);
        expect(cohorts.map(({ start }) => start.toISOString())).toEqual([
          '2026-03-27T23:00:00.000Z',
          '2026-03-28T23:00:00.000Z',
          '2026-03-29T22:00:00.000Z',
        ]);
        expect(cohorts[1]!.periods).toEqual([
          { index: 0, count: 1, complete: true },
          { index: 1, count: 1, complete: false },
        ]);
      },
    ));

  test('a cohort of first activities is as large as the new units of activity, of devices and of users', () =>
    eachEngine(
      drawnOf([
        sessionOf([customEvent('A', '2026-03-28T12:00:00Z')]),
        // A user whose id is that of the device.
        sessionOf([customEvent('A', '2026-03-29T12:00:00Z')], { id: 's2', userId: 'd1' }),
        sessionOf([customEvent('A', '2026-03-29T12:00:00Z')], { device: 'd2', userId: 'd1' }),
      ]),
      async (engine, applicationId) => {
        for (const [unit, sizes] of [
          ['DEVICE', [1, 1, 0]],
          ['USER', [1, 1, 0]],
        ] as const) {
          const question = { ...asked({ unit }), applicationId };
          expect((await countsOf(engine, question)).map(([size]) => size)).toEqual(sizes);
          const { points } = await readActivity(engine, { ...question, interval: 'DAY', compare: false }, now);
          expect(points.map((point) => point.new)).toEqual(sizes);
        }
      },
    ));
});

// `retention` and `activity` after the service has removed events for their age: a unit began at the first time that it keeps.
describe('retentionFirsts', () => {
  let database: TestDatabase;
  let engines: TestEngine[];
  let applicationId: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    const sessions = [
      sessionOf([customEvent('A', '2026-03-28T12:00:00Z'), customEvent('B', '2026-03-28T12:00:01Z')], { userId: 'u1' }),
    ];
    ({ applicationId } = await storeDrawn(database, drawnOf(sessions)));
    const kept = [
      ['D', deviceKey(applicationId, 'd1'), ''],
      ['D', deviceKey(applicationId, 'd1'), 'A'],
      // A user of another unit: the session has the user u1.
      ['U', 'u2', 'B'],
    ].map(([kind, unit, name]) => ({ kind, unit, name, at: micros('2026-01-01T00:00:00Z') }));
    await database.pool.query(
      `INSERT INTO analytics_firsts (application_id, kind, unit, name, system, at)
     SELECT $1, kind, CASE kind WHEN 'U' THEN unit ELSE unit::uuid::text END, name, false, at FROM jsonb_to_recordset($2) AS r (kind text, unit text, name text, at bigint)`,
      [applicationId, JSON.stringify(kept)],
    );
    engines = openEngines(database);
  });
  afterAll(async () => {
    for (const { engine } of engines) await engine.close();
    await database.drop();
  });

  const named = (name: string, filters: EventSelection['filters'] = []): EventSelection => ({
    ...{ name, system: false, filters },
  });

  test.each<[string, Partial<RetentionQuestion>, number]>([
    ['any activity', { start: null }, 0],
    ['the event itself', { start: named('A') }, 0],
    ['another event', { start: named('B') }, 1],
    ['the event with a filter, of which nothing is kept', { start: named('A', [absent()]) }, 1],
    ['users, of whom nothing is kept', { start: null, unit: 'USER' }, 1],
  ])('%s', async (_, change, size) => {
    for (const { name, engine, follow } of engines) {
      await follow();
      const { cohorts } = await readRetention(
        engine,
        {
          ...{ applicationId, from: '2026-03-28', to: '2026-03-28', timeZone: 'UTC', includeTest: false },
          ...{ interval: 'DAY', unit: 'DEVICE', start: null, returning: null, mode: 'ON', periods: 1, ...change },
        },
        new Date('2026-03-30T12:00:00Z'),
      );
      expect({ name, size: cohorts[0]!.size }).toEqual({ name, size });
    }
  });

  test.each([
    ['no device is new on the day of its rows', { from: '2026-03-28', unit: 'DEVICE' }, []],
    ['but on the day of the first time', { from: '2026-01-01', unit: 'DEVICE' }, ['2026-01-01']],
    ['the user, of whom nothing is kept, is', { from: '2026-01-02', unit: 'USER' }, ['2026-03-28']],
  ] as const)('activity: %s', async (_, asked, days) => {
    const question = { applicationId, to: '2026-03-28', timeZone: 'UTC', includeTest: false, ...asked };
    for (const { name, engine, follow } of engines) {
      await follow();
      const found = await readActivity(engine, { ...question, interval: 'DAY', compare: false }, new Date());
      const begun = found.points.filter((point) => point.new > 0).map(({ start }) => start.toISOString().slice(0, 10));
      expect({ name, begun }).toEqual({ name, begun: days });
    }
  });

  function absent(): EventSelection['filters'][number] {
    return { scope: 'EVENT', property: 'none', op: 'NOT_EXISTS' };
  }
});

// What figures of revenue often get wrong, each by a named test on every engine.
describe('revenueKinds', () => {
  let database: TestDatabase;
  let engines: TestEngine[];
  beforeAll(async () => {
    database = await createTestDatabase();
    engines = openEngines(database);
  });
  afterAll(async () => {
    for (const { engine } of engines) await engine.close();
    await database.drop();
  });

  const purchase = (id: string, time: string, changed: Partial<DrawnPurchase> = {}): DrawnPurchase => ({
    ...{ id, productId: 'p', purchasedAt: micros(time), expiresAt: null, revokedAt: null, revocationType: null },
    ...{ revocationPercent: null, priceMilli: 9_990n, currency: 'EUR', quantity: 1, ownership: 'PURCHASED' },
    ...{ offerMode: null, storefront: 'DE', upgraded: false, paidUntil: null, ...changed },
  });

  const line = (id: string, purchases: DrawnPurchase[], changed: Partial<DrawnLine> = {}): DrawnLine => ({
    ...{ id, kind: 'CONSUMABLE', environment: 'PRODUCTION', owner: 'ann', device: 'd1', purchases, renewals: [] },
    ...changed,
  });

  const question: Omit<RevenueQuestion, 'applicationId'> = {
    ...{ from: '2026-03-28', to: '2026-03-30', timeZone: 'Europe/Berlin', includeTest: false },
    ...{ interval: 'DAY', currency: 'EUR', breakdown: 'NONE' },
  };
  const now = '2026-03-30T12:00:00Z';

  /** The other application has the same lines. */
  async function eachResult(lines: DrawnLine[], check: (found: RevenueResult) => void): Promise<void> {
    const about = {
      asked: lines,
      other: lines,
      platforms: {},
      timeZone: 'UTC',
      around: '2026-03-28',
      now: micros(now),
    };
    const applicationId = await storePurchases(database, about);
    for (const { engine, follow } of engines) {
      await follow();
      check(await readRevenue(engine, { ...question, applicationId }, new Date(now)));
    }
  }

  test('the total counts a payer of two days once', () =>
    eachResult(
      [line('1', [purchase('1', '2026-03-28T12:00:00Z')]), line('2', [purchase('2', '2026-03-29T12:00:00Z')])],
      ({ points, totals }) => {
        expect(points.map(({ payers }) => payers)).toEqual([1, 1, 0]);
        expect(totals).toEqual({ gross: '19.98', refunds: '0.00', purchases: 2, payers: 1, renewals: 0 });
      },
    ));

  test('a user whose id is that of a device is another payer', () =>
    eachResult(
      [
        line('1', [purchase('1', '2026-03-28T12:00:00Z')], { owner: 'd1', device: 'd2' }),
        line('2', [purchase('2', '2026-03-28T12:00:00Z')], { owner: null, device: 'd1' }),
      ],
      ({ totals }) => expect(totals.payers).toBe(2),
    ));

  test('a day of 23 hours is there once, and the point of today is not complete', () =>
    eachResult([line('1', [purchase('1', '2026-03-29T21:59:59Z')])], ({ points }) => {
      expect(points.map(({ start, complete, purchases }) => [start.toISOString(), complete, purchases])).toEqual([
        ['2026-03-27T23:00:00.000Z', true, 0],
        ['2026-03-28T23:00:00.000Z', true, 1],
        ['2026-03-29T22:00:00.000Z', false, 0],
      ]);
    }));

  test('a renewal is a renewal where the first purchase is before the range, and no purchase', () =>
    eachResult(
      [
        line('1', [purchase('1', '2026-02-28T12:00:00Z'), purchase('1-b', '2026-03-28T12:00:00Z')], {
          kind: 'AUTO_RENEWABLE',
        }),
      ],
      ({ totals }) => expect(totals).toMatchObject({ gross: '9.99', purchases: 0, renewals: 1, payers: 1 }),
    ));

  test('a refund counts when it was made, of 0 percent nothing and without a percentage all, and the end of family sharing is none', () => {
    const revoked = (id: string, changed: Partial<DrawnPurchase>) =>
      line(id, [purchase(id, '2026-03-28T12:00:00Z', { revokedAt: micros('2026-03-29T12:00:00Z'), ...changed })]);
    return eachResult(
      [
        revoked('1', { revocationPercent: 0 }),
        revoked('2', {}),
        revoked('3', { revocationPercent: 50 }),
        revoked('4', { revocationType: 'FAMILY_REVOKE' }),
      ],
      ({ points, totals }) => {
        expect(points.map(({ gross, refunds }) => [gross, refunds])).toEqual([
          ['39.96', '0.00'],
          ['0.00', '14.985'],
          ['0.00', '0.00'],
        ]);
        expect(totals).toMatchObject({ gross: '39.96', refunds: '14.985' });
      },
    );
  });
});

// Two screens that differ: the figure of a report and the list of its devices, on every engine.
describe('devicesBehindKinds', () => {
  const eachEngine = onEngines();
  const now = new Date('2026-03-30T12:00:00Z');
  const named = (name: string) => ({ name, system: false, filters: [] });

  /** Of d1 to d3: two have A, one of them B too, and d3 has come back on another day. */
  const stored = drawnOf([
    sessionOf([customEvent('A', '2026-03-28T12:00:00Z'), customEvent('B', '2026-03-28T12:00:30Z')]),
    sessionOf([customEvent('A', '2026-03-28T14:00:00Z')], { device: 'd2', userId: 'd1' }),
    sessionOf([customEvent('C', '2026-03-28T15:00:00Z')], { device: 'd3' }),
    sessionOf([customEvent('C', '2026-03-29T15:00:00Z')], { device: 'd3', id: 's2' }),
  ]);

  test('the unique counts of each report are the lengths of the lists behind them', () =>
    eachEngine(stored, async (engine, applicationId) => {
      const totalOf = async (figure: Figure) =>
        (await readDevicesBehind(engine, figure, { limit: 50, after: null })).total;
      const range = { from: '2026-03-28', to: '2026-03-30', timeZone: 'UTC', includeTest: false };
      const question = { applicationId, ...range, interval: 'DAY' as const, unit: 'DEVICE' as const, compare: false };

      const { points, totals } = await readActivity(engine, question, now);
      expect([totals.active, points[0]!.active, points[1]!.active, points[0]!.new]).toEqual([3, 3, 1, 3]);
      const activity = { of: 'activity', question } as const;
      expect(await totalOf({ ...activity, start: null, figure: 'ACTIVE' })).toBe(totals.active);
      for (const { start, active, new: first } of points) {
        expect(await totalOf({ ...activity, start, figure: 'ACTIVE' })).toBe(active);
        expect(await totalOf({ ...activity, start, figure: 'NEW' })).toBe(first);
      }

      const uniques = {
        ...question,
        measure: 'UNIQUE' as const,
        property: null,
        breakdown: null,
        events: [named('A')],
      };
      const { series } = await readEventSeries(engine, uniques, now);
      expect(series[0]!.total).toBe(2);
      expect(await totalOf({ of: 'eventSeries', question: uniques, series: 0, start: null, line: null })).toBe(2);

      const steps = [named('A'), named('B')];
      const way = { ...question, steps, withinMicros: 60_000_000n, order: 'ORDERED' as const, breakdown: null };
      const funnel = await readFunnel(engine, way);
      expect(funnel.steps.map(({ count }) => count)).toEqual([2, 1]);
      const step = { of: 'funnel', question: way, line: null } as const;
      expect(await totalOf({ ...step, step: 0, dropped: false })).toBe(2);
      expect(await totalOf({ ...step, step: 1, dropped: false })).toBe(1);
      expect(await totalOf({ ...step, step: 1, dropped: true })).toBe(1);

      const back = { ...question, start: null, returning: null, mode: 'ON' as const, periods: 2 };
      const { cohorts } = await readRetention(engine, back, now);
      expect(cohorts.map(({ size }) => size)).toEqual([3, 0, 0]);
      for (const { start, size, periods } of cohorts) {
        const cohort = { of: 'retention', question: back, cohort: start } as const;
        expect(await totalOf({ ...cohort, index: null })).toBe(size);
        for (const { index, count } of periods) expect(await totalOf({ ...cohort, index })).toBe(count);
      }
    }));

  test('behind a number of events are the devices that brought them, also with users, and behind a number of users all of theirs', () => {
    const ofUser = (device: string, name: string) =>
      sessionOf([customEvent(name, '2026-03-28T12:00:00Z', { price: 2 })], { device, userId: 'ann' });
    return eachEngine(drawnOf([ofUser('d1', 'Bought'), ofUser('d2', 'Seen')]), async (engine, applicationId) => {
      const behind = async (measure: Measure) => {
        const range = { from: '2026-03-28', to: '2026-03-30', timeZone: 'UTC', includeTest: false };
        const asked = { interval: 'DAY', unit: 'USER', breakdown: null, events: [named('Bought')] } as const;
        const question = { applicationId, ...range, ...asked, measure, property: isNumeric(measure) ? 'price' : null };
        const figure = { of: 'eventSeries', question, series: 0, start: null, line: null } as const;
        const { nodes } = await readDevicesBehind(engine, figure, { limit: 50, after: null });
        return nodes.map(({ id }) => id).sort();
      };
      for (const measure of ['COUNT', 'SUM', 'AVERAGE', 'MEDIAN', 'P90'] as const) {
        expect([measure, await behind(measure)]).toEqual([measure, ['d1']]);
      }
      for (const measure of ['UNIQUE', 'PER_UNIT'] as const) {
        expect([measure, await behind(measure)]).toEqual([measure, ['d1', 'd2']]);
      }
    });
  });

  const isNumeric = (measure: Measure): boolean => !['COUNT', 'UNIQUE', 'PER_UNIT'].includes(measure);
});
