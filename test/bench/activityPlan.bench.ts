// The plan of `activity` is made on the event loop: its time grows with the days, and not with their square.
import { readActivity } from '../../src/analytics/activity.ts';
import { duckDialect } from '../../src/analytics/engine/dialect.ts';
import type { AnalyticsEngine } from '../../src/analytics/engine/engine.ts';
import type { ActivityQuestion } from '../../src/analytics/questions.ts';

const engine: Pick<AnalyticsEngine, 'dialect' | 'ask'> = {
  dialect: duckDialect,
  ask: async () => ({ rows: [], asOf: new Date() }),
};

/** The shortest of several runs: other work on the machine only makes runs longer. */
async function millisOf(from: string): Promise<number> {
  const report = { applicationId: '018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90', timeZone: 'UTC', includeTest: false };
  const asked: ActivityQuestion = { ...report, from, to: '2026-11-27', interval: 'DAY', unit: 'DEVICE', compare: true };
  let shortest = Infinity;
  for (let run = 0; run < 15; run++) {
    const begun = performance.now();
    await readActivity(engine as AnalyticsEngine, asked, new Date());
    shortest = Math.min(shortest, performance.now() - begun);
  }
  return shortest;
}

test('ten times the days take at most thirty times as long', async () => {
  await millisOf('2026-09-16');
  expect((await millisOf('2024-11-28')) / (await millisOf('2026-09-16'))).toBeLessThan(30);
});
