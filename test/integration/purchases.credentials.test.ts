// Purchases: without credentials, with refused ones or with unreadable ones, transactions wait; they continue once credentials are set.
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createEncryption } from '../../src/platform/encryption.ts';
import { findStoreCredentials } from '../../src/purchases/storeCredentialsStore.ts';
import { aPurchase, newAccount } from '../support/fakeStore.ts';
import {
  encryptionKey,
  setCredentials,
  settled,
  startPurchaseTest,
  upload,
  type PurchaseTest,
} from '../support/purchases.ts';

let purchases: PurchaseTest;
beforeEach(async () => {
  purchases = await startPurchaseTest();
});
afterEach(() => purchases.stop());

function purchasedIds(count: number): string[] {
  const ids = Array.from({ length: count }, () => randomUUID());
  for (const id of ids) purchases.store.answer(id, { production: [{ purchase: aPurchase({ transactionId: id }) }] });
  return ids;
}

async function setUntilResolved(ids: string[]): Promise<void> {
  await setCredentials(purchases.service, purchases.store.account);
  for (const id of ids) await settled(purchases.service, id, ['RESOLVED']);
}

test('without credentials a transaction waits, without a call, until they are set', async () => {
  await setCredentials(purchases.service, null);
  const ids = purchasedIds(3);
  await upload(purchases.service, ids);
  for (const id of ids) await settled(purchases.service, id, ['PENDING', 'no_credentials']);
  expect(purchases.store.calls).toEqual([]);
  await setUntilResolved(ids);
});

test.each(['another key', 'another key id', 'another issuer'])(
  'refused, for %s, it waits for new ones',
  async (wrong) => {
    const { account } = purchases.store;
    const other = newAccount();
    await setCredentials(purchases.service, {
      ...account,
      ...(wrong === 'another key' && { privateKey: other.privateKey }),
      ...(wrong === 'another key id' && { keyId: 'OTHER' }),
      ...(wrong === 'another issuer' && { issuerId: other.issuerId }),
    });
    const ids = purchasedIds(1);
    await upload(purchases.service, ids);
    await settled(purchases.service, ids[0]!, ['PENDING', 'credentials_refused']);
    const statuses = purchases.store.calls.map(({ environment, status }) => `${environment} ${status}`);
    expect(statuses).toEqual(['production 401', 'sandbox 401']);
    await setUntilResolved(ids);
  },
);

test('for a deleted application the store is not asked', async () => {
  const { service, store } = purchases;
  await setCredentials(service, null);
  const ids = purchasedIds(1);
  await upload(service, ids);
  await settled(service, ids[0]!, ['PENDING', 'no_credentials']);
  await service.database.prisma.application.updateMany({ data: { deletedAt: new Date() } });
  await setCredentials(service, store.account);
  const encryption = createEncryption(encryptionKey);
  const found = await findStoreCredentials(service.database.pool, encryption, service.application.id);
  expect(found).toEqual({ version: null, access: null });
  expect(store.calls).toEqual([]);
});

test('the bundle id of the credentials counts, and without one that of the application', async () => {
  const { service, store } = purchases;
  const other = newAccount('com.example.clip');
  store.allow(other);
  await setCredentials(service, other);
  const [clip, app] = purchasedIds(2);
  await upload(service, [clip!]);
  await settled(service, clip!, ['RESOLVED']);
  await setCredentials(service, { ...store.account, bundleId: null });
  await upload(service, [app!]);
  await settled(service, app!, ['RESOLVED']);
});

test('encrypted with another key they cannot be read, and it waits', async () => {
  await setCredentials(purchases.service, purchases.store.account);
  const { prisma } = purchases.service.database;
  await prisma.storeCredentials.updateMany({ data: { privateKeyEncrypted: Uint8Array.from(Buffer.alloc(60, 1)) } });
  const ids = purchasedIds(1);
  await upload(purchases.service, ids);
  await settled(purchases.service, ids[0]!, ['PENDING', 'credentials_unreadable']);
  await setUntilResolved(ids);
});

test('without root certificates nothing is asked and it waits', async () => {
  const bare = await startPurchaseTest({ rootFiles: [] });
  const id = randomUUID();
  await upload(bare.service, [id]);
  await settled(bare.service, id, ['PENDING', 'no_root_certificates']);
  expect(bare.store.calls).toEqual([]);
  await bare.stop();
});

test('the private key is stored encrypted, and neither it nor a token nor an answer is ever logged', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const logged = await startPurchaseTest({ foundation: { log } });
  const { service, store } = logged;
  const ids = ['RESOLVED', 'FAILED', 'NOT_FOUND', 'PENDING'].map((state) => [state, randomUUID()] as const);
  for (const [state, id] of ids) {
    const purchase = aPurchase({ transactionId: id, ...(state === 'FAILED' && { bundleId: 'com.other' }) });
    if (state === 'PENDING') store.answer(id, { production: [{ status: 401 }], sandbox: [{ status: 401 }] });
    else if (state !== 'NOT_FOUND') store.answer(id, { production: [{ purchase }] });
  }
  await upload(service, [...ids.map(([, id]) => id), '..']);
  for (const [state, id] of ids) await settled(service, id, [state, reasons[state]]);
  const stored = await service.database.prisma.storeCredentials.findFirstOrThrow();
  const secret = store.account.privateKey.split('\n')[1]!;
  expect(Buffer.from(stored.privateKeyEncrypted).includes(Buffer.from(secret))).toBe(false);
  await logged.stop();
  const text = lines.join('');
  expect(text).toContain(ids[0]![1]);
  for (const forbidden of [secret, 'PRIVATE KEY', 'Bearer', 'eyJ']) expect(text).not.toContain(forbidden);
});

const reasons: Record<string, string> = { FAILED: 'wrong_bundle', PENDING: 'credentials_refused' };
