// What funnels often get wrong, each by a named test on every engine.
import type { FunnelQuestion } from '../../src/analytics/questions.ts';
import { readFunnel } from '../../src/analytics/reads/funnelRead.ts';
import type { DrawnEvent } from '../support/analytics/drawn.ts';
import { customEvent, drawnOf, onEngines, sessionOf } from '../support/analytics/onEngines.ts';

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
    [...events(['A', '23:59:59']), customEvent('B', '2026-03-29T00:10:00Z'), customEvent('A', '2026-03-29T00:20:00Z')],
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
