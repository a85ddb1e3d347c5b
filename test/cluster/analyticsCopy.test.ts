// The copy for analytics on a real Citus cluster, whose workers show a commit later than the coordinator's log names it.
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { AnalyticsCopy } from '../../src/analytics/copy/analyticsCopy.ts';
import { withConnection } from '../faults/support/faultService.ts';
import { startTcpProxy, type TcpProxy } from '../faults/support/tcpProxy.ts';
import { expectEqual, seedApplication, storeSessions, testCopies, type TestCopies } from '../support/analyticsCopy.ts';
import { citusWorkers, reachFirstWorkerThrough, spreadOverWorkers } from '../support/citusCluster.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

const manyDevices = Array.from({ length: 40 }, (_, n) => `device ${n}`);
const [lagMillis, steadySeconds] = [5_000, 8];
const coordinator = process.env['TEST_SERVER_URL']!;

let database: TestDatabase;
let applicationId: string;
let copies: TestCopies;
let proxy: TcpProxy;

/** `plain`: the database is not distributed yet. */
async function begin(plain: boolean): Promise<void> {
  database = await createTestDatabase({ plain });
  await database.pool.query('SELECT ensure_event_partitions(2)');
  applicationId = await seedApplication(database.pool);
  copies = await testCopies(database.url, { proveMillis: 500, proofRests: 1 });
  proxy = await startTcpProxy(citusWorkers[0]!);
  if (!plain) await putProxyBefore();
}
afterEach(async () => {
  await recoverByItself('1min');
  proxy.restore();
  await database.pool.query('SELECT recover_prepared_transactions()');
  expect(await copies.mended()).toEqual({});
  await copies.remove();
  await database.drop();
  await proxy.close();
});

const putProxyBefore = () => reachFirstWorkerThrough(database.pool, proxy.port);

/** How often the coordinator ends by itself what a lost connection has left: never for '-1'. */
async function recoverByItself(interval: string): Promise<void> {
  await withConnection(coordinator, async (client) => {
    await client.query(`ALTER SYSTEM SET citus.recover_2pc_interval = '${interval}'`);
    await client.query('SELECT pg_reload_conf()');
  });
}

const store = (devices: readonly string[], session?: string): Promise<void> =>
  storeSessions(database.pool, { applicationId, devices, events: 3, ...(session ? { session } : {}) });

/** Stores what the database has acknowledged and the first worker does not show; returns when. */
async function storeLate(): Promise<bigint> {
  const before = proxy.lost();
  proxy.loseRequests('COMMIT PREPARED', 1);
  await store(manyDevices);
  expect(proxy.lost()).toBe(before + 1);
  proxy.restore();
  return BigInt(Date.now()) * 1_000n;
}

const followed = (copy: AnalyticsCopy): Promise<bigint> => copy.followed().then(() => copy.serving!.asOf);

async function expectHeld(copy: AnalyticsCopy, before: bigint): Promise<void> {
  await pause(1_500);
  expect(copy.serving!.asOf).toBeLessThan(before);
}

/** As if it had been stored before any outage that somebody is patient for. */
const makeOld = (pool: Pool) => pool.query("UPDATE session_changes SET at = at - interval '1 day'");

test.each(['the worker is away', 'the worker is there'])(
  'the cursor passes no commit that a worker has not shown, whatever its age: %s',
  async (state) => {
    await begin(false);
    await recoverByItself('-1');
    const copy = copies.open();
    await store(manyDevices);
    await expectEqual(copy, database.pool);
    const late = await storeLate();
    await makeOld(database.pool);
    if (state === 'the worker is away') proxy.refuse();
    await expectHeld(copy, late);
    proxy.restore();
    await expectHeld(copy, late);
    await store(['of later', 'and another']);
    await expectHeld(copy, late);
    await database.pool.query('SELECT recover_prepared_transactions()');
    await expectEqual(copy, database.pool);
  },
);

test('a copy that is built while a commit is late has it in the end', async () => {
  await begin(false);
  await recoverByItself('-1');
  await storeLate();
  await makeOld(database.pool);
  const copy = copies.open();
  await eventually(
    () => Promise.resolve(copy.progress),
    (share) => share === 1,
  );
  await database.pool.query('SELECT recover_prepared_transactions()');
  await expectEqual(copy, database.pool);
});

test('a copy of a database that becomes one of a cluster waits for late commits from then on', async () => {
  await begin(true);
  const copy = copies.open();
  await store(manyDevices);
  await expectEqual(copy, database.pool);
  await spreadOverWorkers(coordinator, new URL(database.url).pathname.slice(1));
  await putProxyBefore();
  await recoverByItself('-1');
  const late = await storeLate();
  await expectHeld(copy, late);
  await database.pool.query('SELECT recover_prepared_transactions()');
  await expectEqual(copy, database.pool);
});

test('while uploads of known sessions come without a pause the copy follows them', async () => {
  await begin(false);
  const copy = copies.open({ pollMillis: 500 });
  await store(manyDevices, 'known');
  await followed(copy);
  const lags: number[] = [];
  for (const end = Date.now() + steadySeconds * 1_000; Date.now() < end; await pause(100)) {
    await store(manyDevices.slice(0, 3), 'known');
    lags.push(Date.now() - Number(copy.serving!.asOf / 1_000n));
  }
  expect(Math.max(...lags)).toBeLessThan(lagMillis);
  await expectEqual(copy, database.pool);
});

test('after a node is back the copy goes on within seconds, however long the node was away', async () => {
  await begin(false);
  const copy = copies.open();
  await store(manyDevices);
  await followed(copy);
  proxy.refuse();
  // The pauses between two tries have grown to their longest by then.
  await pause(8_000);
  proxy.restore();
  const back = Date.now();
  await followed(copy);
  expect(Date.now() - back).toBeLessThan(lagMillis);
});
