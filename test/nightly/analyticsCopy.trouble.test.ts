// The copy for analytics in trouble: cut off while it is built, without memory, after a restore, a clock set back or a long transaction.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { AnalyticsCopy } from '../../src/analytics/copy/analyticsCopy.ts';
import { rowsOfDuck } from '../../src/analytics/copy/duck.ts';
import { createLog, type Log } from '../../src/platform/observability/log.ts';
import { expectEqual, seedApplication, storeSessions, testCopies, type TestCopies } from '../support/analyticsCopy.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
let copies: TestCopies;
let applicationId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('SELECT ensure_event_partitions(2)');
  applicationId = await seedApplication(database.pool);
});
afterAll(() => database.drop());
beforeEach(async () => {
  copies = await testCopies(database.url);
});
afterEach(() => copies.remove());

const store = (device: string) => storeSessions(database.pool, { applicationId, devices: [device], events: 3 });

/** A statement of the test on the copy's own instance. */
async function inCopy<Row>(copy: AnalyticsCopy, text: (catalog: string) => string): Promise<Row[]> {
  const { instance, catalog } = copy.serving!;
  const connection = await instance.connect();
  try {
    return await rowsOfDuck<Row>(connection, text(catalog));
  } finally {
    connection.closeSync();
  }
}

test('a build that loses its connection goes on, and serves nothing before its end', async () => {
  const devices = Array.from({ length: 1_500 }, (_, n) => `b${n}`);
  for (let n = 0; n < 2; n++) await storeSessions(database.pool, { applicationId, devices, events: 20 });
  const copy = copies.open();
  await eventually(
    () => Promise.resolve(copy.progress),
    (progress) => progress > 0,
  );
  await database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE '%: copy' AND datname = current_database()`,
  );
  await expectEqual(copy, database.pool);
});

test('a step without memory is repeated, and questions go on meanwhile', async () => {
  await store('m1');
  const troubles: string[] = [];
  const warn = ({ trouble }: { trouble: string }) => void troubles.push(trouble);
  const copy = copies.open({ log: { ...createLog('silent'), info: () => undefined, warn } as unknown as Log });
  await expectEqual(copy, database.pool);
  const { instance } = copy.serving!;
  const used = await inCopy<{ bytes: bigint }>(
    copy,
    () => 'SELECT sum(memory_usage_bytes)::bigint AS bytes FROM duckdb_memory()',
  );
  await inCopy(copy, () => `SET GLOBAL memory_limit = '${used[0]!.bytes / 1_024n + 16n}KiB'`);
  const many = Array.from({ length: 500 }, (_, n) => `m${n + 2}`);
  await storeSessions(database.pool, { applicationId, devices: many, events: 20 });
  await eventually(
    () => Promise.resolve([...troubles]),
    (all) => all.length > 0,
  );
  expect(troubles).toEqual(['memory']);
  expect(copy.serving?.instance).toBe(instance);
  await inCopy(copy, () => `SET GLOBAL memory_limit = '128MiB'`);
  await expectEqual(copy, database.pool);
  expect(copy.serving?.instance).toBe(instance);
});

test('a database that falls behind the copy under an open connection was restored: the copy is built anew', async () => {
  await store('r1');
  const copy = copies.open();
  await expectEqual(copy, database.pool);
  await inCopy(copy, (catalog) => `UPDATE ${catalog}.stored.state SET "seenXid" = 1000000000000`);
  const files = async () => (await readdir(path.join(copies.dir, '1'))).filter((name) => /^copy-.*duckdb$/.test(name));
  await eventually(files, (names) => names.length === 1 && names[0] !== 'copy-1.duckdb');
  await expectEqual(copy, database.pool);
});

test('after the clock was set back the copy takes the time of the new clock', async () => {
  await store('c1');
  const copy = copies.open();
  await expectEqual(copy, database.pool);
  const hour = 3_600_000_000n;
  await inCopy(copy, (catalog) => `UPDATE ${catalog}.stored.state SET "asOf" = "asOf" + ${hour}`);
  const asOf = async () =>
    (await inCopy<{ asOf: bigint }>(copy, (c) => `SELECT "asOf" FROM ${c}.stored.state`))[0]!.asOf;
  await eventually(asOf, (at) => at < BigInt(Date.now()) * 1_000n + hour / 2n);
  await store('c2');
  await expectEqual(copy, database.pool);
});

test('a removal is applied while an older transaction is open, however many changes lie between', async () => {
  const gone = await seedApplication(database.pool);
  await storeSessions(database.pool, { applicationId: gone, devices: ['x'], events: 5 });
  const copy = copies.open();
  await expectEqual(copy, database.pool);
  const [old, many, removal] = [
    await database.pool.connect(),
    await database.pool.connect(),
    await database.pool.connect(),
  ];
  try {
    for (const client of [old, many, removal]) await client.query('BEGIN; SELECT pg_current_xact_id()');
    await many.query(`INSERT INTO session_changes (refs, device_keys, sessions, events, at)
      SELECT '{}', '{}', 0, 0, now() - interval '1 minute' FROM generate_series(1, 2100)`);
    await removal.query('UPDATE applications SET deleted_at = now() WHERE id = $1', [gone]);
    await Promise.all([many.query('COMMIT'), removal.query('COMMIT')]);
    const left = () =>
      inCopy<{ n: bigint }>(
        copy,
        (c) => `SELECT count(*) AS n FROM ${c}.stored.sessions WHERE application_id = '${gone}'`,
      );
    await eventually(left, ([row]) => row!.n === 0n);
  } finally {
    await old.query('ROLLBACK');
    for (const client of [old, many, removal]) client.release();
  }
  await expectEqual(copy, database.pool);
}, 90_000);
