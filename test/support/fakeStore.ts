// Starts the fake store for tests: with an account, and with its root certificate in a file for STORE_ROOT_CERTIFICATES.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newAccount as newFakeAccount } from '../tools/demo/fakeStore/account.ts';
import {
  startFakeStore,
  type FakeAccount,
  type FakeStore,
  type FakeStoreOptions,
} from '../tools/demo/fakeStore/fakeStore.ts';
import type { FakePurchase } from '../tools/demo/fakeStore/signedData.ts';

export interface TestStore extends FakeStore {
  account: FakeAccount;
  rootFile: string;
}

export function newAccount(bundleId = 'com.example.test'): FakeAccount {
  return newFakeAccount(bundleId);
}

export async function startTestStore(options: FakeStoreOptions = {}): Promise<TestStore> {
  const store = await startFakeStore(options);
  const account = newAccount();
  store.allow(account);
  const folder = await mkdtemp(path.join(tmpdir(), 'campaign-analytics-store-'));
  const rootFile = path.join(folder, 'root.pem');
  await writeFile(rootFile, store.chain.rootPem);
  const stop = async (): Promise<void> => {
    await store.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...store, account, rootFile, stop };
}

export function aPurchase(fields: Partial<FakePurchase> & { transactionId: string }): FakePurchase {
  return {
    kind: 'NON_CONSUMABLE',
    productId: 'com.example.test.gold',
    purchasedAt: new Date('2026-09-10T00:00:00Z'),
    ...fields,
  };
}
