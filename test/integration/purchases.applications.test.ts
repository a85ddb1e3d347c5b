// Purchases: one transaction id in two applications is two transactions, each with an outcome and an entitlement of its own.
import { randomUUID } from 'node:crypto';
import { aPurchase } from '../support/fakeStore.ts';
import {
  entitlementsOf,
  setCredentials,
  settled,
  startPurchaseTest,
  transactionsOf,
  upload,
  type PurchaseTest,
} from '../support/purchases.ts';
import type { TestService } from '../support/testService.ts';

let purchases: PurchaseTest;
let own: TestService;
let other: TestService;
beforeAll(async () => {
  purchases = await startPurchaseTest();
  own = purchases.service;
});
beforeEach(async () => {
  other = { ...own, application: await own.newApplication() };
});
afterAll(() => purchases.stop());

test('devices of two applications see what became of an id in their own', async () => {
  const [transactionId, device] = [randomUUID(), randomUUID()];
  await setCredentials(other, purchases.store.account);
  const products = ['com.example.test.gold', 'com.example.test.silver'];
  const production = products.map((productId) => ({ purchase: aPurchase({ transactionId, productId }) }));
  purchases.store.answer(transactionId, { production });
  for (const [index, service] of [own, other].entries()) {
    await upload(service, [transactionId], { device });
    await settled(service, transactionId, ['RESOLVED']);
    const shown = await entitlementsOf(service, device);
    expect(shown.map(({ productId }) => productId)).toEqual([products[index]]);
  }
  for (const service of [own, other]) {
    expect(await transactionsOf(service, device)).toHaveLength(1);
    expect(await entitlementsOf(service, device)).toHaveLength(1);
  }
});

test('an id that waits in one application is looked up in another', async () => {
  const transactionId = randomUUID();
  purchases.store.answer(transactionId, { production: [{ purchase: aPurchase({ transactionId }) }] });
  await upload(other, [transactionId]);
  await settled(other, transactionId, ['PENDING', 'no_credentials']);
  await upload(own, [transactionId]);
  await settled(own, transactionId, ['RESOLVED']);
});
