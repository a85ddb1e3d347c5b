// EVENT_RETENTION_DAYS and purchases: old transactions without a result go with their uploads. What the store has resolved stays.
import { randomUUID } from 'node:crypto';
import type { Prisma } from '../../generated/prisma/client.ts';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { keepNotification } from '../../src/purchases/keepNotification.ts';
import { removeUnresolved } from '../../src/purchases/removeUnresolved.ts';
import { storeStatement } from '../../src/purchases/storeStatement.ts';
import { eventually } from '../support/eventually.ts';
import { holdLock } from '../support/heldLock.ts';
import { transactionsOf, upload } from '../support/purchases.ts';
import { signedPurchase } from '../support/signedPurchase.ts';
import { startTestService, type TestService } from '../support/testService.ts';

const log = createLog('silent');
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const sql = (text: string, values: unknown[] = []) => service.database.pool.query(text, values);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const run = (size?: { transactions: number; claims: number }) =>
  removeUnresolved(service.database.pool, { daysKept: 30, log, ...(size && { size }) });

type Change = Prisma.StoreTransactionUpdateManyMutationInput;

/** Uploads an id, then dates the upload back and gives it the state. */
async function uploaded(change: Change, days = 90, device = randomUUID()): Promise<string> {
  const id = randomUUID();
  expect((await upload(service, [id], { device })).status).toBe(200);
  const at = daysAgo(days);
  const data = {
    state: 'NOT_FOUND',
    waits: false,
    takesPlace: false,
    lookUpAt: null,
    receivedAt: at,
    resolvedAt: at,
    ...change,
  } as const;
  await service.database.prisma.storeTransaction.updateMany({ where: { id }, data });
  await sql('UPDATE store_claims SET arrivals = ARRAY[$1::timestamptz] WHERE transaction_id = $2', [at, id]);
  await sql('UPDATE store_transaction_devices SET received_at = $1 WHERE transaction_id = $2', [at, id]);
  return id;
}

/** The rows of an id: its own, its claims and those of its devices. */
async function rowsOf(id: string): Promise<number[]> {
  const { rows } = await sql(
    `SELECT (SELECT count(*)::int FROM store_transactions WHERE id = $1) AS own,
      (SELECT count(*)::int FROM store_claims WHERE transaction_id = $1) AS claims,
      (SELECT count(*)::int FROM store_transaction_devices WHERE transaction_id = $1) AS devices`,
    [id],
  );
  const [row] = rows as { own: number; claims: number; devices: number }[];
  return [row!.own, row!.claims, row!.devices];
}

const all = [1, 1, 1];

test.each<[string, Change, number[]]>([
  ['NOT_FOUND goes', {}, [0, 0, 0]],
  ['FAILED goes', { state: 'FAILED', reason: 'wrong_bundle' }, [0, 0, 0]],
  ['one that was looked up lately stays', { lastLookedUpAt: daysAgo(29) }, all],
  ['one of which a look-up is asked for stays', { waits: true }, all],
  ['one that is being looked up stays', { lookingUntil: daysAgo(-1) }, all],
  ['one that was kept for a shorter time stays', { receivedAt: daysAgo(29) }, all],
  ['PENDING stays', { state: 'PENDING', resolvedAt: null }, all],
  ['RESOLVED stays', { state: 'RESOLVED' }, all],
  ['one of a line stays', { lineId: 'a line' }, all],
  ['one that the store has signed stays', { state: 'FAILED', signedAt: daysAgo(90) }, all],
])('%s', async (_, change, rows) => {
  const id = await uploaded(change);
  await run();
  expect(await rowsOf(id)).toEqual(rows);
});

test('a purchase that the store has resolved and its entitlement stay, whatever their age', async () => {
  const id = await uploaded({ state: 'PENDING', resolvedAt: null }, 400);
  const purchase = { ...signedPurchase(id), kind: 'NON_CONSUMABLE' as const, purchasedAt: daysAgo(401) };
  const statement = {
    applicationId: service.application.id,
    environment: 'PRODUCTION' as const,
    transactions: [purchase],
  };
  await inTransaction(service.database.pool, (transaction) =>
    storeStatement(transaction, { ...statement, renewals: [] }, { now: daysAgo(399) }),
  );
  const tables = ['store_transactions', 'store_entitlements', 'store_holders', 'store_claims', 'store_products'];
  const stored = async () =>
    Promise.all(tables.map(async (name) => (await sql(`SELECT * FROM ${name}`)).rows as object[]));
  const before = await stored();
  for (const rows of before) expect(rows).not.toEqual([]);
  await run();
  expect(await stored()).toEqual(before);
});

