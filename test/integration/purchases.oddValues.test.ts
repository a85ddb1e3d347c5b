// Purchases: values and orders of events that no document of the store promises, and what the service makes of them.
import { randomBytes, randomUUID } from 'node:crypto';
import { findLinesOf } from '../../src/purchases/holdersStore.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { entitlementsOf, transactionsOf, upload } from '../support/purchases.ts';
import { known, startNotificationTest, tell, type NotificationTest } from '../support/storeNotifications.ts';
import type { FakePurchase } from '../tools/demo/fakeStore/signedData.ts';

let test_: NotificationTest;
beforeAll(async () => {
  test_ = await startNotificationTest();
});
afterAll(() => test_.stop());

const shown = (device: string) => entitlementsOf(test_.service, device);

test.each<[string, Partial<FakePurchase>]>([
  ['a product of text that PostgreSQL does not store', { payload: { productId: 'a\0b' } }],
  ['half of a surrogate pair in an id', { payload: { transactionId: 'a\ud800b' } }],
  ['a kind that every object has', { payload: { type: 'constructor' } }],
  // Longer than an entry of an index: the statement failed, and the response was 500 each time.
  ['an id of 64 kB', { payload: { transactionId: randomBytes(32_768).toString('hex') } }],
  ['a line of 64 kB', { payload: { originalTransactionId: randomBytes(32_768).toString('hex') } }],
  ['a product of 64 kB', { payload: { productId: 'p'.repeat(65_536) } }],
])(
  'a notification with %s is kept and changes nothing, so that the store does not repeat it for days',
  async (_, odd) => {
    const [id, device] = [randomUUID(), randomUUID()];
    await upload(test_.service, [id], { device });
    const purchase = aPurchase({ transactionId: id, ...odd });
    expect(await tell(test_, { type: 'ONE_TIME_CHARGE', purchase })).toMatchObject({ status: 200 });
    expect(await transactionsOf(test_.service, device)).toMatchObject([{ id, state: 'PENDING' }]);
  },
);

test('a subtype that PostgreSQL does not store is kept as none, and such a type is refused', async () => {
  const uuid = randomUUID();
  expect(await tell(test_, { type: 'TEST', subtype: 'a\0b', uuid })).toMatchObject({ status: 200 });
  expect((await known(test_)).find(({ id }) => id === uuid)).toMatchObject({ type: 'TEST', subtype: null });
  expect(await tell(test_, { type: 'a\0b' })).toMatchObject({ status: 422 });
});

describe('two periods of one second, by an upgrade', () => {
  const [purchasedAt, expiresAt] = [new Date(Date.now() - 86_400_000), new Date(Date.now() + 86_400_000)];
  const at = (minute: number) => new Date(purchasedAt.getTime() + minute * 60_000);

  async function upgraded(later: Partial<FakePurchase>) {
    const [line, device] = [randomUUID(), randomUUID()];
    const period = (id: number, productId: string, fields: Partial<FakePurchase>) => ({
      type: 'DID_CHANGE_RENEWAL_PREF',
      purchase: aPurchase({
        ...{ transactionId: `${line}-${id}`, originalTransactionId: line, kind: 'AUTO_RENEWABLE' },
        ...{ productId, purchasedAt, expiresAt, ...fields },
      }),
    });
    await upload(test_.service, [`${line}-9`], { device });
    await tell(test_, period(9, 'silver', { signedAt: at(1) }));
    await tell(test_, period(10, 'gold', { signedAt: at(2) }));
    await tell(test_, period(9, 'silver', { signedAt: at(3), ...later }));
    return shown(device);
  }

  test('the refund of the first leaves the second', async () => {
    expect(await upgraded({ revokedAt: at(3) })).toMatchObject([{ productId: 'gold', active: true, revokedAt: null }]);
  });

  test('a later word about the first does not bring it back', async () => {
    expect(await upgraded({})).toMatchObject([{ productId: 'gold', active: true }]);
  });
});

test('a device that the owner has used is known by any external id, whatever its letters', async () => {
  const [first, second, id, other] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const externalId = 'ÄNNA-İ';
  await upload(test_.service, [id], { device: first, externalId });
  await tell(test_, { type: 'ONE_TIME_CHARGE', purchase: aPurchase({ transactionId: id }) });
  await upload(test_.service, [other], { device: second, externalId });
  await upload(test_.service, [id], { device: second });
  expect(await shown(second)).toMatchObject([{ id, owner: { externalId } }]);
});

test('lines are locked in one order, whatever the locale of the database', async () => {
  const rows = [{ lineId: 'a' }, { lineId: 'B' }, { lineId: 'c' }];
  const transaction = { query: () => Promise.resolve({ rows }) } as unknown as Parameters<typeof findLinesOf>[0];
  expect(await findLinesOf(transaction, { applicationId: '', transactionIds: [] })).toEqual(['B', 'a', 'c']);
});
