// Questions at the edges, on every engine: times, names and filters that the drawn sessions never have.
import type { AnalyticsEngine } from '../../src/analytics/engine/engine.ts';
import { postgresDialect, question, raw, sql } from '../../src/analytics/engine/dialect.ts';
import { readCursor, writeCursor } from '../../src/analytics/pageCursor.ts';
import type { Filter, PropertyValue, Unit } from '../../src/analytics/questions.ts';
import { readActivity } from '../../src/analytics/activity.ts';
import { deviceCursor, readDevices } from '../../src/analytics/devices.ts';
import { readDevicesBehind } from '../../src/analytics/devicesBehind.ts';
import { readEventNames } from '../../src/analytics/eventNames.ts';
import { readEventSeries } from '../../src/analytics/eventSeries.ts';
import { allHold } from '../../src/analytics/reads/filters.ts';
import { readFunnel } from '../../src/analytics/funnel.ts';
import { readPropertyNames } from '../../src/analytics/propertyNames.ts';
import { readRecentEvents, recentEventsCursor } from '../../src/analytics/recentEvents.ts';
import { readRetention } from '../../src/analytics/retention.ts';
import { readRevenue } from '../../src/analytics/revenue.ts';
import { loadVectors } from '../tools/conformance/vectors.ts';
import { fulfils } from '../support/analytics/conditions.ts';
import type { Drawn } from '../support/analytics/drawn.ts';
import { openEngines, type TestEngine } from '../support/analytics/engines.ts';
import { customEvent, drawnOf, onEngines, sessionOf } from '../support/analytics/onEngines.ts';
import { storeDrawn } from '../support/analytics/storeDrawn.ts';
import { sendReport } from '../support/reportSessions.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { anEvent, aReport, aSession, type SessionReport } from '../support/uploads.ts';

// Questions whose range or point has no instant: every engine has a response, also where its tables are on several nodes.
describe('questionsOfNothing', () => {
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
});

