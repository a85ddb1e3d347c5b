// The copy for analytics: each row once, in the order of the log of changes.
import { readdir, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import pg, { type PoolClient } from 'pg';
import type { AnalyticsCopy } from '../../src/analytics/copy/analyticsCopy.ts';
import { findChanges } from '../../src/analytics/copy/logStore.ts';
import { expectEqual, seedApplication, storeSessions, testCopies, type TestCopies } from '../support/analyticsCopy.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

// The copy for analytics holds each row once, in any order of commits and wherever it was cut off (src/analytics/engine/relations.md).
describe('analyticsCopy', () => {
  let database: TestDatabase;
  let applicationId: string;
  let copies: TestCopies;

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

  const store = (devices: string[], events = 3) => storeSessions(database.pool, { applicationId, devices, events });

  test('a copy is built from what is stored, and follows what comes', async () => {
    await store(['a', 'b', 'c']);
    const copy = copies.open();
    await expectEqual(copy, database.pool);
    await store(['c', 'd']);
    await storeSessions(database.pool, {
      applicationId,
      devices: ['a'],
      events: 2,
      session: 'again',
      userId: 'user 1',
    });
    await expectEqual(copy, database.pool);
    await storeSessions(database.pool, {
      applicationId,
      devices: ['a'],
      events: 2,
      session: 'again',
      userId: 'user 2',
    });
    await expectEqual(copy, database.pool);
  });

  test('transactions may commit in any order', async () => {
    const copy = copies.open();
    await copy.followed();
    const steps = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 });
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (order, rollBackFirst) => {
        const open: PoolClient[] = [];
        for (let n = 0; n < 5; n++) {
          const client = await database.pool.connect();
          open.push(client);
          await client.query(`BEGIN; SELECT pg_current_xact_id()`);
        }
        for (const [at, n] of order.entries()) {
          await storeSessions(open[n]!, { applicationId, devices: [`o${n}`], events: 2, session: `${at % 2}` });
          await open[n]!.query(rollBackFirst && at === 0 ? 'ROLLBACK' : 'COMMIT');
          open[n]!.release();
        }
        await expectEqual(copy, database.pool);
      }),
      { numRuns: 6 },
    );
  });

  test('a copy that ended goes on where it was', async () => {
    await store(['e']);
    const first = copies.open();
    await first.followed();
    await first.stop();
    await store(['f', 'e']);
    await expectEqual(copies.open(), database.pool);
    expect(await filesOf()).toEqual(['copy-1.duckdb']);
  });

  async function filesOf(): Promise<string[]> {
    const names = await readdir(path.join(copies.dir, '1'));
    return names.filter((name) => /^copy-.*duckdb$/.test(name));
  }

  async function expectRebuilt(copy: AnalyticsCopy): Promise<void> {
    await expectEqual(copy, database.pool);
    expect(await filesOf()).not.toEqual(['copy-1.duckdb']);
  }

  test.each<[string, (file: string) => Promise<void>]>([
    ['cut short', (file) => truncate(file, 30_000)],
    ['cut to nothing', (file) => truncate(file, 0)],
    ['garbage', (file) => writeFile(file, Buffer.alloc(300_000, 7))],
  ])('a file that is %s is built anew', async (_what, spoil) => {
    await store(
      Array.from({ length: 50 }, (_, n) => `g${n}`),
      20,
    );
    const first = copies.open();
    await first.followed();
    await first.stop();
    await spoil(path.join(copies.dir, '1', 'copy-1.duckdb'));
    await expectRebuilt(copies.open());
  });

  test('a copy of another history of the database is built anew', async () => {
    const first = copies.open();
    await first.followed();
    await first.stop();
    const other = await createTestDatabase();
    await other.pool.query('SELECT ensure_event_partitions(2)');
    const there = await seedApplication(other.pool);
    await storeSessions(other.pool, { applicationId: there, devices: ['a'], events: 1 });
    await expectEqual(copies.open({ connection: { connectionString: other.url } }), other.pool);
    await copies.remove();
    await other.drop();
  });

  test('a second copy makes a folder of its own beside the first', async () => {
    await store(['h']);
    const [first, second] = [copies.open(), copies.open()];
    await expectEqual(first, database.pool);
    await expectEqual(second, database.pool);
    expect((await readdir(copies.dir)).sort()).toEqual(['1', '2']);
  });

  test('purchases and the state of their lines follow', async () => {
    const copy = copies.open();
    await copy.followed();
    await database.pool.query(
      `INSERT INTO store_transactions (id, application_id, state, line_id, product_id, kind, environment, purchased_at,
       price_milli, currency, quantity, revocation_percent, storefront)
     SELECT 't' || n, $1, 'RESOLVED', 'line', 'gold', 'AUTO_RENEWABLE', 'PRODUCTION', now(), 4990, 'EUR', 1, 12.5, 'DEU'
     FROM generate_series(1, 3) AS n`,
      [applicationId],
    );
    await expectEqual(copy, database.pool);
    await database.pool.query(
      `INSERT INTO store_entitlements (line_id, application_id, product_id, kind, environment, purchased_at, signed_at,
       auto_renew, owner_external_id)
     VALUES ('line', $1, 'gold', 'AUTO_RENEWABLE', 'PRODUCTION', now(), now(), true, 'owner "1"')`,
      [applicationId],
    );
    await expectEqual(copy, database.pool);
    await database.pool.query(
      `UPDATE store_entitlements SET owner_external_id = NULL, owner_device_id = 'a', auto_renew = false, renewal_signed_at = now()`,
    );
    await database.pool.query(`UPDATE store_transactions SET revoked_at = now() WHERE id = 't2'`);
    await database.pool.query(`DELETE FROM store_transactions WHERE id = 't3'`);
    await expectEqual(copy, database.pool);
    await expectEqual(copies.open(), database.pool);
  });

  test('the devices that an application lists as its test devices are marked, without a row of the log', async () => {
    await store(['p', 'q']);
    const copy = copies.open();
    await expectEqual(copy, database.pool);
    await database.pool.query(
      `ALTER TABLE applications ADD COLUMN IF NOT EXISTS test_devices text[] NOT NULL DEFAULT '{}'`,
    );
    await database.pool.query(`UPDATE applications SET test_devices = '{p, later}' WHERE id = $1`, [applicationId]);
    await expectEqual(copy, database.pool);
    await store(['later']);
    await expectEqual(copy, database.pool);
  });

  test('a connection that is cut again and again loses and repeats nothing', async () => {
    const copy = copies.open();
    for (let round = 0; round < 12; round++) {
      await store([`k${round % 3}`, `l${round}`], 4);
      await database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name LIKE '%: copy' AND datname = current_database()`,
      );
    }
    await expectEqual(copy, database.pool);
  });

  test('a file that is lost while it is open is built anew', async () => {
    await store(['m']);
    const copy = copies.open();
    await copy.followed();
    await rm(path.join(copies.dir, '1', 'copy-1.duckdb'));
    await eventually(filesOf, (files) => files.length === 1);
    await expectEqual(copy, database.pool);
  });

  test('what retention has dropped leaves the copy', async () => {
    await database.pool.query(`DO $$ DECLARE week date := date_trunc('week', now() - interval '28 days')::date; BEGIN
    EXECUTE format('CREATE TABLE events_%s PARTITION OF events FOR VALUES FROM (%L) TO (%L)', to_char(week, 'YYYYMMDD'), week, week + 7);
  END $$`);
    const { rows } = await database.pool.query<{ age: string }>(
      `SELECT (now() - date_trunc('week', now() - interval '28 days') - interval '1 day')::text AS age`,
    );
    await storeSessions(database.pool, { applicationId, devices: ['old'], events: 4, age: rows[0]!.age });
    const copy = copies.open();
    await expectEqual(copy, database.pool);
    await database.pool.query(`SELECT drop_oldest_event_partition(14)`);
    await database.pool.query(`DELETE FROM sessions WHERE received_at < now() - interval '20 days'`);
    await expectEqual(copy, database.pool);
  });

  test('a deleted application leaves the copy at once, and the file when it is written anew', async () => {
    const gone = await seedApplication(database.pool);
    await storeSessions(database.pool, { applicationId: gone, devices: ['x', 'y'], events: 5 });
    const copy = copies.open({ rewriteAfter: -1n });
    await expectEqual(copy, database.pool);
    await database.pool.query('UPDATE applications SET deleted_at = now() WHERE id = $1', [gone]);
    await expectEqual(copy, database.pool);
    await storeSessions(database.pool, { applicationId: gone, devices: ['late'], events: 1 });
    await expectEqual(copy, database.pool);
    await eventually(filesOf, (files) => files.length === 1 && files[0] !== 'copy-1.duckdb');
    await expectEqual(copy, database.pool);
  });
});

// The log of changes is read in the order of transaction ids, which are numbers and no texts.
describe('copyLog', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  test('pieces of the log leave no transaction out where the ids get another digit', async () => {
    const xids = [998n, 999n, 1_000n, 1_001n, 9_999n, 10_000n, 10_001n];
    await database.pool.query('INSERT INTO session_changes (xid) SELECT unnest($1::text[])::xid8', [xids.map(String)]);
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const seen: bigint[] = [];
    for (let [from, more] = [998n, true]; more;) {
      const found = await findChanges(client, { from, below: 10_002n, most: 2 });
      seen.push(...found.changes.map(({ xid }) => xid));
      more = found.more;
      from = seen.at(-1)! + 1n;
    }
    await client.end();
    expect(seen).toEqual(xids);
  });
});