test('an id that comes again after it was removed is new, and is looked up', async () => {
  const device = randomUUID();
  const id = await uploaded({}, 90, device);
  await run();
  expect(await transactionsOf(service, device)).toEqual([]);
  expect((await upload(service, [id], { device })).status).toBe(200);
  expect(await transactionsOf(service, device)).toMatchObject([{ id, state: 'PENDING' }]);
});

test('an id that a device named lately stays for it, and the old uploads of others go', async () => {
  const [id, latest] = [await uploaded({}), randomUUID()];
  await sql(
    `INSERT INTO store_claims (transaction_id, application_id, uploaded_by, external_id, device_id, arrivals)
    SELECT $1, $2::uuid, $3::uuid, external_id, $4, ARRAY[now() - interval '90 days', at]
    FROM (VALUES ('', now() - interval '80 days'), ('user', now())) t (external_id, at)`,
    [id, service.application.id, deviceKey(service.application.id, latest), latest],
  );
  await run();
  expect(await rowsOf(id)).toEqual([1, 2, 0]);
});

test('of another application with the same id nothing goes', async () => {
  const other = await service.newApplication();
  const device = randomUUID();
  const id = await uploaded({}, 90, device);
  const body = { device: { id: device }, transactions: [{ id }] };
  await service.client.send('reportStoreTransactions', { 'X-Api-Key': other.key.public }, body);
  await run();
  expect(await rowsOf(id)).toEqual(all);
});

test('one id that hundreds of devices have named goes in pieces, and the next ones after it', async () => {
  const ids = [await uploaded({}, 92), await uploaded({}, 91), await uploaded({}, 90)];
  await sql(
    `INSERT INTO store_claims (transaction_id, application_id, uploaded_by, external_id, device_id, arrivals)
    SELECT $1, $2, gen_random_uuid(), '', 'd', ARRAY[now() - interval '90 days'] FROM generate_series(1, 300)`,
    [ids[0], service.application.id],
  );
  await run({ transactions: 2, claims: 50 });
  for (const id of ids) expect(await rowsOf(id)).toEqual([0, 0, 0]);
});

test('an id that an upload holds is left out, and two processes share the others', async () => {
  const ids = await Promise.all(Array.from({ length: 9 }, () => uploaded({})));
  const held = await holdLock(
    service.database.pool,
    `SELECT FROM store_transactions WHERE id = '${ids[0]!}' FOR UPDATE`,
  );
  await Promise.all([1, 2].map(() => run({ transactions: 2, claims: 50 })));
  await held.release();
  const gone = async () => (await Promise.all(ids.map(rowsOf))).filter(([own]) => own === 0).length;
  expect(await gone()).toBe(8);
  await run();
  expect(await gone()).toBe(9);
});

test('an upload that waits for the removal finds its id new', async () => {
  const [id, device] = [await uploaded({}), randomUUID()];
  const held = await holdLock(service.database.pool, 'LOCK TABLE store_claims IN SHARE MODE');
  const running = run();
  await held.waiting(1);
  const sent = upload(service, [id], { device });
  await eventually(
    () =>
      sql(
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      ),
    ({ rows }) => (rows as { n: number }[])[0]!.n === 2,
  );
  await held.release();
  await running;
  expect((await sent).status).toBe(200);
  expect(await rowsOf(id)).toEqual([1, 1, 1]);
  expect(await transactionsOf(service, device)).toMatchObject([{ id, state: 'PENDING' }]);
});

test('a notification is never stored with its text, and its UUID is known after any time', async () => {
  const columns = await sql(
    "SELECT column_name FROM information_schema.columns WHERE table_name = 'store_notifications'",
  );
  expect((columns.rows as { column_name: string }[]).map(({ column_name: name }) => name).sort()).toEqual([
    'application_id',
    'environment',
    'fetched',
    'id',
    'received_at',
    'signed_at',
    'subtype',
    'type',
  ]);
  const kept = { type: 'TEST', subtype: null, environment: 'PRODUCTION', signedAt: daysAgo(900) } as const;
  const notification = { ...kept, id: randomUUID(), transactions: [], renewals: [] };
  const arrival = { applicationId: service.application.id, notification, fetched: false, now: daysAgo(900) };
  const arrive = () => inTransaction(service.database.pool, (transaction) => keepNotification(transaction, arrival));
  expect(await arrive()).toBe('kept');
  await run();
  expect(await arrive()).toBe('repeated');
});
