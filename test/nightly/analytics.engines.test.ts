// The engines of analytics: their relations, bounds and plans, what a response costs, and how fresh it is.
import { randomUUID } from 'node:crypto';
import { mkdtemp, open as openFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause, setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Registry } from 'prom-client';
import { activity } from '../../src/analytics/activity.ts';
import type { AnalyticsNeeds } from '../../src/analytics/askEngine.ts';
import type { CopyOptions } from '../../src/analytics/copy/analyticsCopy.ts';
import { devices } from '../../src/analytics/devices.ts';
import { devicesBehind } from '../../src/analytics/devicesBehind.ts';
import { beginQuestion, createDatabaseEngine } from '../../src/analytics/engine/databaseEngine.ts';
import { EmbeddedEngine } from '../../src/analytics/engine/embeddedEngine.ts';
import {
  type AnalyticsEngine,
  AnalyticsUnavailable,
  offEngine,
  questionBounds,
  QuestionTooLarge,
} from '../../src/analytics/engine/engine.ts';
import { postgresDialect, question, type Question, raw, sql } from '../../src/analytics/engine/dialect.ts';
import { eventNames } from '../../src/analytics/eventNames.ts';
import { eventSeries } from '../../src/analytics/eventSeries.ts';
import { funnel, readFunnel } from '../../src/analytics/funnel.ts';
import { ingestIssues } from '../../src/analytics/ingestIssues.ts';
import { propertyNames } from '../../src/analytics/propertyNames.ts';
import { containsText } from '../../src/analytics/reads/filters.ts';
import { recentEvents } from '../../src/analytics/recentEvents.ts';
import { dateOf, dayNumber } from '../../src/analytics/reportDays.ts';
import { retention } from '../../src/analytics/retention.ts';
import { revenue } from '../../src/analytics/revenue.ts';
import { revenueCurrencies } from '../../src/analytics/revenueCurrencies.ts';
import { subscriptions } from '../../src/analytics/subscriptions.ts';
import { userDevices } from '../../src/analytics/userDevices.ts';
import { findAnalytics } from '../../src/compose/composeDeps.ts';
import { type ResponseBudget, type Cost, mostBytes, mostRows } from '../../src/platform/responseBudget.ts';
import { analyticsMetrics, type Metrics } from '../../src/platform/observability/metrics.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { inLane } from '../../src/platform/concurrencyLimiter.ts';
import { funnelFamilies } from '../bench/reads/funnelCases.ts';
import { load } from '../bench/reads/load.ts';
import { seedApplication, storeSessions, testCopies, type TestCopies } from '../support/analyticsCopy.ts';
import { type AnalyticsField, analyticsQueries } from '../support/analyticsQueries.ts';
import { testOnOneNode } from '../support/citusCluster.ts';
import { eventually } from '../support/eventually.ts';
import { fillApplication } from '../support/removal.ts';
import { sendReport } from '../support/reportSessions.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { aDevice, anEvent, aReport, aSession } from '../support/uploads.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// The relations of the analytics reads as PostgreSQL has them, and the bounds of the engine over it.
describe('databaseEngine', () => {
  /** No pause of the machine is as long. */
  const patient = { ...questionBounds, patienceMillis: 60_000, timeoutMillis: 300_000 };

  let service: TestService;
  let engine: ReturnType<typeof createDatabaseEngine>;
  const log = createLog('silent');
  beforeAll(async () => {
    service = await startTestService();
    engine = createDatabaseEngine({ connection: { connectionString: service.database.url }, log, bounds: patient });
  });
  afterAll(async () => {
    await engine.close();
    await service.stop();
  });

  const { dialect } = offEngine;
  const ofDevice = (deviceId: string) => sql`d.id = ${deviceId}`;
  const future = 4_000_000_000;

  test('an event has its time, its place, its user and its type', async () => {
    const events = ['b', 'a', 'EventTriggered'].map((name) =>
      anEvent({ name, timestamp: future, type: name.length > 1 ? 'system' : 'custom', params: [] }),
    );
    const report = aReport({
      user: { id: 'ann' },
      sessions: [aSession({ events, finishDate: '2026-09-10T00:30:00.5Z' })],
    });
    const before = Date.now();
    await sendReport(service, report);
    const of = ofDevice(report.device.id);
    const { rows, asOf } = await engine.ask(question('test')`
    SELECT e.name, e.place, e.system, e.mirror, e.unit_user, e.test, e.at = e.arrived_at AS now, e.session_id,
      e.arrived_at - e.session_arrived_at AS later, e.params
    FROM analytics.events e JOIN analytics.devices d ON d.device = e.device WHERE ${of} ORDER BY e.place`);
    const same = {
      unit_user: 'ann',
      test: false,
      now: true,
      session_id: report.sessions[0]!.id,
      later: 0,
      params: '{}',
    };
    expect(rows).toEqual([
      { name: 'b', place: 0, system: false, mirror: false, ...same },
      { name: 'a', place: 1, system: false, mirror: false, ...same },
      { name: 'EventTriggered', place: 2, system: true, mirror: true, ...same },
    ]);
    expect(asOf.getTime()).toBeGreaterThanOrEqual(before - 1_000);
    const sessions = await engine.ask(question('test')`
    SELECT s.started_at, s.finished_at, s.at = s.started_at AS at FROM analytics.sessions s
    JOIN analytics.devices d ON d.device = s.device WHERE ${of}`);
    const micros = (text: string): number => Date.parse(text) * 1_000;
    expect(sessions.rows).toEqual([
      { started_at: micros('2026-09-10T00:26:40Z'), finished_at: micros('2026-09-10T00:30:00.5Z'), at: true },
    ]);
  });

  test('the second upload of a session follows the first, also in one transaction', async () => {
    const session = aSession({ events: [anEvent({ name: 'one' }), anEvent({ name: 'two' })] });
    const report = aReport({ sessions: [session] });
    const again = { ...report, sessions: [{ ...session, events: [anEvent({ name: 'three' }), ...session.events!] }] };
    await Promise.all([sendReport(service, report), sendReport(service, again)]);
    const { rows } = await engine.ask<{ name: string }>(question('test')`
    SELECT e.name FROM analytics.events e JOIN analytics.devices d ON d.device = e.device
    WHERE ${ofDevice(report.device.id)} ORDER BY e.arrived_at, e.place`);
    const names = rows.map(({ name }) => name);
    expect(names.indexOf('one')).toBe(names.indexOf('two') - 1);
    expect(names).toHaveLength(3);
  });

  test('test devices are told apart, and a deleted application has no rows', async () => {
    const other = await service.newApplication();
    await fillApplication(service, other);
    const { pool } = service.database;
    const count = async (relation: string): Promise<[number, number]> => {
      const { rows } = await pool.query<{ all: number; tests: number }>(
        `SELECT count(*)::integer AS all, count(*) FILTER (WHERE test)::integer AS tests FROM analytics.${relation}
      WHERE application_id = $1`,
        [other.id],
      );
      return [rows[0]!.all, rows[0]!.tests];
    };
    const counts = () => Promise.all(['devices', 'sessions', 'events', 'firsts'].map(count));
    expect(await counts()).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
      [1, 0],
    ]);
    await pool.query("ALTER TABLE applications ADD COLUMN IF NOT EXISTS test_devices text[] NOT NULL DEFAULT '{}'");
    await pool.query(
      'UPDATE applications SET test_devices = (SELECT array_agg(id) FROM devices WHERE application_id = $1) WHERE id = $1',
      [other.id],
    );
    expect(await counts()).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [1, 0],
    ]);
    const purchases = await pool.query('SELECT * FROM analytics.transactions WHERE application_id = $1', [other.id]);
    expect(purchases.rows).toEqual([expect.objectContaining({ environment: 'SANDBOX', kind: 'AUTO_RENEWABLE' })]);
    expect(purchases.rows[0]).toMatchObject({
      line: expect.any(String) as string,
      payer: expect.any(String) as string,
    });
    const renewals = await pool.query('SELECT * FROM analytics.renewals WHERE application_id = $1', [other.id]);
    expect(renewals.rowCount).toBe(1);
    await pool.query('UPDATE applications SET deleted_at = now() WHERE id = $1', [other.id]);
    expect(await counts()).toEqual(Array(4).fill([0, 0]));
  });

  test('the dialect of PostgreSQL', async () => {
    const json = `'{"a": "x\\"y", "b": 1.5, "c": true, "d": null}'::jsonb`;
    const value = (name: string) => dialect.property(raw(json), name);
    const table = dialect.table({
      start: { type: 'bigint', values: [2n ** 62n, -1n] },
      label: { type: 'text', values: ['a,"b"', null] },
    });
    const { rows } = await engine.ask(question('test')`
    SELECT t.start::text, t.label, t.nth, ${dialect.typeOf(value('a'))} AS a, ${dialect.textOf(value('a'))} AS text,
      ${dialect.numberOf(value('b'))} AS b, ${dialect.numberOf(value('a'))} AS none, ${dialect.typeOf(value('z'))} AS z,
      ${dialect.quotient(raw('7::bigint'), raw('2::bigint'))} AS q, (SELECT count(*) FROM ${dialect.properties(raw(json))} p) AS keys
    FROM ${table} t ORDER BY t.nth`);
    const same = { a: 'string', text: 'x"y', b: 1.5, none: null, z: null, q: 3, keys: 4 };
    expect(rows).toEqual([
      { start: String(2n ** 62n), label: 'a,"b"', nth: 0, ...same },
      { start: '-1', label: null, nth: 1, ...same },
    ]);
  });

  test('a search lowers letters beyond ASCII in a database of the locale C', async () => {
    const text = raw(`('\u00c9\u03a3' COLLATE "C")`);
    const { rows } = await engine.ask(question('test')`SELECT ${containsText(dialect, text, '\u00e9\u03c3')} AS found`);
    expect(rows).toEqual([{ found: true }]);
  });

  test('ANALYTICS=database counts its questions by outcome', async () => {
    const registry = new Registry();
    const config = { analytics: 'database', analyticsDir: '', analyticsMemoryMib: 0 } as const;
    const open = await findAnalytics({ config, database: service.database, log });
    const measured = open(analyticsMetrics([registry]) as Metrics);
    await measured.ask(question('test')`SELECT 1`);
    await expect(measured.ask(question('test')`SELECT 1 / 0`)).rejects.toThrow();
    await measured.close();
    const metrics = await registry.metrics();
    expect(metrics).toContain('analytics_questions_total{outcome="answered"} 1');
    expect(metrics).toContain('analytics_questions_total{outcome="failed"} 1');
    expect(metrics).toContain('analytics_question_duration_seconds_count 1');
  });

  test('the questions of one organization leave a place to another, which has its response before they end', async () => {
    const hasty = { ...patient, atOnce: 2, ofOneOrganization: 1, patienceMillis: 60_000 };
    const connection = { connectionString: service.database.url };
    const other = createDatabaseEngine({ connection, log, bounds: hasty });
    const ended: string[] = [];
    const slow = [1, 2, 3].map(() => inLane('bad', () => other.ask(question('slow')`SELECT pg_sleep(2)`)));
    const all = slow.map((one) => one.then(() => ended.push('bad')));
    await inLane('honest', () => other.ask(question('quick')`SELECT 1`)).then(() => ended.push('honest'));
    expect(ended).toEqual(['honest']);
    await Promise.all(all);
    await other.close();
  });

  describe('bounds', () => {
    const bounds = { ...patient, atOnce: 1, waiting: 1, rows: 3 };
    const openWith = (change: Partial<typeof bounds> = {}) =>
      createDatabaseEngine({
        connection: { connectionString: service.database.url },
        log,
        bounds: { ...bounds, ...change },
      });

    test('a question that takes too long, or has too many rows, is too large', async () => {
      const hasty = openWith({ timeoutMillis: 1_500 });
      await expect(hasty.ask(question('slow')`SELECT pg_sleep(60)`)).rejects.toThrow(QuestionTooLarge);
      await hasty.close();
      const small = openWith();
      await expect(small.ask(question('long')`SELECT generate_series(1, 4)`)).rejects.toThrow(QuestionTooLarge);
      expect((await small.ask(question('fits')`SELECT generate_series(1, 3)`)).rows).toHaveLength(3);
      await small.close();
    });

    test('one more than may run and wait is refused at once, and one that waits too long', async () => {
      const hasty = openWith({ patienceMillis: 1_000 });
      // Connects before, for which it has no longer than for the wait.
      const connects = () => hasty.ask(question('first')`SELECT 1`).catch(() => null);
      await eventually(connects, (response) => response !== null);
      const request = new AbortController();
      const slow = hasty.ask(question('slow')`SELECT pg_sleep(60)`, request.signal);
      const waiting = hasty.ask(question('late')`SELECT 1`);
      await expect(hasty.ask(question('more')`SELECT 1`)).rejects.toEqual(new AnalyticsUnavailable({ reason: 'busy' }));
      await expect(waiting).rejects.toEqual(new AnalyticsUnavailable({ reason: 'busy' }));
      request.abort(new Error('gone'));
      await expect(slow).rejects.toThrow('gone');
      await hasty.close();
    });

    test('a question ends with its request', async () => {
      const running = () =>
        service.database.pool.query(
          "SELECT FROM pg_stat_activity WHERE query LIKE '%analytics: left%' AND state = 'active' AND pid <> pg_backend_pid()",
        );
      const runningAre = (count: number) => eventually(running, ({ rowCount }) => rowCount === count);
      const request = new AbortController();
      const asked = engine.ask(question('left')`SELECT pg_sleep(290)`, request.signal);
      await runningAre(1);
      request.abort(new Error('gone'));
      await expect(asked).rejects.toThrow('gone');
      await runningAre(0);
    });

    test('a request that ends while the question connects leaves the connection to the next one', async () => {
      const fresh = openWith();
      const request = new AbortController();
      const asked = fresh.ask(question('gone')`SELECT 1`, request.signal);
      // The question has its turn, and no connection is there yet.
      await Promise.resolve();
      request.abort(new Error('gone'));
      await expect(asked).rejects.toThrow('gone');
      expect((await fresh.ask(question('next')`SELECT 1 AS one`)).rows).toEqual([{ one: 1 }]);
      await fresh.close();
    });

    test('a process without analytics refuses', async () => {
      await expect(offEngine.ask(question('any')`SELECT 1`)).rejects.toEqual(
        new AnalyticsUnavailable({ reason: 'off' }),
      );
    });
  });
});

