// What figures of events over time often get wrong, each by a named test on every engine.
import type { EventSeriesQuestion, Filter } from '../../src/analytics/questions.ts';
import { readActivity } from '../../src/analytics/reads/activityRead.ts';
import { readEventSeries } from '../../src/analytics/reads/eventSeriesRead.ts';
import { customEvent, drawnOf, onEngines, sessionOf } from '../support/analytics/onEngines.ts';

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
    const answerOf = async (measure: EventSeriesQuestion['measure']) => {
      const question = { ...asked({ measure, property: 'p' }), applicationId };
      const [line] = (await readEventSeries(engine, question, now)).series;
      return [line!.total, line!.points.find(({ value }) => value !== null && value !== 0)?.value ?? 0];
    };
    expect(await answerOf('SUM')).toEqual([sum, sum]);
    expect(await answerOf('AVERAGE')).toEqual([sum / numbers.length, sum / numbers.length]);
  });
});
