// Two screens that differ: the figure of a report and the list of its devices, on every engine.
import type { Figure, Measure } from '../../src/analytics/questions.ts';
import { readActivity } from '../../src/analytics/reads/activityRead.ts';
import { readDevicesBehind } from '../../src/analytics/reads/devicesBehindRead.ts';
import { readEventSeries } from '../../src/analytics/reads/eventSeriesRead.ts';
import { readFunnel } from '../../src/analytics/reads/funnelRead.ts';
import { readRetention } from '../../src/analytics/reads/retentionRead.ts';
import { customEvent, drawnOf, onEngines, sessionOf } from '../support/analytics/onEngines.ts';

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

    const uniques = { ...question, measure: 'UNIQUE' as const, property: null, breakdown: null, events: [named('A')] };
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