// How much PostgreSQL reads for a funnel: a bound on the rows that each part of its plan handles, whatever the machine's speed.
describe('databaseEngine: plans', () => {
  const events = 12_000;

  let database: TestDatabase;
  let client: pg.Client;
  let applicationId: string;
  const now = new Date();
  beforeAll(async () => {
    database = await createTestDatabase();
    applicationId = await seedApplication(database.pool);
    await load({ url: database.url, applicationId, events, until: now, progressed: () => undefined });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const to = now.toISOString().slice(0, 10);
  const report = () => ({
    ...{ applicationId, includeTest: false, timeZone: 'UTC' },
    ...{ from: dateOf(dayNumber(to) - 89), to },
  });

  const families = funnelFamilies({ applicationId: '', includeTest: false, timeZone: 'UTC', from: '', to: '' });

  test('there are fourteen families, each by both units', () => {
    expect(new Set(families.map(({ name }) => name)).size).toBe(28);
  });

  testOnOneNode.each(families.map(({ name }) => name))(
    '%s: no part handles the rows of the events many times over',
    async (name) => {
      const { question } = funnelFamilies(report()).find((family) => family.name === name)!;
      const most = Math.max(...rowsOf(await planOf((engine) => readFunnel(engine, question))));
      // The plan has been executed, with rows.
      expect(most).toBeGreaterThan(events / 100);
      expect(most).toBeLessThan(events * 10);
    },
  );

  interface Plan {
    'Actual Rows': number;
    'Actual Loops': number;
    'Rows Removed by Join Filter'?: number;
    'Rows Removed by Filter'?: number;
    Plans?: Plan[];
  }

  /** Of the statement that a read sends, executed as the engine executes it. */
  async function planOf(read: (engine: AnalyticsEngine) => Promise<unknown>): Promise<Plan> {
    let sent: Question | undefined;
    await read({
      dialect: postgresDialect,
      ask: (question) => {
        sent = question;
        return Promise.resolve({ rows: [], asOf: now });
      },
      close: () => Promise.resolve(),
    });
    await client.query(beginQuestion(120_000));
    const explain = `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${sent!.text}`;
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain, [...sent!.values]);
    await client.query('ROLLBACK');
    return rows[0]!['QUERY PLAN'][0].Plan;
  }

  /** The rows that each node has passed on or thrown away. */
  function rowsOf(plan: Plan): number[] {
    const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Join Filter': unjoined = 0 } = plan;
    const handled = (plan['Actual Rows'] + filtered + unjoined) * plan['Actual Loops'];
    return [handled, ...(plan.Plans ?? []).flatMap(rowsOf)];
  }
});

// The engine over the copy bounds its questions, and says why it cannot respond.
describe('embeddedEngine', () => {
  let database: TestDatabase;
  let copies: TestCopies;
  let engine: EmbeddedEngine;
  const registry = new Registry();

  function open(options: Partial<CopyOptions> = {}, bounds: Partial<typeof questionBounds> = {}): EmbeddedEngine {
    const metrics = analyticsMetrics([options.dir ? new Registry() : registry]);
    const fixed = { memoryMib: 128, threads: 2, pollMillis: 20, log: createLog('silent'), metrics };
    const connection = { connectionString: database.url };
    return new EmbeddedEngine({ connection, dir: copies.dir, ...fixed, ...options }, { ...questionBounds, ...bounds });
  }

  /** Of a busy machine: no question of a test ends by its time, and none waits too long for its turn. */
  const patient = { timeoutMillis: 60_000, patienceMillis: 60_000 };

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.pool.query('SELECT ensure_event_partitions(2)');
    const applicationId = await seedApplication(database.pool);
    await storeSessions(database.pool, { applicationId, devices: ['a', 'b'], events: 5 });
    copies = await testCopies(database.url);
    engine = open({}, patient);
    await engine.copy.followed();
  });
  afterAll(async () => {
    await engine.close();
    await copies.remove();
    await database.drop();
  });

  /** Takes hours unless it is ended, and next to no memory: a question without memory ends by itself. */
  const endless = question('endless')`SELECT count(*) AS n FROM range(1000000000000) AS r (x) WHERE hash(x) = 7`;

  test('values are bound, and rows have the types of the interface', async () => {
    const { property, numberOf, typeOf } = engine.dialect;
    const n = property(sql`params`, 'n');
    const { rows, asOf } = await engine.ask(question('types')`
    SELECT count(*) AS count, sum(${numberOf(n)}) AS sum, min(e.at) AS at, any_value(${typeOf(n)}) AS type,
      any_value(application_id) AS application, ${'a"; DROP'} AS text, NULL AS nothing, bool_and(system) AS system
    FROM analytics.events e WHERE place < ${4}`);
    expect(rows).toEqual([
      {
        count: 6,
        sum: 18,
        at: expect.any(Number) as unknown,
        type: 'number',
        application: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
        text: 'a"; DROP',
        nothing: null,
        system: false,
      },
    ]);
    expect(Date.now() - asOf.getTime()).toBeLessThan(60_000);
  });

  test('a question that takes too long is ended', async () => {
    const other = open({ dir: `${copies.dir}/other` }, { timeoutMillis: 2_000 });
    await other.copy.followed();
    await expect(other.ask(endless)).rejects.toMatchObject({ name: 'QuestionTooLarge' });
    const many = question('many')`SELECT * FROM range(300000)`;
    await expect(other.ask(many)).rejects.toMatchObject({ name: 'QuestionTooLarge' });
    await expect(other.ask(question('one')`SELECT 1 AS one`)).resolves.toMatchObject({ rows: [{ one: 1 }] });
    await other.close();
  });

  test('a question that takes too much memory is ended', async () => {
    const large = question('large')`SELECT len(list(md5(x::VARCHAR))) AS n FROM range(20000000) AS r (x)`;
    // The follower has no memory meanwhile, so that the copy may be opened anew: the other tests keep theirs.
    const other = open({ dir: `${copies.dir}/large` }, patient);
    await other.copy.followed();
    await expect(other.ask(large)).rejects.toMatchObject({ name: 'QuestionTooLarge' });
    await other.copy.followed();
    // Beside another question it may be the other that takes the memory.
    const request = new AbortController();
    const beside = other.ask(endless, request.signal).catch(() => undefined);
    await expect(other.ask(large)).rejects.toMatchObject({ details: { reason: 'busy' } });
    request.abort();
    await beside;
    await other.close();
  });

  test("a question that fails in the middle has DuckDB's own error", async () => {
    const wrong = question('wrong')`SELECT (9223372036854775807 - e.place + 100)::BIGINT AS n FROM analytics.events e`;
    await expect(engine.ask(wrong)).rejects.toMatchObject({
      name: 'DuckError',
      message: expect.stringMatching(/Overflow|out of range/) as unknown,
    });
  });

  test('a question ends with its request', async () => {
    const request = new AbortController();
    const asked = engine.ask(endless, request.signal);
    await pause(50);
    request.abort(new Error('the client has gone'));
    await expect(asked).rejects.toThrow('the client has gone');
  });

  test('four questions run at once, two of an organization, twenty wait, and the next is refused', async () => {
    const request = new AbortController();
    const asked = Array.from({ length: 24 }, (_, at) =>
      inLane(`organization ${at % 2}`, () => engine.ask(endless, request.signal).catch((error: Error) => error.name)),
    );
    await pause(50);
    const next = inLane('organization 0', () => engine.ask(question('one')`SELECT 1 AS one`));
    await expect(next).rejects.toMatchObject({ details: { reason: 'busy' } });
    request.abort();
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['AbortError']));
    expect(await registry.metrics()).toMatch(/analytics_questions_total{outcome="busy"} 1/);
  });

  test('questions leave the event loop and the threads of Node to others', async () => {
    const request = new AbortController();
    const asked = Array.from({ length: 4 }, () => engine.ask(endless, request.signal).catch(() => undefined));
    let ended = 0;
    for (const each of asked) void each.then(() => (ended += 1));
    for (let n = 0; n < 10; n++) await stat(copies.dir);
    expect(ended).toBe(0);
    request.abort();
    await Promise.all(asked);
  });

  test('a file that is damaged in the middle is built anew, whoever reads the bytes first', async () => {
    const dir = `${copies.dir}/damaged`;
    const applicationId = await seedApplication(database.pool);
    const devices = Array.from({ length: 500 }, (_, n) => `damaged ${n}`);
    await storeSessions(database.pool, { applicationId, devices, events: 60 });
    const whole = open({ dir });
    await whole.copy.followed();
    await whole.close();
    const name = `${dir}/1/copy-1.duckdb`;
    const [{ ino }, file] = [await stat(name), await openFile(name, 'r+')];
    // Block 0 begins after three headers of 4 KiB; the newest blocks hold the tables' own list.
    for (let at = 12_288 + 65_536; at < 12_288 + 262_144 * 2; at += 65_536)
      await file.write(Buffer.alloc(64, 9), 0, 64, at);
    await file.close();
    const damaged = open({ dir });
    const all = question(
      'all',
    )`SELECT count(*) AS n, max(e.params::VARCHAR) AS p, max(e.name) AS name FROM analytics.events e`;
    await damaged.copy.followed();
    await eventually(
      () => damaged.ask<{ n: number }>(all).catch(() => null),
      (response) => response?.rows[0]!.n === 30_010,
    );
    const present = await stat(name).catch(() => null);
    expect(present?.ino).not.toBe(ino);
    await damaged.close();
  });

  test('while the copy is built a question says how far that is', async () => {
    const fresh = open({ dir: `${copies.dir}/fresh` });
    await expect(fresh.ask(question('one')`SELECT 1`)).rejects.toMatchObject({
      details: { reason: 'building', progress: expect.any(Number) as unknown },
    });
    await fresh.close();
  });
});

