// Purchases: the sequences of public reports, in which a purchase changes after its first look-up or the store comes late.
import { randomUUID } from 'node:crypto';
import { notFound } from '../tools/demo/fakeStore/fakeStore.ts';
import type { FakePurchase } from '../tools/demo/fakeStore/signedData.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { entitlementsOf, settled, startPurchaseTest, transactionsOf, upload } from '../support/purchases.ts';
import type { PurchaseTest } from '../support/purchases.ts';
import { restore } from '../support/storedPurchases.ts';
import { newUser } from '../support/testUsers.ts';

let purchases: PurchaseTest;
beforeAll(async () => {
  purchases = await startPurchaseTest({ foundation: { notKnownMillis: 60_000 } });
});
afterAll(() => purchases.stop());

const day = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * day);

/** A month of the line, from so many days ago on. */
function month(
  [line, transactionId]: [string, string],
  from: number,
  fields: Partial<FakePurchase> = {},
): FakePurchase {
  return aPurchase({
    ...{ transactionId, originalTransactionId: line, kind: 'AUTO_RENEWABLE' },
    ...{ purchasedAt: daysAgo(from), expiresAt: daysAgo(from - 30), price: 9_990, currency: 'EUR' },
    ...fields,
  });
}

async function bought(...sold: FakePurchase[]) {
  const [id, device] = [sold[0]!.transactionId, randomUUID()];
  purchases.store.sell(...sold);
  await upload(purchases.service, [id], { device });
  await settled(purchases.service, id, ['RESOLVED']);
  return { id, device };
}

const shown = (device: string) => entitlementsOf(purchases.service, device);

test('a refund after the purchase was resolved shows when it is restored, and so does its end', async () => {
  const { service, store } = purchases;
  const purchase = aPurchase({ transactionId: randomUUID(), price: 4_990, currency: 'USD' });
  const { id, device } = await bought(purchase);
  expect(await shown(device)).toMatchObject([{ active: true, revokedAt: null, price: '4.99', currency: 'USD' }]);
  const revokedAt = daysAgo(1);
  const refund = { revocationReason: 1, revocationType: 'REFUND_PRORATED', revocationPercentage: 50_000 };
  store.sell({ ...purchase, revokedAt, payload: refund });
  await restore(service, id, { device });
  expect(await shown(device)).toMatchObject([{ active: false, revokedAt }]);
  const reasons = { revocationReason: 'APP_ISSUE', revocationType: 'REFUND_PRORATED', revocationPercent: 50 };
  expect(await transactionsOf(service, device)).toMatchObject([{ id, state: 'RESOLVED', revokedAt, ...reasons }]);
  store.sell(purchase);
  await restore(service, id, { device });
  expect(await shown(device)).toMatchObject([{ active: true, revokedAt: null }]);
  expect(await transactionsOf(service, device)).toMatchObject([{ revokedAt: null, revocationReason: null }]);
});

test('a renewal shows when the first id is uploaded again, and each period is a transaction of its own', async () => {
  const { service, store } = purchases;
  const line = randomUUID();
  const offer = { offer: 'INTRODUCTORY', offerMode: 'FREE_TRIAL', storefront: 'DEU' } as const;
  const { device } = await bought(month([line, line], 80, { ...offer, price: 0 }));
  expect(await shown(device)).toMatchObject([{ id: line, active: false, price: '0.00' }]);
  store.sell(month([line, `${line}-2`], 50), month([line, `${line}-3`], 20));
  await restore(service, line, { device });
  const storeTransactionIds = [line, `${line}-2`, `${line}-3`];
  expect(await shown(device)).toMatchObject([{ id: line, active: true, price: '9.99', storeTransactionIds }]);
  const transactions = await transactionsOf(service, device);
  expect(transactions.map(({ id }) => id).sort()).toEqual(storeTransactionIds);
  const first = transactions.find(({ id }) => id === line);
  expect(first).toMatchObject({ ...offer, storefront: 'DE', price: '0.00', currency: 'EUR', originalId: line });
  const second = transactions.find(({ id }) => id === `${line}-2`);
  expect(second).toMatchObject({
    state: 'RESOLVED',
    offer: 'NONE',
    offerMode: null,
    price: '9.99',
    lastLookedUpAt: null,
  });
});

test('a refund of a period before the last one leaves the entitlement as it is', async () => {
  const { service, store } = purchases;
  const line = randomUUID();
  const { device } = await bought(month([line, line], 50), month([line, `${line}-2`], 20));
  store.sell(month([line, line], 50, { revokedAt: daysAgo(1) }));
  await restore(service, `${line}-2`, { device });
  expect(await shown(device)).toMatchObject([{ active: true, revokedAt: null }]);
  const transactions = await transactionsOf(service, device);
  expect(transactions.filter(({ revokedAt }) => revokedAt !== null).map(({ id }) => id)).toEqual([line]);
});