// Times that cannot be true: every engine counts the arrival, and the session of the device shows them as they came.
describe('impossibleTimes', () => {
  let service: TestService;
  let viewer: TestUser;
  let engines: TestEngine[];
  let applicationId: string;
  beforeAll(async () => {
    service = await startTestService();
    applicationId = service.application.id;
    viewer = await newUser(service, await organizationOf(service, applicationId), 'viewer');
    engines = openEngines(service.database);
  });
  afterAll(async () => {
    for (const { engine } of engines) await engine.close();
    await service.stop();
  });

  const hourMillis = 3_600_000;
  const dayMillis = 24 * hourMillis;
  const textOf = (millis: number): string => new Date(millis).toISOString();
  const today = () => textOf(Date.now()).slice(0, 10);

  /** One session with one event of the name, whose phone shows another time. */
  function uploadOf(name: string, clock: number): SessionReport {
    const events = [anEvent({ name, timestamp: clock / 1_000, params: [] })];
    return aReport({
      sessions: [aSession({ startDate: textOf(clock), finishDate: textOf(clock + 60_000), events })],
    });
  }

  const query = `query D($app: UUID!, $id: String!) { device(applicationId: $app, id: $id) {
  sessions { startedAt datesSuspect events { timestamp timestampSuspect } } } }`;

  async function shownOf({ device }: SessionReport) {
    const { data } = await viewer.ask(query, { app: applicationId, id: device.id });
    return (data!['device'] as { sessions: Record<string, unknown>[] }).sessions;
  }

  async function createdAt(): Promise<number> {
    const { rows } = await service.database.pool.query<{ at: Date }>(
      'SELECT created_at AS at FROM applications WHERE id = $1',
      [applicationId],
    );
    return rows[0]!.at.getTime();
  }

  test('a phone set to 1970 is new today, makes no event older, and has no length; one of 399 days ago is true', async () => {
    const before = Date.now() - 1_000;
    const [lost, old] = [uploadOf('Lost', 1_000_000), uploadOf('Old', (await createdAt()) - 399 * dayMillis)];
    for (const report of [lost, old]) await sendReport(service, report);
    for (const { name, engine, follow } of engines) {
      await follow();
      const about = { applicationId, includeTest: false, now: new Date(), newest: 1_000 };
      const { nodes } = await readEventNames(engine, { ...about, search: null, limit: 50, after: null });
      const seen = new Map(nodes.map((node) => [node.name, node]));
      expect([name, seen.get('Lost')!.firstSeenAt.getTime()]).toEqual([name, expect.any(Number)]);
      expect(seen.get('Lost')!.firstSeenAt.getTime()).toBeGreaterThan(before);
      expect(seen.get('Lost')!.count30Days).toBe(1);
      expect(seen.get('Old')!.firstSeenAt.getTime()).toBeLessThan(before - 390 * dayMillis);
      const range = { from: today(), to: today(), timeZone: 'UTC', interval: 'DAY', unit: 'DEVICE' } as const;
      const asked = { applicationId, includeTest: false, compare: false, ...range };
      const { totals } = await readActivity(engine, asked, new Date());
      expect({ name, ...totals }).toMatchObject({ name, new: 1, sessions: 1, events: 1, medianSessionSeconds: null });
    }
    expect(await shownOf(lost)).toEqual([
      {
        ...{ startedAt: textOf(1_000_000), datesSuspect: true },
        events: [{ timestamp: textOf(1_000_000), timestampSuspect: true }],
      },
    ]);
    expect(await shownOf(old)).toMatchObject([{ datesSuspect: false, events: [{ timestampSuspect: false }] }]);
  });

  test.each([
    [23 * hourMillis, false],
    [25 * hourMillis, true],
  ])('a phone that is %i ms ahead counts at its arrival, and is suspect: %s', async (ahead, isSuspect) => {
    const report = uploadOf(`Ahead ${ahead}`, Date.now() + ahead);
    await sendReport(service, report);
    expect(await shownOf(report)).toMatchObject([
      { datesSuspect: isSuspect, events: [{ timestampSuspect: isSuspect }] },
    ]);
    for (const { engine, follow } of engines) {
      await follow();
      const about = { applicationId, includeTest: false, now: new Date(), newest: 1_000 };
      const { nodes } = await readEventNames(engine, { ...about, search: 'ahead', limit: 50, after: null });
      for (const { lastSeenAt } of nodes) expect(lastSeenAt.getTime()).toBeLessThanOrEqual(Date.now());
    }
  });

  test('a session that goes on for days is not suspect', async () => {
    const report = uploadOf('Long', Date.now() - hourMillis);
    const session = { ...report.sessions[0]!, events: [], finishDate: null };
    await sendReport(service, { ...report, sessions: [session] });
    await service.database.pool.query(
      `UPDATE sessions SET received_at = (received_at AT TIME ZONE 'UTC' - interval '3 days') AT TIME ZONE 'UTC',
      started_at = (started_at AT TIME ZONE 'UTC' - interval '3 days') AT TIME ZONE 'UTC' WHERE id = $1`,
      [session.id],
    );
    await sendReport(service, { ...report, sessions: [{ ...session, finishDate: textOf(Date.now() - 1_000) }] });
    expect(await shownOf(report)).toMatchObject([{ datesSuspect: false }]);
  });

  test('a first time that retention kept before it cannot be true is the creation of the application', async () => {
    await service.database.pool.query(
      `INSERT INTO analytics_firsts (application_id, kind, unit, name, system, at)
     SELECT application_id, 'D', key::text, 'Gone', false, 1000000 FROM devices WHERE application_id = $1 LIMIT 1`,
      [applicationId],
    );
    // Opened now: the log does not tell of the row.
    const fresh = openEngines(service.database);
    for (const { name, engine, follow } of fresh) {
      await follow();
      const about = { applicationId, includeTest: false, now: new Date(), newest: 1_000 };
      const { nodes } = await readEventNames(engine, { ...about, search: 'gone', limit: 50, after: null });
      expect(nodes.map(({ firstSeenAt }) => [name, firstSeenAt.getTime()])).toEqual([[name, await createdAt()]]);
      await engine.close();
    }
  });
});

