// The migration to purchases that live, on a database with purchases: devices keep what they hold, and subscriptions are due.
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyMigrations } from '../../src/platform/database/migrations.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { entitlementsOfDevice, storeTransactionsOfDevice } from '../../src/purchases/entitlementsStore.ts';
import { tellEndsByClock } from '../../src/purchases/tellEndsByClock.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

const migration = '20261125170000_purchases_that_live';
const [application, one, other] = [randomUUID(), randomUUID(), randomUUID()];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true, plain: true });
  const before = await mkdtemp(path.join(tmpdir(), 'campaign-analytics-migrations-'));
  await cp(projectFile('prisma'), before, { recursive: true });
  const later = (await readdir(path.join(before, 'migrations'))).filter(
    (name) => /^\d/.test(name) && name >= migration,
  );
  for (const name of later) await rm(path.join(before, 'migrations', name), { recursive: true });
  await applyMigrations({ url: database.url, prismaDir: before });
  await rm(before, { recursive: true });
  await fill();
  expect(await applyMigrations({ url: database.url, prismaDir: projectFile('prisma') })).toContain(migration);
});
afterAll(() => database.drop());

/** A subscription of which a renewal was uploaded, an own purchase, and one that waits. */
async function fill(): Promise<void> {
  await database.pool.query(`
    INSERT INTO store_transactions (id, application_id, state, line_id, resolved_at) VALUES
      ('renewal', '${application}', 'RESOLVED', 'line', now()), ('own', '${application}', 'RESOLVED', 'own', now()),
      ('waits', '${application}', 'PENDING', NULL, NULL)`);
  await database.pool.query(`
    INSERT INTO store_transaction_devices (device_key, transaction_id, application_id, device_id, external_id) VALUES
      ('${one}', 'renewal', '${application}', 'one', 'A'), ('${other}', 'renewal', '${application}', 'other', NULL),
      ('${one}', 'own', '${application}', 'one', NULL), ('${one}', 'waits', '${application}', 'one', NULL)`);
  await database.pool.query(`
    INSERT INTO store_entitlements (line_id, application_id, product_id, kind, environment, purchased_at, expires_at,
      signed_at, auto_renew) VALUES
      ('line', '${application}', 'monthly', 'AUTO_RENEWABLE', 'PRODUCTION', now() - interval '40 days',
        now() - interval '10 days', now(), true),
      ('own', '${application}', 'gold', 'NON_CONSUMABLE', 'SANDBOX', now() - interval '9 days', NULL, now(), NULL),
      ('running', '${application}', 'monthly', 'AUTO_RENEWABLE', 'PRODUCTION', now() - interval '9 days',
        now() + interval '21 days', now() - interval '9 days', true)`);
}

test('each device holds what it held', async () => {
  const lines = async (deviceKey: string) =>
    (await entitlementsOfDevice(database.pool, { deviceKey, limit: 10, now: new Date() })).map(({ id }) => id).sort();
  expect([await lines(one), await lines(other)]).toEqual([['line', 'own'], ['line']]);
  const transactions = await storeTransactionsOfDevice(database.pool, { deviceKey: one, limit: 10 });
  expect(transactions.map(({ id, state, reason, productId }) => [id, state, reason, productId]).sort()).toEqual([
    ['own', 'RESOLVED', null, 'gold'],
    ['renewal', 'RESOLVED', null, null],
    ['waits', 'PENDING', 'waiting_for_turn', null],
  ]);
});

test('the subscription is looked up soon, and nothing else is', async () => {
  const due = await database.prisma.storeEntitlement.findMany({ where: { nextLookUpAt: { lte: new Date() } } });
  expect(due.map(({ lineId }) => lineId)).toEqual(['line']);
});

test('a subscription that runs stays active after its end until the look-up of the end has ended', async () => {
  const lines = await database.prisma.storeEntitlement.findMany({ where: { lookedUpAt: { not: null } } });
  expect(lines.map(({ lineId, lookedUpAt }) => [lineId, lookedUpAt])).toEqual([['running', lines[0]!.signedAt]]);
});

test('no event tells later what each line was before the events', async () => {
  const lines = await database.prisma.storeEntitlement.findMany({ orderBy: { lineId: 'asc' } });
  expect(lines.map(({ lineId, toldActive, tellAt }) => [lineId, toldActive, tellAt])).toEqual([
    ['line', false, null],
    ['own', true, null],
    ['running', true, lines.at(-1)!.expiresAt],
  ]);
  expect(await tellEndsByClock(database.pool)).toBe(0);
});

test('each upload is a claim, and each product is known', async () => {
  const claims = await database.prisma.storeClaim.findMany({
    orderBy: [{ transactionId: 'asc' }, { deviceId: 'asc' }],
  });
  expect(
    claims.map(({ transactionId, deviceId, externalId, arrivals }) => [
      transactionId,
      deviceId,
      externalId,
      arrivals.length,
    ]),
  ).toEqual([
    ['own', 'one', '', 1],
    ['renewal', 'one', 'A', 1],
    ['renewal', 'other', '', 1],
    ['waits', 'one', '', 1],
  ]);
  const products = await database.prisma.storeProduct.findMany({ orderBy: { productId: 'asc' } });
  expect(products.map(({ productId, kind }) => [productId, kind])).toEqual([
    ['gold', 'NON_CONSUMABLE'],
    ['monthly', 'AUTO_RENEWABLE'],
  ]);
});
