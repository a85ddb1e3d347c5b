// The engine over the copy bounds its questions, and says why it cannot answer.
import { open as openFile, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Registry } from 'prom-client';
import type { CopyOptions } from '../../src/analytics/copy/copyOptions.ts';
import { EmbeddedEngine } from '../../src/analytics/engine/embeddedEngine.ts';
import { questionBounds } from '../../src/analytics/engine/engine.ts';
import { question, sql } from '../../src/analytics/engine/question.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { analyticsMetrics } from '../../src/platform/observability/analyticsMetrics.ts';
import { inLane } from '../../src/platform/turns.ts';
import { seedApplication, storeSessions, testCopies, type TestCopies } from '../support/analyticsCopy.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

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
    (answer) => answer?.rows[0]!.n === 30_010,
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