// What the drawn sessions of the lists never have: names that retention has left, long ids in cursors, and letters beyond ASCII.
describe('listsOfNames', () => {
  const long = '\u{1f600}'.repeat(256);
  const ids = [long, `${long.slice(2)}x`, 'ΣΟΦΟΣ', 'İ'];
  const arrivedAt = Date.parse('2026-03-04T10:00:00Z') * 1_000;
  const event = { name: 'A', system: false, occurredAt: arrivedAt, params: { p: 'x'.repeat(1_000) } };
  const asked = {
    devices: ids.map((id) => ({ id, userId: null, properties: {}, userProperties: {}, test: false })),
    sessions: ids.map((device) => ({
      ...{ device, id: long, userId: null, startedAt: arrivedAt, finishedAt: null },
      uploads: [{ arrivedAt, events: [event] }],
    })),
  };
  const about: Drawn = { asked, other: asked, timeZone: 'UTC', around: '2026-03-04', now: arrivedAt };
  const now = new Date('2026-03-05T00:00:00Z');

  let database: TestDatabase;
  let engines: TestEngine[];
  let base: { applicationId: string; includeTest: false; limit: number; after: null };
  /** After the application was made. */
  const removedAt = new Date('2012-03-04T05:06:07Z');

  beforeAll(async () => {
    database = await createTestDatabase();
    const { applicationId } = await storeDrawn(database, about);
    base = { applicationId, includeTest: false, limit: 1, after: null };
    await database.pool.query(
      `INSERT INTO analytics_firsts (application_id, kind, unit, name, system, at)
     SELECT application_id, 'D', key::text, 'Removed', false, $2::bigint + length(id) FROM devices WHERE application_id = $1`,
      [applicationId, removedAt.getTime() * 1_000],
    );
    engines = openEngines(database);
    for (const { follow } of engines) await follow();
  });
  afterAll(async () => {
    for (const { engine } of engines) await engine.close();
    await database.drop();
  });

  const everywhere = { userId: null, search: null, filters: [], activeSince: null, sort: 'LAST_SEEN' } as const;

  test('a cursor of long ids is read back', async () => {
    for (const { engine } of engines) {
      const { endCursor } = await readDevices(engine, { ...base, ...everywhere, limit: 4 });
      expect(readCursor(endCursor!, deviceCursor('devices'))).not.toBeNull();
      const events = await readRecentEvents(engine, { ...base, filters: [] }, 100_000);
      const after = readCursor(events.endCursor!, recentEventsCursor);
      const { nodes } = await readRecentEvents(engine, { ...base, filters: [], limit: 5, after }, 100_000);
      expect(nodes).toHaveLength(3);
    }
  });

  test('a cursor has numbers where a column is one', () => {
    const shape = deviceCursor('devices');
    const list = 'devices LAST_SEEN';
    expect(readCursor(writeCursor([list, '1', 'd']), shape)).toEqual([list, '1', 'd']);
    for (const parts of [['x', 'd'], ['1'.repeat(19), 'd'], ['1', 'a\0'], ['1']]) {
      expect(readCursor(writeCursor([list, ...parts]), shape)).toBeNull();
    }
  });

  test('a number of events to skip is not negative', () => {
    const parts = ['-1', '-1', '1', 's', 'd', '-1'];
    expect(readCursor(writeCursor([...parts, '2']), recentEventsCursor)).not.toBeNull();
    for (const count of ['-1', '1'.repeat(10), '']) {
      expect(readCursor(writeCursor([...parts, count]), recentEventsCursor)).toBeNull();
    }
  });

  test('a cursor of one list, or of one sort, is none of another', () => {
    const cursor = writeCursor(['devices SESSIONS', '1', 'd']);
    expect(readCursor(cursor, deviceCursor('devices', 'SESSIONS'))).not.toBeNull();
    expect(readCursor(cursor, deviceCursor('devices', 'LAST_SEEN'))).toBeNull();
    expect(readCursor(writeCursor(['devices LAST_SEEN', '1', 'd']), deviceCursor('userDevices'))).toBeNull();
  });

  test('an event that retention has removed keeps its name, with the first time of all devices', async () => {
    for (const { name: on, engine } of engines) {
      const names = { ...base, limit: 5, search: 'REMOVED'.toLowerCase(), newest: 1_000, now };
      const { nodes } = await readEventNames(engine, names);
      const seen = { firstSeenAt: removedAt, lastSeenAt: removedAt };
      const left = { name: 'Removed', system: false, ...seen, count30Days: 0, params: [] };
      expect({ on, nodes }).toEqual({ on, nodes: [left] });
    }
  });

  test('texts of more than 256 characters are cut in examples', async () => {
    for (const { engine } of engines) {
      const { nodes } = await readEventNames(engine, { ...base, search: null, newest: 1_000, now });
      expect(nodes[0]!.params[0]!.examples).toEqual(['x'.repeat(256)]);
    }
  });

  test('parameters without room are not sent', async () => {
    for (const { engine } of engines) {
      const { nodes } = await readRecentEvents(engine, { ...base, filters: [] }, 500);
      expect(nodes[0]!.params).toBeNull();
    }
  });

  test('a search finds letters beyond ASCII in lower case', async () => {
    for (const { name: on, engine } of engines) {
      for (const [search, id] of [
        ['ΦΟΣ', 'ΣΟΦΟΣ'],
        ['İ', 'İ'],
      ] as const) {
        const found = await readDevices(engine, { ...base, ...everywhere, search: search.toLowerCase() });
        expect({ on, search, ids: found.nodes.map((node) => node.id) }).toEqual({ on, search, ids: [id] });
      }
    }
  });
});

