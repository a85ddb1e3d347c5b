// Purchases: the entitlement of a subscription shows the latest period, whatever the order of the store's responses.
import { randomUUID } from 'node:crypto';
import type { FakeAnswers } from '../tools/demo/fakeStore/fakeStore.ts';
import { signedRenewal, signedTransaction, type FakePurchase } from '../tools/demo/fakeStore/signedData.ts';
import { listen } from '../../src/platform/httpServer/httpServer.ts';
import { createStoreServerClient } from '../../src/purchases/storeServerClient.ts';
import { aPurchase, newAccount } from '../support/fakeStore.ts';
import { entitlementsOf, settled, startPurchaseTest, upload, type PurchaseTest } from '../support/purchases.ts';

let purchases: PurchaseTest;
beforeAll(async () => {
  purchases = await startPurchaseTest();
});
afterAll(() => purchases.stop());

const periods = ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'].map((day) => new Date(`${day}T00:00:00Z`));

/** The period with that number in the line `line`; the first one has the line's own id. */
function period(line: string, number: number, fields: Partial<FakePurchase> = {}): FakePurchase {
  return aPurchase({
    transactionId: number === 0 ? line : `${line}-${number}`,
    originalTransactionId: line,
    kind: 'AUTO_RENEWABLE',
    purchasedAt: periods[number]!,
    expiresAt: periods[number + 1]!,
    ...fields,
  });
}

/** Uploads ids one after the other, each looked up before the next; returns the device's entitlements. */
async function lookUp(ids: string[], now = new Date('2026-03-15T00:00:00Z'), device: string = randomUUID()) {
  for (const id of ids) {
    await upload(purchases.service, [id], { device });
    await settled(purchases.service, id, ['RESOLVED']);
  }
  return entitlementsOf(purchases.service, device, now);
}

function tell(line: string, number: number, subscription: FakeAnswers['subscription']): string {
  const purchase = period(line, number);
  const { store } = purchases;
  // The service asks for the status by the line's id, whichever of its transactions was looked up.
  store.answer(line, { production: [{ purchase: period(line, 0) }], ...(subscription && { subscription }) });
  if (number > 0) store.answer(purchase.transactionId, { production: [{ purchase }] });
  return purchase.transactionId;
}

test('an old id shows the latest period, renewal and grace', async () => {
  const line = randomUUID();
  const graceExpiresAt = new Date('2026-04-10T00:00:00Z');
  tell(line, 0, [{ purchase: period(line, 2, { autoRenew: false, graceExpiresAt }) }]);
  const within = await lookUp([line], new Date('2026-04-09T00:00:00Z'));
  expect(within).toEqual([
    {
      productId: 'com.example.test.gold',
      kind: 'AUTO_RENEWABLE',
      environment: 'PRODUCTION',
      purchasedAt: periods[2],
      expiresAt: periods[3],
      revokedAt: null,
      autoRenew: false,
      active: true,
      ...{ id: line, storeTransactionIds: [line, `${line}-2`], graceExpiresAt, inBillingRetry: false },
      ...{ owner: null, ownership: 'PURCHASED', quantity: 1, price: null, currency: null },
    },
  ]);
  expect(await lookUp([line], graceExpiresAt)).toMatchObject([{ active: false }]);
});

test('of the lines that the same customer has, the one that was asked for counts', async () => {
  const line = randomUUID();
  const otherLines = [period(randomUUID(), 3, { productId: 'com.example.test.silver' })];
  tell(line, 0, [{ purchase: period(line, 2), otherLines }]);
  expect(await lookUp([line])).toMatchObject([{ productId: 'com.example.test.gold', purchasedAt: periods[2] }]);
});

test('several transactions of one line are one entitlement, on every device that uploaded any', async () => {
  const line = randomUUID();
  const ids = [tell(line, 1, [{ purchase: period(line, 2) }]), line];
  expect(await lookUp(ids)).toMatchObject([{ purchasedAt: periods[2], autoRenew: true, active: true }]);
  expect(await lookUp(ids.slice(0, 1))).toHaveLength(1);
});

test.each([
  ['older first', [1, 2]],
  ['older last', [2, 1]],
])('two periods, %s: the later one holds', async (_, order) => {
  const line = randomUUID();
  const ids = order.map((number) => tell(line, number, undefined));
  expect(await lookUp(ids)).toMatchObject([{ purchasedAt: periods[2], autoRenew: null }]);
});

test.each([
  ['in order', 0],
  ['the other way round', 1],
])('two answers about one period, %s: the one signed later holds', async (_, first) => {
  const line = randomUUID();
  const answers = [
    { purchase: period(line, 2, { signedAt: new Date('2026-03-02T00:00:00Z'), autoRenew: true }) },
    {
      purchase: period(line, 2, {
        signedAt: new Date('2026-03-20T00:00:00Z'),
        autoRenew: false,
        revokedAt: periods[2]!,
      }),
    },
  ];
  const id = tell(line, 1, [answers[first]!, answers[1 - first]!]);
  expect(await lookUp([line, id])).toMatchObject([{ autoRenew: false, revokedAt: periods[2], active: false }]);
});

test.each<[string, (line: string) => FakeAnswers['subscription'], [string, string]]>([
  ['another bundle', (line) => [{ purchase: period(line, 2, { bundleId: 'com.other' }) }], ['FAILED', 'wrong_bundle']],
  [
    'another line',
    (line) => [{ purchase: period(line, 2, { payload: { originalTransactionId: 'another' } }) }],
    ['FAILED', 'wrong_transaction'],
  ],
  ['another 4xx', () => [{ status: 400, code: 4_000_008 }], ['FAILED', 'store_refused_4000008']],
])('a status of %s fails the transaction', async (_, subscription, wanted) => {
  const line = randomUUID();
  tell(line, 0, subscription(line));
  await upload(purchases.service, [line]);
  await settled(purchases.service, line, wanted);
});

test('a status whose renewal is of another line does not verify', async () => {
  const line = randomUUID();
  const { chain } = purchases.store;
  const signing = { chain, environment: 'production', bundleId: newAccount().bundleId } as const;
  const signedTransactionInfo = signedTransaction(period(line, 2), signing);
  const signedRenewalInfo = signedRenewal(period('another', 2), signing);
  const lastTransactions = [{ originalTransactionId: line, signedTransactionInfo, signedRenewalInfo }];
  const body = JSON.stringify({ data: [{ lastTransactions }] });
  const store = await listen((_, response) => response.end(body), { port: 0, host: '127.0.0.1' });
  const rootCertificates = [Buffer.from(chain.x5c[2], 'base64')];
  const server = { rootCertificates, apiUrl: store.url, timeLimitMillis: 5_000, now: () => new Date() };
  const client = createStoreServerClient(server, newAccount(), new AbortController().signal);
  const answer = await client.subscription('PRODUCTION', line).finally(() => store.drain(0));
  expect(answer).toEqual({ failure: { kind: 'unverified', reason: 'wrong_transaction' } });
});

test('a status that comes at the second attempt, and one that the store does not know', async () => {
  const line = randomUUID();
  tell(line, 0, [{ status: 500 }, { purchase: period(line, 2) }]);
  expect(await lookUp([line])).toMatchObject([{ purchasedAt: periods[2] }]);
});

test('asked for by the id of its line, the store may answer with a renewal', async () => {
  const line = randomUUID();
  purchases.store.answer(line, { production: [{ purchase: period(line, 2) }] });
  expect(await lookUp([line])).toMatchObject([{ purchasedAt: periods[2], active: true }]);
});
