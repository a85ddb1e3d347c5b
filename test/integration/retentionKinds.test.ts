// What figures of returning units often get wrong, each by a named test on every engine.
import type { RetentionQuestion } from '../../src/analytics/questions.ts';
import { readActivity } from '../../src/analytics/reads/activityRead.ts';
import { readRetention } from '../../src/analytics/reads/retentionRead.ts';
import { customEvent, drawnOf, micros, onEngines, sessionOf } from '../support/analytics/onEngines.ts';

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
