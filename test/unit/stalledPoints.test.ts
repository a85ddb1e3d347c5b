// A copy that no longer follows PostgreSQL: no report says that a point after its `asOf` is complete.
import type { AnalyticsEngine } from '../../src/analytics/engine/engine.ts';
import { offEngine } from '../../src/analytics/engine/offEngine.ts';
import { readActivity } from '../../src/analytics/reads/activityRead.ts';
import { readEventSeries } from '../../src/analytics/reads/eventSeriesRead.ts';
import { readRetention } from '../../src/analytics/reads/retentionRead.ts';
import { readRevenue } from '../../src/analytics/reads/revenueRead.ts';

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
