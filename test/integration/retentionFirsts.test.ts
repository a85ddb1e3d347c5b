// `retention` and `activity` after the service has removed events for their age: a unit began at the first time that it keeps.
import type { EventSelection, RetentionQuestion } from '../../src/analytics/questions.ts';
import { readActivity } from '../../src/analytics/reads/activityRead.ts';
import { readRetention } from '../../src/analytics/reads/retentionRead.ts';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { openEngines, type TestEngine } from '../support/analytics/engines.ts';
import { customEvent, drawnOf, micros, sessionOf } from '../support/analytics/onEngines.ts';
import { storeDrawn } from '../support/analytics/storeDrawn.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

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