// Every read of analytics charges the objects of its response to the budget of the request: schema.graphql, "Responses".
describe('analyticsBudget', () => {
  type Needs = AnalyticsNeeds & Pick<TestService['deps'], 'adminPool'>;

  let service: TestService;
  let organizationId: string;
  const charged: Cost[] = [];
  const budget: ResponseBudget = {
    async read(fetch, costOf) {
      const found = await fetch({ limit: mostRows + 1, bytes: mostBytes });
      charged.push(costOf(found));
      return found;
    },
  };
  beforeAll(async () => {
    service = await shared.withNewApplication();
    const { application, client } = service;
    organizationId = await organizationOf(service, application.id);
    await fillApplication(service, application);
    for (const id of ['d1', 'd2']) {
      const params = [{ name: 'price', value: 5 }];
      const events = [anEvent({ name: 'Bought', params }), anEvent({ name: 'Viewed', params })];
      const report = aReport({ user: { id: 'ann' }, device: aDevice(id), sessions: [aSession({ events })] });
      expect((await client.send('reportSessions', { 'X-Api-Key': application.key.public }, report)).status).toBe(200);
    }
  });
  beforeEach(() => charged.splice(0));

  const needs = (): Needs => ({
    ...{ budget, analytics: service.deps.analytics, prisma: service.deps.prisma, adminPool: service.deps.adminPool },
    caller: { id: randomUUID(), organizationId, role: 'viewer', service: null } as unknown as Needs['caller'],
    signal: new AbortController().signal,
    now: () => new Date(),
  });

  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const range = () => ({ applicationId: service.application.id, from: day(-700), to: day(0) });
  const one = () => ({ applicationId: service.application.id });
  const bought = { name: 'Bought', type: 'CUSTOM' as const };
  const breakdown = { scope: 'EVENT' as const, property: 'price' };

  const reads: Record<AnalyticsField, (needs: Needs) => Promise<unknown>> = {
    activity: (own) => activity({ input: { ...range(), from: day(-300), compare: true } }, own),
    devices: (own) => devices(one(), own),
    devicesBehind: (own) =>
      devicesBehind({ of: { activity: range() }, point: { activity: { figure: 'ACTIVE' } } }, own),
    eventNames: (own) => eventNames(one(), own),
    eventSeries: (own) => eventSeries({ input: { ...range(), events: [bought, bought], breakdown } }, own),
    funnel: (own) =>
      funnel({ input: { ...range(), steps: [bought, bought], within: { value: 1, unit: 'DAY' }, breakdown } }, own),
    ingestIssues: (own) => ingestIssues({ ...range(), from: day(-30) }, own),
    propertyNames: (own) => propertyNames({ ...one(), scope: 'DEVICE' }, own),
    recentEvents: (own) => recentEvents(one(), own),
    retention: (own) => retention({ input: { ...range(), start: { firstSeen: true }, returning: { any: true } } }, own),
    revenue: (own) => revenue({ input: { ...range(), currency: 'EUR', breakdown: 'PRODUCT', includeTest: true } }, own),
    revenueCurrencies: (own) => revenueCurrencies({ ...one(), includeTest: true }, own),
    subscriptions: (own) => subscriptions({ ...one(), includeTest: true }, own),
    userDevices: (own) => userDevices({ ...one(), userId: 'ann' }, own),
  };

  /** The objects of lists, at any depth, as the contract counts them. */
  function objectsIn(value: unknown): number {
    if (Array.isArray(value))
      return value.reduce<number>((sum, each) => sum + objectsIn(each) + Number(isObject(each)), 0);
    if (!isObject(value)) return 0;
    // A JSON value is one value: its own lists are no objects of the response.
    const { params, ...others } = value as { params?: unknown };
    return objectsIn(Array.isArray(params) ? params : null) + objectsIn(Object.values(others).filter(isList));
  }

  const isList = Array.isArray;
  const isObject = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && !isList(value) && !(value instanceof Date);

  test('every read is held against its objects', () => {
    expect(Object.keys(reads).sort()).toEqual(Object.keys(analyticsQueries).sort());
  });

  test.each(Object.entries(reads))('%s charges each object of its response', async (name, read) => {
    const found = await read(needs());
    expect(charged).toHaveLength(1);
    const objects = objectsIn(found);
    if (!['revenue', 'revenueCurrencies', 'subscriptions'].includes(name)) expect(objects).toBeGreaterThan(0);
    expect([name, charged[0]!.rows >= objects, charged[0]!.bytes > 0]).toEqual([name, true, true]);
  });

  test('a client whose clock is a little ahead asks for the subscriptions of now', async () => {
    const at = (millis: number) => subscriptions({ ...one(), at: new Date(Date.now() + millis) }, needs());
    expect(await at(50_000)).toMatchObject({ active: 0 });
    await expect(at(70_000)).rejects.toMatchObject({ details: { fields: [{ path: 'at' }] } });
  });

  test('a response of more objects than the limit is refused', async () => {
    const viewer = await newUser(service, organizationId, 'viewer');
    const fields = [0, 1, 2, 3, 4, 5].map((at) => `a${at}: eventSeries(input: $input) { asOf }`);
    const input = { ...range(), events: Array.from({ length: 5 }, () => bought) };
    const { data, errors } = await viewer.ask(`query Q($input: EventSeriesInput!) { ${fields.join(' ')} }`, { input });
    expect(errors.map(({ extensions }) => extensions['code'])).toContain('BAD_USER_INPUT');
    expect(JSON.stringify(errors)).toContain('20000 objects');
    expect(Object.values(data!)).toContain(null);
  });
});

