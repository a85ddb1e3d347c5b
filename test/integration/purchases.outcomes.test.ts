// Purchases: the exact final state after each kind of response of the store.
import { randomUUID } from 'node:crypto';
import { mintChain } from '../tools/demo/fakeStore/certificates.ts';
import { notFound, type FakeAnswer, type FakeAnswers } from '../tools/demo/fakeStore/fakeStore.ts';
import type { FakePurchase } from '../tools/demo/fakeStore/signedData.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { entitlementsOf, settled, startPurchaseTest, upload, type PurchaseTest } from '../support/purchases.ts';

let purchases: PurchaseTest;
beforeAll(async () => {
  purchases = await startPurchaseTest();
});
afterAll(() => purchases.stop());

/** Uploads an id for which the store has these responses; returns its row once it has the wanted state. */
async function outcome(answers: (id: string) => FakeAnswers, wanted: [string, (string | null)?]) {
  const { service, store } = purchases;
  const [id, device] = [randomUUID(), randomUUID()];
  store.answer(id, answers(id));
  expect((await upload(service, [id], { device })).status).toBe(200);
  const row = await settled(service, id, wanted);
  const calls = store.calls
    .filter((call) => call.id === id)
    .map(({ environment, status }) => `${environment} ${status}`);
  return { row, calls, entitlements: await entitlementsOf(service, device) };
}

const bought =
  (fields: Partial<FakePurchase> = {}) =>
  (id: string): FakeAnswers => ({
    production: [{ purchase: aPurchase({ transactionId: id, ...fields }) }],
  });
const ok = (id: string): FakeAnswer => ({ purchase: aPurchase({ transactionId: id }) });
const error = (status: number, code?: number): FakeAnswer => ({ status, ...(code !== undefined && { code }) });

describe('RESOLVED', () => {
  test.each(['CONSUMABLE', 'NON_CONSUMABLE', 'NON_RENEWING'] as const)('a %s', async (kind) => {
    const { row, calls, entitlements } = await outcome(bought({ kind }), ['RESOLVED']);
    expect(row).toMatchObject({ lineId: row!.id, resolvedAt: expect.any(Date) as Date });
    expect(calls).toEqual(['production 200']);
    expect(entitlements).toEqual([
      {
        productId: 'com.example.test.gold',
        kind,
        environment: 'PRODUCTION',
        purchasedAt: new Date('2026-09-10T00:00:00Z'),
        expiresAt: null,
        revokedAt: null,
        autoRenew: null,
        active: true,
        ...{ id: row!.id, storeTransactionIds: [row!.id] },
        ...{ graceExpiresAt: null, inBillingRetry: false, owner: null, ownership: 'PURCHASED', quantity: 1 },
        ...{ price: null, currency: null },
      },
    ]);
  });

  test('a revoked one, which is not active', async () => {
    const revokedAt = new Date('2026-09-11T00:00:00Z');
    const { entitlements } = await outcome(bought({ revokedAt }), ['RESOLVED']);
    expect(entitlements).toMatchObject([{ revokedAt, active: false }]);
  });

  test.each([-1, 253_402_300_800_000, 1e17])('one whose end, %p, is no date: it has none', async (expiresDate) => {
    const { entitlements } = await outcome(bought({ payload: { expiresDate } }), ['RESOLVED']);
    expect(entitlements).toMatchObject([{ expiresAt: null, active: true }]);
  });

  test('a sandbox purchase, asked second', async () => {
    const { calls, entitlements } = await outcome(
      (id) => ({ production: [notFound], sandbox: [ok(id)] }),
      ['RESOLVED'],
    );
    expect(calls).toEqual(['production 404', 'sandbox 200']);
    expect(entitlements).toMatchObject([{ environment: 'SANDBOX', active: true }]);
  });

  test('a sandbox purchase of an application that production refuses, because it was never released', async () => {
    const { entitlements } = await outcome((id) => ({ production: [error(401)], sandbox: [ok(id)] }), ['RESOLVED']);
    expect(entitlements).toMatchObject([{ environment: 'SANDBOX' }]);
  });

  test.each<[string, FakeAnswer]>([
    ['500', error(500)],
    ['500 with 5000001', error(500, 5_000_001)],
    ['503', error(503)],
    ['404 with 4040002', error(404, 4_040_002)],
    ['404 with 4040004', error(404, 4_040_004)],
    ['404 with 4040006', error(404, 4_040_006)],
    ['a 404 that is not the store’s', { status: 404, text: '<html>' }],
    ['429 without Retry-After', error(429, 4_290_000)],
    ['no answer in time', { hang: true }],
    ['an answer that is no JSON', { status: 200, text: '<html>' }],
    ['an answer without a transaction', { status: 200, text: '{}' }],
  ])('after %s, at the second attempt', async (_, first) => {
    const { calls } = await outcome((id) => ({ production: [first, ok(id)] }), ['RESOLVED']);
    expect(calls).toHaveLength(2);
  });
});

