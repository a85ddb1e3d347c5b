// What figures of active units often get wrong, each by a named test on every engine.
import type { ActivityQuestion } from '../../src/analytics/questions.ts';
import { readActivity } from '../../src/analytics/reads/activityRead.ts';
import { readEventNames } from '../../src/analytics/reads/eventNamesRead.ts';
import { readEventSeries } from '../../src/analytics/reads/eventSeriesRead.ts';
import { readFunnel } from '../../src/analytics/reads/funnelRead.ts';
import { readRecentEvents } from '../../src/analytics/reads/recentEventsRead.ts';
import { readRetention } from '../../src/analytics/reads/retentionRead.ts';
import { customEvent, drawnOf, onEngines, sessionOf } from '../support/analytics/onEngines.ts';

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