test('a store that does not know the purchase for the first seconds', async () => {
  const { service, store } = purchases;
  const id = randomUUID();
  const later = [notFound, notFound, notFound];
  store.answer(id, { production: [...later, { purchase: aPurchase({ transactionId: id }) }], sandbox: [notFound] });
  const device = randomUUID();
  await upload(service, [id], { device });
  await settled(service, id, ['RESOLVED']);
  expect(await shown(device)).toMatchObject([{ active: true }]);
  expect(store.calls.filter((call) => call.id === id && call.environment === 'production')).toHaveLength(4);
});

test('in those seconds it is PENDING, and says why', async () => {
  const [id, device] = [randomUUID(), randomUUID()];
  await upload(purchases.service, [id], { device });
  await settled(purchases.service, id, ['PENDING', 'not_known_yet']);
  const [waiting] = await transactionsOf(purchases.service, device);
  expect(waiting).toMatchObject({ lastLookUpError: 'not_known_yet', lastLookedUpAt: expect.any(Date) as Date });
  const { productId, kind, environment, purchasedAt, price, quantity, ownership, offer, storefront } = waiting!;
  const said = [productId, kind, environment, purchasedAt, price, quantity, ownership, offer, storefront];
  expect(said).toEqual(said.map(() => null));
});

test('one passing 401', async () => {
  const { service, store } = purchases;
  const id = randomUUID();
  const refused = { status: 401 };
  store.answer(id, { production: [refused, { purchase: aPurchase({ transactionId: id }) }], sandbox: [refused] });
  const device = randomUUID();
  await upload(service, [id], { device });
  await settled(service, id, ['RESOLVED']);
  expect(await transactionsOf(service, device)).toMatchObject([{ lastLookUpError: null }]);
});

test('a pass of 30 days that was bought 400 days ago ends once an admin has said how long it lasts', async () => {
  const { service } = purchases;
  const pass = { kind: 'NON_RENEWING', productId: `pass-${randomUUID()}`, purchasedAt: daysAgo(400) } as const;
  const { device } = await bought(aPurchase({ transactionId: randomUUID(), ...pass }));
  expect(await shown(device)).toMatchObject([{ expiresAt: null, active: true }]);
  const application = await service.database.prisma.application.findFirstOrThrow({ include: { project: true } });
  const admin = await newUser(service, application.project.organizationId, 'admin');
  const edit = async (durationDays: number | null) => {
    const input = { applicationId: application.id, productId: pass.productId, durationDays };
    const query =
      'mutation E($input: ProductEditInput!) { productEdit(input: $input) { productId kind durationDays } }';
    return (await admin.ask(query, { input })).data!['productEdit'];
  };
  expect(await edit(30)).toEqual({ productId: pass.productId, kind: 'NON_RENEWING', durationDays: 30 });
  const expiresAt = new Date(pass.purchasedAt.getTime() + 30 * day);
  expect(await shown(device)).toMatchObject([{ expiresAt, active: false }]);
  await edit(401);
  expect(await shown(device)).toMatchObject([{ active: true }]);
  await edit(null);
  expect(await shown(device)).toMatchObject([{ expiresAt: null, active: true }]);
});

test('five of a consumable, and another five', async () => {
  const five = { kind: 'CONSUMABLE', productId: 'coins', quantity: 5 } as const;
  const [one, other] = [randomUUID(), randomUUID()];
  const { device } = await bought(aPurchase({ transactionId: one, ...five }));
  purchases.store.sell(aPurchase({ transactionId: other, ...five }));
  await upload(purchases.service, [other], { device });
  await settled(purchases.service, other, ['RESOLVED']);
  expect((await shown(device)).map(({ quantity, kind }) => [quantity, kind])).toEqual([
    [5, 'CONSUMABLE'],
    [5, 'CONSUMABLE'],
  ]);
});

test('grace has a date of its own, and the paid end stays where it is', async () => {
  const { service, store } = purchases;
  const line = randomUUID();
  const grace = { inBillingRetry: true, graceExpiresAt: daysAgo(-5) };
  const paid = month([line, line], 31, grace);
  const { device } = await bought(paid);
  const expiresAt = paid.expiresAt!;
  expect(await shown(device)).toMatchObject([{ active: true, expiresAt, ...grace }]);
  store.sell({ ...paid, graceExpiresAt: daysAgo(0.5) });
  await restore(service, line, { device });
  expect(await shown(device)).toMatchObject([{ active: false, expiresAt, inBillingRetry: true }]);
  store.sell(month([line, `${line}-2`], 0.1));
  await restore(service, line, { device });
  expect(await shown(device)).toMatchObject([{ active: true, inBillingRetry: false, graceExpiresAt: null }]);
  const kept = await service.database.prisma.storeRenewalChange.findMany({
    where: { lineId: line },
    orderBy: { signedAt: 'asc' },
  });
  expect(kept.map(({ inBillingRetry, graceExpiresAt }) => [inBillingRetry, graceExpiresAt])).toEqual([
    [true, grace.graceExpiresAt],
    [true, expect.any(Date)],
    [false, null],
  ]);
});

test('what a family shares says so', async () => {
  const { device } = await bought(aPurchase({ transactionId: randomUUID(), familyShared: true }));
  expect(await shown(device)).toMatchObject([{ ownership: 'FAMILY_SHARED' }]);
});
