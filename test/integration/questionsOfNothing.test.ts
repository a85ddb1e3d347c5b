// Questions whose range or point has no instant: every engine has a response, also where its tables are on several nodes.
import type { Unit } from '../../src/analytics/questions.ts';
import type { AnalyticsEngine } from '../../src/analytics/engine/engine.ts';
import { postgresDialect } from '../../src/analytics/engine/postgresDialect.ts';
import { readActivity } from '../../src/analytics/reads/activityRead.ts';
import { readDevicesBehind } from '../../src/analytics/reads/devicesBehindRead.ts';
import { readEventSeries } from '../../src/analytics/reads/eventSeriesRead.ts';
import { readFunnel } from '../../src/analytics/reads/funnelRead.ts';
import { readPropertyNames } from '../../src/analytics/reads/propertyNamesRead.ts';
import { readRetention } from '../../src/analytics/reads/retentionRead.ts';
import { readRevenue } from '../../src/analytics/reads/revenueRead.ts';
import { customEvent, drawnOf, onEngines, sessionOf } from '../support/analytics/onEngines.ts';

const eachEngine = onEngines();
const now = new Date('2026-03-30T12:00:00Z');
const start = new Date(1_000);
const stored = drawnOf([sessionOf([customEvent('A', '2026-03-28T12:00:00Z', { p: 1 })], { userId: 'ann' })]);
const named = { name: 'A', system: false, filters: [] };
const ofUser = { ...named, filters: [{ scope: 'USER', property: 'p', op: 'EXISTS' }] } as const;
const page = { limit: 10, after: null };

const ranges = {
  'a point that the response does not have': { from: '2026-03-28', to: '2026-03-30', timeZone: 'UTC' },
  // Samoa crossed the date line.
  'a day that the zone has skipped': { from: '2011-12-30', to: '2011-12-30', timeZone: 'Pacific/Apia' },
};
type Range = (typeof ranges)[keyof typeof ranges];

const cases = Object.entries(ranges).flatMap(([name, range]) =>
  (['DEVICE', 'USER'] as const).map((unit) => [name, unit, range] as [string, Unit, Range]),
);

/** Citus refuses some joins of tables that the planner has dropped, which a plan of PostgreSQL shows as a constant condition. */
function withoutConstants(engine: AnalyticsEngine): AnalyticsEngine {
  return {
    ...engine,
    async ask(question) {
      const plan = await engine.ask<object>({ ...question, text: `EXPLAIN ${question.text}` });
      const lines = plan.rows.map((row) => String(Object.values(row)[0]).trim());
      expect(lines.filter((line) => line.startsWith('One-Time Filter'))).toEqual([]);
      return engine.ask(question);
    },
  };
}

test.each(cases)('the devices behind %s, by %s', (_, unit, range) =>
  eachEngine(stored, async (given, applicationId) => {
    const engine = given.dialect === postgresDialect ? withoutConstants(given) : given;
    const question = { applicationId, ...range, unit, includeTest: false, interval: 'DAY' as const, compare: false };
    for (const figure of ['ACTIVE', 'NEW', 'SESSIONS'] as const) {
      expect(await readDevicesBehind(engine, { of: 'activity', question, start, figure }, page)).toMatchObject({
        total: 0,
      });
    }
    for (const [breakdown, line] of [
      [null, null],
      [
        { scope: 'EVENT', property: 'p' },
        { value: 1, isOther: false },
      ],
    ] as const) {
      const series = { ...question, measure: 'UNIQUE' as const, property: null, breakdown, events: [ofUser] };
      const figure = { of: 'eventSeries', question: series, series: 0, start, line } as const;
      expect(await readDevicesBehind(engine, figure, page)).toMatchObject({ total: 0 });
    }
    for (const begin of [null, named]) {
      const retention = { ...question, start: begin, returning: null, mode: 'ON' as const, periods: 2 };
      const figure = { of: 'retention', question: retention, cohort: start, index: 0 } as const;
      expect(await readDevicesBehind(engine, figure, page)).toMatchObject({ total: 0 });
    }
  }),
);

test.each(['DEVICE', 'USER'] as const)('each report of a day that the zone has skipped, by %s', (unit) =>
  eachEngine(stored, async (engine, applicationId) => {
    const range = ranges['a day that the zone has skipped'];
    const question = { applicationId, ...range, unit, includeTest: false, interval: 'DAY' as const, compare: true };
    expect((await readActivity(engine, question, now)).points).toEqual([]);
    const breakdown = { scope: 'EVENT', property: 'p' } as const;
    const series = { ...question, measure: 'UNIQUE' as const, property: null, breakdown, events: [named, ofUser] };
    expect((await readEventSeries(engine, series, now)).series).toEqual([]);
    const retention = { ...question, start: null, returning: null, mode: 'ON' as const, periods: 2 };
    expect((await readRetention(engine, retention, now)).cohorts).toEqual([]);
    const funnel = {
      ...question,
      steps: [named, ofUser],
      withinMicros: 60_000_000n,
      order: 'ORDERED' as const,
      breakdown,
    };
    expect((await readFunnel(engine, funnel)).steps).toMatchObject([{ count: 0 }, { count: 0 }]);
    const revenue = { ...question, currency: 'EUR', breakdown: 'PLATFORM' as const };
    expect(await readRevenue(engine, revenue, now)).toMatchObject({ points: [], totals: { purchases: 0 } });
  }),
);

test('the names of an application without a recent event', () =>
  eachEngine(stored, async (engine, applicationId) => {
    const asked = {
      applicationId,
      includeTest: false,
      now: new Date(0),
      newest: 10,
      scope: 'EVENT',
      search: null,
    } as const;
    expect((await readPropertyNames(engine, { ...asked, ...page })).nodes).toEqual([]);
  }));