// Filters as SQL mean what the published vectors of conditions say, and so does the reference.
describe('filterCondition', () => {
  interface ConditionVector {
    name: string;
    actual?: PropertyValue;
    condition: Pick<Filter, 'op' | 'value'>;
    holds: boolean;
  }

  /** A question with an unknown operator or a value of a wrong kind is refused before it is asked. */
  const takes: Record<string, (value: unknown) => boolean> = {
    ...Object.fromEntries(['EQ', 'NEQ'].map((op) => [op, isPrimitive])),
    ...Object.fromEntries(['GT', 'GTE', 'LT', 'LTE'].map((op) => [op, isOrdered])),
    ...Object.fromEntries(['IN', 'NOT_IN'].map((op) => [op, isList])),
    CONTAINS: (value) => typeof value === 'string' && value !== '',
    EXISTS: (value) => value == null,
    NOT_EXISTS: (value) => value == null,
  };
  function isPrimitive(value: unknown): boolean {
    return ['string', 'number', 'boolean'].includes(typeof value);
  }
  function isOrdered(value: unknown): boolean {
    return ['string', 'number'].includes(typeof value);
  }
  function isList(value: unknown): boolean {
    return Array.isArray(value) && value.length > 0 && value.every(isPrimitive);
  }

  const vectors = loadVectors<ConditionVector>('conditions.json').vectors.filter(
    ({ condition: { op, value } }) => takes[op]?.(value) ?? false,
  );

  let database: TestDatabase;
  let engines: TestEngine[];
  beforeAll(async () => {
    database = await createTestDatabase();
    engines = openEngines(database);
    for (const { follow } of engines) await follow();
  });
  afterAll(async () => {
    for (const { engine } of engines) await engine.close();
    await database.drop();
  });

  test('most vectors are questions', () => {
    expect(vectors.length).toBeGreaterThan(40);
  });

  test.each(vectors)('$name', async ({ actual, condition, holds }) => {
    expect(fulfils(condition, actual)).toBe(holds);
    const params = JSON.stringify(actual === undefined ? {} : { p: actual });
    const filter: Filter = { scope: 'EVENT', property: 'p', ...condition };
    for (const { engine, json } of engines) {
      const rows = sql`(SELECT CAST(${params}::text AS ${raw(json)}) AS params) AS e`;
      const asked = question(
        'filter',
      )`SELECT ${allHold(engine.dialect, [filter], { events: 'e' })} AS holds FROM ${rows}`;
      expect((await engine.ask<{ holds: boolean }>(asked)).rows).toEqual([{ holds }]);
    }
  });
});