// An upload is in the lists of the admin API soon after its response, from a copy as a process has it, and `device` finds what `devices` lists.
describe('analyticsFreshness', () => {
  /**
   * An upload is there after 5 seconds (schema.graphql, "Limits of analytics") on a machine that has time. Here other tests run beside this one, so a test polls
   * until it sees the upload, and fails only after this time.
   */
  const timeout = 120_000;
  const pollMillis = 100;

  let service: TestService;
  let viewer: TestUser;
  let dir: string;
  let embedded: EmbeddedEngine;
  beforeAll(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'analytics-'));
    service = await startTestService({
      change: (deps) => {
        const { log, metrics, pool } = deps;
        // Every other option as in production.
        embedded = new EmbeddedEngine({ connection: pool.options, dir, memoryMib: 128, threads: 2, log, metrics });
        return { ...deps, analytics: embedded };
      },
    });
    viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  }, timeout);
  afterAll(async () => {
    await service.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const send = (report: object, key = service.application.key.public) =>
    service.client.send('reportSessions', { 'X-Api-Key': key }, report);

  interface Page {
    nodes: Record<string, unknown>[];
    total?: number;
  }

  /** Polls a list until `isThere`. The first responses may be `ANALYTICS_UNAVAILABLE`, while the copy is built. */
  async function seen(list: string, isThere: (page: Page) => boolean): Promise<Page> {
    for (const end = Date.now() + timeout - 10_000; ; await sleep(pollMillis)) {
      const { data, errors } = await viewer.ask(`{ list: ${list} }`);
      const page = data?.['list'] as Page | null | undefined;
      if (page && isThere(page)) return page;
      if (Date.now() > end) throw new Error(`not seen: ${list}; last ${JSON.stringify(page ?? errors)}`);
    }
  }

  const list = (field: string, selection: string, more = '') =>
    `${field}(applicationId: "${service.application.id}"${more}) { nodes { ${selection} } }`;

  test(
    'eventNames, devices and recentEvents show an upload, and the next one of the same session',
    async () => {
      const [device, session] = [aDevice('fresh'), aSession({ events: [anEvent({ name: 'First', params: [] })] })];
      await send(aReport({ device, sessions: [session] }));
      const names = (page: Page) => page.nodes.map(({ name }) => name);
      await seen(list('eventNames', 'name'), (page) => names(page).includes('First'));
      await seen(list('devices', 'id sessionsCount'), ({ nodes }) =>
        nodes.some(({ id, sessionsCount }) => id === 'fresh' && sessionsCount === 1),
      );
      await seen(list('recentEvents', 'name deviceId'), (page) => names(page).includes('First'));
      await send(aReport({ device, sessions: [{ ...session, events: [anEvent({ name: 'Second', params: [] })] }] }));
      const { nodes } = await seen(list('recentEvents', 'name deviceId', ', limit: 1'), (page) =>
        names(page).includes('Second'),
      );
      expect(nodes).toEqual([{ name: 'Second', deviceId: 'fresh' }]);
    },
    timeout,
  );

  test(
    'a change of the test devices is in every response whose asOf is after it, from both engines',
    async () => {
      await send(aReport({ device: aDevice('of a tester'), sessions: [aSession()] }));
      const { pool, url } = service.database;
      const database = createDatabaseEngine({ connection: { connectionString: url }, log: createLog('silent') });
      await embedded.copy.followed();
      for (const engine of [embedded, database]) {
        for (const isTest of [true, false, true, false, true]) {
          const listed = isTest ? ['of a tester'] : [];
          await pool.query('UPDATE applications SET test_devices = $1 WHERE id = $2', [listed, service.application.id]);
          const { rows: clock } = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
          for (let asOf = 0; asOf <= clock[0]!.now.getTime(); await sleep(pollMillis)) {
            const asked = await engine.ask<{ test: boolean }>(question('test')`
            SELECT d.test FROM analytics.devices d WHERE d.id = 'of a tester'`);
            asOf = asked.asOf.getTime();
            if (asOf > clock[0]!.now.getTime()) expect(asked.rows).toEqual([{ test: isTest }]);
          }
        }
      }
      await database.close();
    },
    timeout,
  );

  test(
    'ingestIssues shows a refused upload',
    async () => {
      const refused = await fetch(`${service.url}/api/v1/session`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Api-Key': service.application.key.public },
        body: JSON.stringify({ ...aReport(), sessions: 'none' }),
      });
      expect(refused.status).toBe(422);
      const [from, to] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
      const { nodes } = await seen(list('ingestIssues', 'path count', `, from: "${from}", to: "${to}"`), (page) =>
        page.nodes.some(({ path: where }) => where === 'sessions'),
      );
      expect(nodes).toEqual([{ path: 'sessions', count: 1 }]);
    },
    timeout,
  );

  test(
    'device finds every device that devices lists, and devices lists every device that was sent',
    async () => {
      const ids = ['d 1', 'd/2', 'Größe', '東京', "'; --", 'UPPER', 'upper'];
      for (const id of ids) await send(aReport({ device: aDevice(id) }));
      // Another application knows the same ids, and more.
      const other = await service.newApplication();
      for (const id of ['d 1', 'only there']) await send(aReport({ device: aDevice(id) }), other.key.public);
      const ofIds = (page: Page) => page.nodes.map(({ id }) => id as string);
      const page = await seen(list('devices', 'id firstSeenAt lastSeenAt', ', limit: 200'), (found) =>
        ids.every((id) => ofIds(found).includes(id)),
      );
      expect(ofIds(page).sort()).toEqual(['fresh', ...ids].sort());
      for (const node of page.nodes) {
        const { data, errors } = await viewer.ask(
          'query One($app: UUID!, $id: String!) { device(applicationId: $app, id: $id) { id firstSeenAt lastSeenAt } }',
          { app: service.application.id, id: node['id'] },
        );
        expect([errors, data]).toEqual([[], { device: node }]);
      }
    },
    timeout,
  );
});
