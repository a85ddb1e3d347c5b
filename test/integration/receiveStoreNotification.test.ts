// POST /api/v1/store/notifications/{applicationId}: what a notification brings, once, in any order, for whom.
import { randomUUID } from 'node:crypto';
import { aPurchase } from '../support/fakeStore.ts';
import { entitlementsOf, transactionsOf, upload } from '../support/purchases.ts';
import { retried } from '../support/retried.ts';
import { known, startNotificationTest, tell, type NotificationTest } from '../support/storeNotifications.ts';
import { signNotification } from '../tools/demo/fakeStore/notifications.ts';
import type { FakePurchase } from '../tools/demo/fakeStore/signedData.ts';

let test_: NotificationTest;
beforeAll(async () => {
  test_ = await startNotificationTest();
});
afterAll(() => test_.stop());

const day = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * day);
const accepted = { status: 200, body: {} };

/** A month of a subscription, which began so many days ago. */
function month(line: string, from: number, fields: Partial<FakePurchase> = {}): FakePurchase {
  return aPurchase({
    ...{ transactionId: `${line}-${from}`, originalTransactionId: line, kind: 'AUTO_RENEWABLE' },
    ...{ purchasedAt: daysAgo(from), expiresAt: daysAgo(from - 30), signedAt: daysAgo(from), ...fields },
  });
}

const shown = (device: string) => entitlementsOf(test_.service, device);

test('a purchase that a device uploaded is resolved by the notification, before any look-up', async () => {
  const [id, device] = [randomUUID(), randomUUID()];
  await upload(test_.service, [id], { device });
  expect(await shown(device)).toEqual([]);
  expect(await tell(test_, { type: 'ONE_TIME_CHARGE', purchase: aPurchase({ transactionId: id }) })).toMatchObject(
    accepted,
  );
  expect(await shown(device)).toMatchObject([{ id, active: true, storeTransactionIds: [id] }]);
  expect(await transactionsOf(test_.service, device)).toMatchObject([{ id, state: 'RESOLVED', reason: null }]);
});

test('a renewal that nobody uploaded belongs to the devices and the owner of its line', async () => {
  const [line, device, owner] = [randomUUID(), randomUUID(), randomUUID()];
  const first = month(line, 40);
  await upload(test_.service, [first.transactionId], { device, externalId: owner });
  await tell(test_, { type: 'SUBSCRIBED', subtype: 'INITIAL_BUY', purchase: first });
  expect(await shown(device)).toMatchObject([{ id: line, active: false, owner: { externalId: owner } }]);
  const second = month(line, 10);
  expect(await tell(test_, { type: 'DID_RENEW', purchase: second })).toMatchObject(accepted);
  expect(await shown(device)).toMatchObject([{ id: line, active: true, owner: { externalId: owner } }]);
  expect((await transactionsOf(test_.service, device)).map(({ id }) => id).sort()).toEqual(
    [first.transactionId, second.transactionId].sort(),
  );
});

test('a transaction that no device uploaded waits for its first', async () => {
  const [line, device] = [randomUUID(), randomUUID()];
  const purchase = month(line, 3);
  expect(await tell(test_, { type: 'SUBSCRIBED', subtype: 'INITIAL_BUY', purchase })).toMatchObject(accepted);
  expect(await shown(device)).toEqual([]);
  await upload(test_.service, [purchase.transactionId], { device });
  expect(await shown(device)).toMatchObject([{ id: line, active: true }]);
});

test('the account token in a notification names the owner, whoever uploaded first', async () => {
  const [line, stranger, device, owner] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const purchase = month(line, 3, { accountToken: owner.toUpperCase() });
  await upload(test_.service, [purchase.transactionId], { device: stranger, externalId: 'a-stranger' });
  await upload(test_.service, [purchase.transactionId], { device, externalId: owner });
  await tell(test_, { type: 'SUBSCRIBED', subtype: 'INITIAL_BUY', purchase });
  expect(await shown(stranger)).toEqual([]);
  expect(await shown(device)).toMatchObject([{ id: line, owner: { externalId: owner } }]);
});

test('the order of arrival does not matter: a refund that comes before its purchase stays', async () => {
  const device = randomUUID();
  const bought = aPurchase({ transactionId: randomUUID(), signedAt: daysAgo(2) });
  const refunded = { ...bought, signedAt: daysAgo(1), revokedAt: daysAgo(1) };
  await upload(test_.service, [bought.transactionId], { device });
  await tell(test_, { type: 'REFUND', purchase: refunded });
  expect(await shown(device)).toMatchObject([{ active: false, revokedAt: refunded.revokedAt }]);
  await tell(test_, { type: 'ONE_TIME_CHARGE', purchase: bought });
  expect(await shown(device)).toMatchObject([{ active: false, revokedAt: refunded.revokedAt }]);
  await tell(test_, { type: 'REFUND_REVERSED', purchase: { ...bought, signedAt: new Date() } });
  expect(await shown(device)).toMatchObject([{ active: true, revokedAt: null }]);
});

