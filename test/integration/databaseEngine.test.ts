// The relations of the analytics reads as PostgreSQL has them, and the bounds of the engine over it.
import { Registry } from 'prom-client';
import { createDatabaseEngine } from '../../src/analytics/engine/databaseEngine.ts';
import { AnalyticsUnavailable, questionBounds, QuestionTooLarge } from '../../src/analytics/engine/engine.ts';
import { offEngine } from '../../src/analytics/engine/offEngine.ts';
import { question, raw, sql } from '../../src/analytics/engine/question.ts';
import { containsText } from '../../src/analytics/reads/containsText.ts';
import { findAnalytics } from '../../src/compose/composeAnalytics.ts';
import { analyticsMetrics } from '../../src/platform/observability/analyticsMetrics.ts';
import { inLane } from '../../src/platform/turns.ts';
import type { Metrics } from '../../src/platform/observability/metrics.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { eventually } from '../support/eventually.ts';
import { sendReport } from '../support/reportSessions.ts';
import { fillApplication } from '../support/removal.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { anEvent, aReport, aSession } from '../support/uploads.ts';

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
  const same = { unit_user: 'ann', test: false, now: true, session_id: report.sessions[0]!.id, later: 0, params: '{}' };
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
  expect(purchases.rows[0]).toMatchObject({ line: expect.any(String) as string, payer: expect.any(String) as string });
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

test('the questions of one organization leave a place to another, which has its answer before they end', async () => {
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
    await eventually(connects, (answer) => answer !== null);
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
    await expect(offEngine.ask(question('any')`SELECT 1`)).rejects.toEqual(new AnalyticsUnavailable({ reason: 'off' }));
  });
});
