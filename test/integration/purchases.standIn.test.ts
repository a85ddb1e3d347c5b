// Purchases: outside production, a service calls a demo's stand-in while that runs, and no store before and after it.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { announce } from '../tools/demo/fakeStore/announcement.ts';
import { mintChain } from '../tools/demo/fakeStore/certificates.ts';
import { startTestStore, aPurchase, type TestStore } from '../support/fakeStore.ts';
import { setCredentials, settled, startTestWorker, upload } from '../support/purchases.ts';
import { startTestService, type TestService } from '../support/testService.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-stand-in-'));
const file = path.join(folder, 'data', 'demo-store.json');
let service: TestService;
let store: TestStore;
let stopWorker: () => Promise<void>;
beforeAll(async () => {
  [service, store] = await Promise.all([startTestService(), startTestStore()]);
  await setCredentials(service, store.account);
  stopWorker = await startTestWorker({ service, store }, { rootFiles: [], demoStoreFile: file });
});
afterAll(async () => {
  await stopWorker();
  await store.stop();
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function reportNew(): Promise<string> {
  const transactionId = randomUUID();
  store.answer(transactionId, { production: [{ purchase: aPurchase({ transactionId }) }] });
  await upload(service, [transactionId]);
  return transactionId;
}

test('without an announcement a transaction waits, with one it resolves, and afterwards the next one waits', async () => {
  await settled(service, await reportNew(), ['PENDING', 'no_root_certificates']);
  const withdraw = await announce(file, store);
  await settled(service, await reportNew(), ['RESOLVED']);
  withdraw();
  await settled(service, await reportNew(), ['PENDING', 'no_root_certificates']);
  expect(store.calls.map(({ status }) => status)).toEqual([200]);
});

test('what another root has signed does not verify', async () => {
  const withdraw = await announce(file, { url: store.url, chain: await mintChain() });
  await settled(service, await reportNew(), ['FAILED', 'not_verified']);
  withdraw();
});

test('of two demos the second is refused, unless the first is gone without a word', async () => {
  const withdraw = await announce(file, store);
  await expect(announce(file, store)).rejects.toThrow('Another demo');
  const left = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...left, pid: 2 ** 22 + 1 }));
  (await announce(file, store))();
  withdraw();
});
