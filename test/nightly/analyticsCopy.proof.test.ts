// The copy for analytics compares itself with PostgreSQL: what differs is found and read anew, and nothing else is said to differ.
import { setTimeout as pause } from 'node:timers/promises';
import type { AnalyticsCopy, CopyOptions } from '../../src/analytics/copy/analyticsCopy.ts';
import { runDuck } from '../../src/analytics/copy/duck.ts';
import { createLog, type Log } from '../../src/platform/observability/log.ts';
import { startTcpProxy } from '../faults/support/tcpProxy.ts';
import { digestsOfCopy, digestsOfDatabase } from '../support/copyDigests.ts';
import { expectEqual, seedApplication, storeSessions, testCopies, type TestCopies } from '../support/analyticsCopy.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
let copies: TestCopies;
let applicationId: string;
let lines: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('SELECT ensure_event_partitions(2)');
  applicationId = await seedApplication(database.pool);
  await storePurchases();
});
afterAll(() => database.drop());
beforeEach(async () => {
  copies = await testCopies(database.url);
  lines = [];
});
afterEach(() => copies.remove());

const store = (devices: string[], session?: string, age = '0 s') =>
  storeSessions(database.pool, { applicationId, devices, events: 3, age, ...(session ? { session } : {}) });

async function storePurchases(): Promise<void> {
  await database.pool.query(
    `INSERT INTO store_transactions (id, application_id, state, line_id, product_id, kind, environment, purchased_at,
       price_milli, currency, quantity, revocation_percent)
     SELECT 't' || n, $1, 'RESOLVED', 'line', 'gold', 'AUTO_RENEWABLE', 'PRODUCTION', now() - n * interval '1 day', 4990, 'EUR', 1,
       (ARRAY[12.5, 50, NULL])[n]
     FROM generate_series(1, 3) AS n`,
    [applicationId],
  );
  await database.pool.query(
    `INSERT INTO store_entitlements (line_id, application_id, product_id, kind, environment, purchased_at, signed_at,
       auto_renew, owner_external_id)
     VALUES ('line', $1, 'gold', 'AUTO_RENEWABLE', 'PRODUCTION', now(), now(), true, 'owner "1"')`,
    [applicationId],
  );
}

/** Beside the copy's connections of the other names. */
const proofs = `SELECT pid FROM pg_stat_activity WHERE application_name LIKE '%: proof' AND datname = current_database()`;

const differed = 'the copy for analytics differed from PostgreSQL, and is read anew there';
const notCompared = 'the copy for analytics was not compared with PostgreSQL until the next try';

/** A copy that compares again and again. */
function open(options: Partial<CopyOptions> = {}): AnalyticsCopy {
  const say = (_: unknown, line: string): void => void lines.push(line);
  const log = { ...createLog('silent'), info: () => undefined, warn: say, error: say } as unknown as Log;
  return copies.open({ proveMillis: 50, proofRests: 0, log, ...options });
}

/** Several rounds have begun since the call. Each has a connection of its own. */
async function rounds(atLeast = 3): Promise<void> {
  const seen = new Set<number>();
  await eventually(
    async () => {
      const { rows } = await database.pool.query<{ pid: number }>(proofs);
      for (const { pid } of rows) seen.add(pid);
      return seen.size;
    },
    (size) => size >= atLeast,
  );
}

/** Changes the copy behind its back. */
async function spoil(copy: AnalyticsCopy, statements: readonly string[]): Promise<void> {
  const { instance, catalog } = copy.serving!;
  const connection = await instance.connect();
  try {
    await runDuck(connection, `USE ${catalog}`);
    for (const statement of statements) await runDuck(connection, statement);
  } finally {
    connection.closeSync();
  }
}

async function expectMended(copy: AnalyticsCopy): Promise<void> {
  const wanted = JSON.stringify(await digestsOfDatabase(database.pool));
  await eventually(
    () => (copy.serving ? digestsOfCopy(copy.serving) : Promise.resolve(null)),
    (digests) => JSON.stringify(digests) === wanted,
  );
}

/** Waits until the first round of a copy has ended: its connection is gone. */
async function firstRound(): Promise<void> {
  await rounds(1);
  await eventually(
    () => database.pool.query(proofs),
    ({ rowCount }) => rowCount === 0,
  );
}

