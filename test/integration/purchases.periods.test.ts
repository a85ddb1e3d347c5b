// Purchases: the store is asked by itself when a period ends. The worker's clock is the test's.
import { randomUUID } from 'node:crypto';
import { queueDueLookUps } from '../../src/purchases/queueDueLookUps.ts';
import type { FakePurchase } from '../tools/demo/fakeStore/signedData.ts';
import { eventually } from '../support/eventually.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { entitlementsOf, setCredentials, settled, startPurchaseTest, upload } from '../support/purchases.ts';
import type { PurchaseTest } from '../support/purchases.ts';

const [hour, day] = [3_600_000, 86_400_000];
const start = new Date('2026-09-10T00:00:00Z').getTime();
let now = new Date(start);
const at = (millis: number) => (now = new Date(start + millis));

let purchases: PurchaseTest;
beforeAll(async () => {
  purchases = await startPurchaseTest({ foundation: { now: () => now } });
});
afterAll(() => purchases.stop());
beforeEach(() => at(0));

function period(line: string, number: number, fields: Partial<FakePurchase> = {}): FakePurchase {
  return aPurchase({
    ...{
      transactionId: number === 0 ? line : `${line}-${number}`,
      originalTransactionId: line,
      kind: 'AUTO_RENEWABLE',
    },
    ...{ purchasedAt: new Date(start + number * 30 * day), expiresAt: new Date(start + (number + 1) * 30 * day) },
    signedAt: now,
    ...fields,
  });
}

async function subscribed() {
  const [line, device] = [randomUUID(), randomUUID()];
  purchases.store.sell(period(line, 0));
  await upload(purchases.service, [line], { device });
  await settled(purchases.service, line, ['RESOLVED']);
  const shown = async () => (await entitlementsOf(purchases.service, device, now))[0]!;
  return { line, shown };
}

const queueDue = () => queueDueLookUps(purchases.service.database.pool, now);
const lineOf = (lineId: string) =>
  purchases.service.database.prisma.storeEntitlement.findFirstOrThrow({ where: { lineId } });
const lookedUp = (lineId: string) =>
  eventually(
    () => lineOf(lineId),
    (line) => line.lookedUpAt?.getTime() === now.getTime(),
  );
const next = async (lineId: string) => ((await lineOf(lineId)).nextLookUpAt!.getTime() - start) / day;

test('a renewal that nobody uploads is found at the end of the period, by status and history alone', async () => {
  const { line, shown } = await subscribed();
  at(30 * day - 1);
  expect(await queueDue()).toBe(0);
  at(30 * day);
  const renewal = period(line, 1, { price: 9_990, currency: 'EUR' });
  purchases.store.sell(renewal);
  const before = purchases.store.calls.length;
  expect(await queueDue()).toBe(1);
  await lookedUp(line);
  expect(purchases.store.calls.slice(before).map(({ question }) => question)).toEqual(['subscription', 'history']);
  expect(await shown()).toMatchObject({ active: true, expiresAt: renewal.expiresAt, price: '9.99' });
  expect((await shown()).storeTransactionIds).toEqual([line, `${line}-1`]);
  expect(await next(line)).toBe(60);
  expect(await queueDue()).toBe(0);
});

test('while that look-up is outstanding the line stays active, for an hour', async () => {
  const { line, shown } = await subscribed();
  at(30 * day + hour - 1);
  expect((await shown()).active).toBe(true);
  at(30 * day + hour);
  expect((await shown()).active).toBe(false);
  at(30 * day + 60_000);
  expect((await shown()).active).toBe(true);
  purchases.store.sell(period(line, 0, { autoRenew: false }));
  await queueDue();
  await lookedUp(line);
  expect(await shown()).toMatchObject({ active: false, autoRenew: false });
  expect((await lineOf(line)).nextLookUpAt).toBeNull();
});

test('in grace and in billing retry the store is asked at the end of grace and each day', async () => {
  const { line, shown } = await subscribed();
  at(30 * day);
  const graceExpiresAt = new Date(start + 30 * day + 6 * hour);
  purchases.store.sell(period(line, 0, { inBillingRetry: true, graceExpiresAt }));
  await queueDue();
  await lookedUp(line);
  expect(await shown()).toMatchObject({ active: true, inBillingRetry: true, graceExpiresAt });
  expect(await next(line)).toBe(30.25);
  at(30.25 * day);
  await queueDue();
  await lookedUp(line);
  expect(await shown()).toMatchObject({ active: false, inBillingRetry: true });
  expect(await next(line)).toBe(31);
  at(31 * day);
  purchases.store.sell(period(line, 1, { purchasedAt: now }));
  await queueDue();
  await lookedUp(line);
  expect(await shown()).toMatchObject({ active: true, inBillingRetry: false, graceExpiresAt: null });
});

test('a look-up that brings nothing leaves the line as it is, and a later one is due', async () => {
  const { service, store } = purchases;
  const { line, shown } = await subscribed();
  at(30 * day);
  await setCredentials(service, null);
  expect(await queueDue()).toBe(1);
  const { prisma } = service.database;
  const row = () => prisma.storeTransaction.findFirstOrThrow({ where: { id: line } });
  await eventually(row, ({ lastLookUpError }) => lastLookUpError === 'no_credentials');
  expect(await row()).toMatchObject({ state: 'RESOLVED', reason: null, lastLookedUpAt: new Date(start) });
  expect(await next(line)).toBe(31);
  purchases.store.sell(period(line, 1));
  await setCredentials(service, store.account);
  await lookedUp(line);
  expect(await shown()).toMatchObject({ active: true, expiresAt: period(line, 1).expiresAt });
});

test('a history of several pages is read to its end, and from there on the next time', async () => {
  const { service, store } = purchases;
  const [line, device] = [randomUUID(), randomUUID()];
  const past = (number: number) => period(line, number, { purchasedAt: new Date(start + number * day) });
  store.sell(...Array.from({ length: 45 }, (_, number) => past(number)));
  at(45 * day);
  await upload(service, [line], { device });
  await settled(service, line, ['RESOLVED']);
  const pages = () => store.calls.filter(({ id, question }) => id === line && question === 'history').length;
  expect(pages()).toBe(3);
  expect((await entitlementsOf(service, device, now))[0]!.storeTransactionIds).toHaveLength(45);
  store.sell(past(45));
  at((await next(line)) * day);
  await queueDue();
  await lookedUp(line);
  expect(pages()).toBe(4);
  expect((await entitlementsOf(service, device, now))[0]!.storeTransactionIds).toHaveLength(46);
});
