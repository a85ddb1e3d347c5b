// query products: what the store has told of, and what an admin has named.
import { randomUUID } from 'node:crypto';
import { aPurchase } from '../support/fakeStore.ts';
import { settled, startPurchaseTest, upload, type PurchaseTest } from '../support/purchases.ts';
import { newOrganization, newUser, organizationOf } from '../support/testUsers.ts';

let purchases: PurchaseTest;
beforeAll(async () => {
  purchases = await startPurchaseTest();
});
afterAll(() => purchases.stop());

const query = 'query P($id: UUID!) { products(applicationId: $id) { productId kind durationDays } }';

test('lists the products in the order of their ids, with the kind that the store gives', async () => {
  const { service, store } = purchases;
  const { id } = service.application;
  const admin = await newUser(service, await organizationOf(service, id), 'admin');
  expect((await admin.ask(query, { id })).data!['products']).toEqual([]);
  for (const [productId, kind] of [['season', 'NON_RENEWING'] as const, ['coins', 'CONSUMABLE'] as const]) {
    const transactionId = randomUUID();
    store.sell(aPurchase({ transactionId, productId, kind }));
    await upload(service, [transactionId]);
    await settled(service, transactionId, ['RESOLVED']);
  }
  const input = { applicationId: id, productId: 'pass', durationDays: 30 };
  await admin.ask('mutation E($input: ProductEditInput!) { productEdit(input: $input) { productId } }', { input });
  const viewer = await newUser(service, admin.organizationId, 'viewer');
  expect((await viewer.ask(query, { id })).data!['products']).toEqual([
    { productId: 'coins', kind: 'CONSUMABLE', durationDays: null },
    { productId: 'pass', kind: null, durationDays: 30 },
    { productId: 'season', kind: 'NON_RENEWING', durationDays: null },
  ]);
});

test('of another organization there is none', async () => {
  const stranger = await newUser(purchases.service, await newOrganization(purchases.service));
  const { errors } = await stranger.ask(query, { id: purchases.service.application.id });
  expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
});