const one = "(SELECT session FROM stored.sessions WHERE id = 'one')";
const device = "(SELECT device FROM stored.devices WHERE id = 'a')";
const some = expect.any(Number) as number;

test.each<[string, Record<string, number>, string[]]>([
  [
    'a session is missing with its events',
    { sessions: 1 },
    [`DELETE FROM stored.events WHERE session = ${one}`, "DELETE FROM stored.sessions WHERE id = 'one'"],
  ],
  ['a session is missing, and its events are there', { sessions: 1 }, ["DELETE FROM stored.sessions WHERE id = 'one'"]],
  ['a session is there twice', { sessions: 1 }, ["INSERT INTO stored.sessions FROM stored.sessions WHERE id = 'one'"]],
  ['a session has another user', { sessions: 1 }, ["UPDATE stored.sessions SET unit_user = 'other' WHERE id = 'one'"]],
  [
    'a session is of another day',
    { sessions: some },
    ["UPDATE stored.sessions SET arrived_at = arrived_at + 86400000000 WHERE id = 'one'"],
  ],
  [
    'a session that nobody has sent',
    { sessions: 1 },
    ["INSERT INTO stored.sessions SELECT * REPLACE (999999 AS session) FROM stored.sessions WHERE id = 'one'"],
  ],
  [
    'two sessions have changed their times',
    { sessions: 1 },
    [
      `UPDATE stored.sessions SET started_at =
        (SELECT sum(s.started_at)::BIGINT FROM stored.sessions s WHERE s.id IN ('one', 'two')) - started_at WHERE id IN ('one', 'two')`,
    ],
  ],
  ['an event is missing', { events: 1 }, [`DELETE FROM stored.events WHERE session = ${one} AND place = 2`]],
  ['events are there twice', { events: 1 }, [`INSERT INTO stored.events FROM stored.events WHERE session = ${one}`]],
  [
    'an event has other parameters, of the same length',
    { events: 1 },
    [`UPDATE stored.events SET params = replace(params::VARCHAR, 'yes', 'yet') WHERE session = ${one} AND place = 1`],
  ],
  [
    'events are of another device than their session',
    { events: 1 },
    [`UPDATE stored.events SET device = device + 1 WHERE session = ${one}`],
  ],
  [
    'events have another id of a session',
    { events: 1 },
    [`UPDATE stored.events SET session_text = 'other' WHERE session = ${one}`],
  ],
  [
    'events of a session that is gone',
    { events: 1 },
    [`INSERT INTO stored.events SELECT * REPLACE (999999 AS session) FROM stored.events WHERE session = ${one}`],
  ],
  ['a device is missing', { sessions: 1 }, ["DELETE FROM stored.devices WHERE id = 'a'"]],
  [
    'a device has other properties',
    { devices: 1 },
    [`UPDATE stored.devices SET user_properties = '{"n": 4}' WHERE device = ${device}`],
  ],
  [
    'purchases are missing, changed and doubled',
    { transactions: 3 },
    [
      "DELETE FROM stored.transactions WHERE id = 't1'",
      "UPDATE stored.transactions SET payer = 'user:2' WHERE id = 't2'",
      "INSERT INTO stored.transactions FROM stored.transactions WHERE id = 't3'",
    ],
  ],
  ['the renewal of a line differs', { renewals: 1 }, ['UPDATE stored.renewals SET auto_renew = NOT auto_renew']],
])('%s: it is found after a pause and read anew', async (_what, expected, statements) => {
  await store(['a'], 'one');
  await store(['b'], 'two');
  const first = copies.open();
  await expectEqual(first, database.pool);
  await spoil(first, statements);
  expect(await digestsOfCopy(first.serving!)).not.toEqual(await digestsOfDatabase(database.pool));
  await first.stop();
  const copy = open();
  await copy.followed();
  await expectMended(copy);
  await rounds();
  expect([await copies.mended(), new Set(lines)]).toEqual([expected, new Set([differed])]);
  await expectEqual(copy, database.pool);
});