test('a notification that comes again changes nothing, also when many come at one moment', async () => {
  const uuid = randomUUID().toUpperCase();
  const device = randomUUID();
  const bought = aPurchase({ transactionId: randomUUID(), signedAt: daysAgo(2) });
  await upload(test_.service, [bought.transactionId], { device });
  const sent = Array.from({ length: 8 }, () =>
    retried(() => tell(test_, { uuid, type: 'ONE_TIME_CHARGE', purchase: bought })),
  );
  for (const answer of await Promise.all(sent)) expect(answer).toMatchObject(accepted);
  expect((await known(test_)).filter(({ id }) => id === uuid.toLowerCase())).toHaveLength(1);
  // Known by its UUID alone: its content is not read again.
  const other = { ...bought, signedAt: daysAgo(1), revokedAt: daysAgo(1) };
  expect(await tell(test_, { uuid, type: 'REFUND', purchase: other })).toMatchObject(accepted);
  expect(await shown(device)).toMatchObject([{ active: true }]);
});

test('many notifications of one line at one moment are all stored', async () => {
  const [line, device] = [randomUUID(), randomUUID()];
  const months = Array.from({ length: 12 }, (_, index) => month(line, 30 * index + 5));
  await upload(test_.service, [months[11]!.transactionId], { device });
  const sent = months.map((purchase) => retried(() => tell(test_, { type: 'DID_RENEW', purchase })));
  for (const answer of await Promise.all(sent)) expect(answer).toMatchObject(accepted);
  expect(await shown(device)).toMatchObject([{ id: line, active: true, purchasedAt: months[0]!.purchasedAt }]);
  expect(await transactionsOf(test_.service, device)).toHaveLength(12);
});

test('one that tells of no transaction is kept and counted, also of a kind that nobody knows', async () => {
  const before = (await known(test_)).length;
  expect(await tell(test_, { type: 'TEST' })).toMatchObject(accepted);
  expect(await tell(test_, { type: 'OF_A_LATER_YEAR', subtype: 'NEW' })).toMatchObject(accepted);
  expect((await known(test_)).slice(before)).toMatchObject([
    { type: 'TEST', subtype: null, environment: 'PRODUCTION', fetched: false },
    { type: 'OF_A_LATER_YEAR', subtype: 'NEW' },
  ]);
  const metrics = await test_.service.deps.metrics.registry.metrics();
  expect(metrics).toMatch(/store_notifications_total\{type="TEST",outcome="kept"\} 1/);
  expect(metrics).toMatch(/store_notifications_total\{type="other",outcome="kept"\} 1/);
  expect(metrics).toMatch(/store_notifications_total\{type="DID_RENEW",outcome="stored"\} 13/);
});

test('a transaction of a kind that this release does not know changes nothing and is taken', async () => {
  const purchase = aPurchase({ transactionId: randomUUID(), payload: { type: 'Of a later year' } });
  expect(await tell(test_, { type: 'ONE_TIME_CHARGE', purchase })).toMatchObject(accepted);
  const where = { id: purchase.transactionId };
  expect(await test_.service.database.prisma.storeTransaction.count({ where })).toBe(0);
});

test('the sandbox is an environment of its own', async () => {
  const [id, device] = [randomUUID(), randomUUID()];
  await upload(test_.service, [id], { device });
  const purchase = aPurchase({ transactionId: id });
  expect(await tell(test_, { type: 'ONE_TIME_CHARGE', environment: 'sandbox', purchase })).toMatchObject(accepted);
  expect(await shown(device)).toMatchObject([{ id, environment: 'SANDBOX', active: true }]);
});

test('an application without store credentials takes notifications for its own bundle id', async () => {
  const { service, store } = test_;
  const application = await service.newApplication();
  const { bundleId } = await service.database.prisma.application.findUniqueOrThrow({ where: { id: application.id } });
  expect(await tell(test_, { type: 'TEST', bundleId }, application.id)).toMatchObject(accepted);
  const { signedPayload } = signNotification({ type: 'TEST', bundleId: 'com.example.other' }, store.chain);
  const refused = await service.client.send('receiveStoreNotification', {}, { signedPayload }, application.id);
  expect(refused.status).toBe(422);
});