describe('NOT_FOUND', () => {
  test.each([4_040_010, 4_040_005, 4_040_001])('404 with %d in both environments', async (code) => {
    const answers = { production: [error(404, code)], sandbox: [error(404, code)] };
    const { row, calls, entitlements } = await outcome(() => answers, ['NOT_FOUND']);
    expect(row?.resolvedAt).toBeInstanceOf(Date);
    expect([calls, entitlements]).toEqual([['production 404', 'sandbox 404'], []]);
  });
});

describe('FAILED', () => {
  test.each<[string, (id: string) => FakeAnswers, string]>([
    ['another 4xx', () => ({ production: [error(400, 4_000_006)] }), 'store_refused_4000006'],
    ['another 4xx without a code', () => ({ production: [error(403)] }), 'store_refused_403'],
    ['another bundle', bought({ bundleId: 'com.example.other' }), 'wrong_bundle'],
    ['another environment', bought({ environment: 'Sandbox' }), 'wrong_environment'],
    ['a local environment', bought({ environment: 'Xcode' }), 'wrong_environment'],
    ['a test environment', bought({ environment: 'LocalTesting' }), 'wrong_environment'],
    ['another transaction', bought({ transactionId: 'another' }), 'wrong_transaction'],
    ['an unknown kind', bought({ payload: { type: 'Lottery ticket' } }), 'unknown_kind'],
    ['no product', bought({ payload: { productId: undefined } }), 'incomplete_transaction'],
    ['an error at every attempt', () => ({ production: [error(500)] }), 'retries_exhausted'],
  ])('%s', async (_, answers, reason) => {
    const { row, entitlements } = await outcome(answers, ['FAILED', reason]);
    expect(row?.resolvedAt).toBeInstanceOf(Date);
    expect(entitlements).toEqual([]);
  });

  test.each<[string, () => ReturnType<typeof mintChain>, string]>([
    ['a chain of another root', () => mintChain(), 'not_verified'],
    ['a chain without the store’s markers', withoutMarkers, 'not_verified'],
    ['an expired certificate', expired, 'invalid_certificate'],
    ['a chain cut short', cutShort, 'invalid_certificate'],
    ['a leaf of another chain', foreignLeaf, 'not_verified'],
    ['a signature by another key', foreignKey, 'not_verified'],
  ])('%s', async (_, mint, reason) => {
    const chain = await mint();
    const answers = (id: string) => ({ production: [{ purchase: aPurchase({ transactionId: id }), chain }] });
    const { entitlements } = await outcome(answers, ['FAILED', reason]);
    expect(entitlements).toEqual([]);
  });

  const own = () => purchases.store.chain;
  async function withoutMarkers() {
    return mintChain({ withoutMarkers: true, signedBy: own() });
  }
  async function expired() {
    return mintChain({ leafExpires: new Date(Date.now() - 86_400_000), signedBy: own() });
  }
  async function cutShort() {
    return { ...own(), x5c: own().x5c.slice(0, 2) as never };
  }
  async function foreignLeaf() {
    const foreign = await mintChain();
    return { ...foreign, x5c: [foreign.x5c[0], own().x5c[1], own().x5c[2]] as (typeof foreign)['x5c'] };
  }
  async function foreignKey() {
    return { ...own(), leafKey: (await mintChain()).leafKey };
  }

  test.each(['.', '..'])('%p as an id, which no address can hold, without a call', async (id) => {
    const { service, store } = purchases;
    await upload(service, [id]);
    await settled(service, id, ['FAILED', 'invalid_id']);
    expect(store.calls.filter((call) => call.id === id)).toEqual([]);
  });
});

test('an id is asked for verbatim, whatever it is made of', async () => {
  const { service, store } = purchases;
  const id = `../a b?c=d&e#f%2F🎁 ${randomUUID()}`;
  store.answer(id, bought()(id));
  await upload(service, [id]);
  await settled(service, id, ['RESOLVED']);
});