test('nothing is said to differ under steady uploads, and while retention and the removal of an application go on', async () => {
  const gone = await seedApplication(database.pool);
  await storeSessions(database.pool, { applicationId: gone, devices: ['x', 'y'], events: 5 });
  await storeOldWeek();
  const copy = open();
  await copy.followed();
  const removals = [
    `UPDATE applications SET deleted_at = now() WHERE id = '${gone}'`,
    'SELECT drop_oldest_event_partition(14)',
    `DELETE FROM sessions WHERE received_at < now() - interval '20 days'`,
  ];
  let uploading = true;
  const uploads = (async () => {
    for (let n = 0; uploading; n++) {
      await store(
        [`s${n % 5}`, `s${(n + 1) % 5}`].sort(),
        n % 2 === 0 ? 'known' : undefined,
        n % 3 === 0 ? '1 day' : '0 s',
      );
      await database.pool.query(`UPDATE store_transactions SET price_milli = $1 WHERE id = 't1'`, [n]);
      await pause(200);
    }
  })();
  try {
    for (const removal of removals) {
      await rounds();
      await database.pool.query(removal);
    }
    await rounds();
  } finally {
    uploading = false;
    await uploads;
  }
  await expectEqual(copy, database.pool);
  await rounds();
  expect([await copies.mended(), lines]).toEqual([{}, []]);
});

/** A week of four weeks ago that retention may drop, with one session. */
async function storeOldWeek(): Promise<void> {
  await database.pool.query(`DO $$ DECLARE week date := date_trunc('week', now() - interval '28 days')::date; BEGIN
    EXECUTE format('CREATE TABLE events_%s PARTITION OF events FOR VALUES FROM (%L) TO (%L)', to_char(week, 'YYYYMMDD'), week, week + 7);
  END $$`);
  const { rows } = await database.pool.query<{ age: string }>(
    `SELECT (now() - date_trunc('week', now() - interval '28 days') - interval '1 day')::text AS age`,
  );
  await store(['old'], 'old', rows[0]!.age);
}

test('a round begins after each pause of the following, and else once a day', async () => {
  await store(['a'], 'one');
  const proxy = await startTcpProxy(database.url);
  const copy = open({ connection: { connectionString: proxy.through(database.url) }, proveMillis: 86_400_000 });
  try {
    await copy.followed();
    await firstRound();
    await spoil(copy, [`DELETE FROM stored.events WHERE session = ${one} AND place = 2`]);
    await pause(1_000);
    expect([await copies.mended(), lines]).toEqual([{}, []]);
    proxy.refuse();
    await eventually(
      () => Promise.resolve(lines.length),
      (count) => count > 0,
    );
    proxy.restore();
    await expectMended(copy);
    expect(await copies.mended()).toEqual({ events: 1 });
    expect(lines).toContain(differed);
  } finally {
    await copy.stop();
    await proxy.close();
  }
});

test('a round that fails is logged and tried again', async () => {
  await store(['a'], 'one');
  const { rows } = await database.pool.query<{ whole: string }>(
    `SELECT pg_get_functiondef('events_kept_from'::regproc) AS whole`,
  );
  await database.pool.query(`CREATE OR REPLACE FUNCTION events_kept_from() RETURNS date LANGUAGE plpgsql STABLE AS $$
    BEGIN RAISE 'not now'; END $$`);
  const copy = open();
  try {
    await copy.followed();
    await spoil(copy, [`DELETE FROM stored.events WHERE session = ${one} AND place = 2`]);
    await eventually(
      () => Promise.resolve(lines.length),
      (count) => count > 2,
    );
    expect([await copies.mended(), new Set(lines)]).toEqual([{}, new Set([notCompared])]);
  } finally {
    await database.pool.query(rows[0]!.whole);
  }
  await expectMended(copy);
  expect(await copies.mended()).toEqual({ events: 1 });
});

test('what differs is mended after the file was written anew, and not lost with the old one', async () => {
  await store(['a'], 'one');
  const copy = open({ rewriteAfter: -1n });
  await copy.followed();
  await spoil(copy, [`DELETE FROM stored.events WHERE session = ${one} AND place = 2`]);
  await expectMended(copy);
  await expectEqual(copy, database.pool);
});
