// Shared by the tests of purchases: a service, a fake store and a worker between them.
import { randomUUID } from 'node:crypto';
import { composeTasks, type TaskFoundation } from '../../src/compose/composeTasks.ts';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { startWorker, type WorkerOptions } from '../../src/jobs/worker.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { entitlementsOfDevice, storeTransactionsOfDevice } from '../../src/purchases/entitlementsStore.ts';
import { saveStoreCredentials, type StoreCredentials } from '../../src/purchases/storeCredentials.ts';
import type { ContractResponse } from './contractClient.ts';
import { eventually } from './eventually.ts';
import { startTestStore, type TestStore } from './fakeStore.ts';
import { quickTiming } from './jobTiming.ts';
import { mailConfig } from './mail.ts';
import type { TestDatabase } from './testDatabase.ts';
import { startTestService, type TestService } from './testService.ts';
import { aDevice, aReport, json, signedHeaders } from './uploads.ts';

export const encryptionKey = Buffer.alloc(32, 1);
export const quickBackoff = { firstMillis: 20, longestMillis: 40, attempts: 4 };

export interface PurchaseTest {
  service: TestService;
  store: TestStore;
  stop(): Promise<void>;
}

export interface WorkerSettings {
  callsPerSecond?: number;
  foundation?: Partial<TaskFoundation>;
  rootFiles?: string[];
  demoStoreFile?: string;
}

/** Starts all three, with store credentials set. */
export async function startPurchaseTest(settings: WorkerSettings = {}): Promise<PurchaseTest> {
  const [service, store] = await Promise.all([startTestService(), startTestStore()]);
  await setCredentials(service, store.account);
  const stopWorker = await startTestWorker({ service, store }, settings);
  const stop = async (): Promise<void> => {
    await stopWorker();
    await store.stop();
    await service.stop();
  };
  return { service, store, stop };
}

export async function startTestWorker(
  { service: { database }, store }: Pick<PurchaseTest, 'service' | 'store'>,
  { callsPerSecond = 2_000, foundation = {}, rootFiles = [store.rootFile], demoStoreFile }: WorkerSettings = {},
  timing: WorkerOptions['timing'] = quickTiming,
): Promise<() => Promise<void>> {
  const log = foundation.log ?? createLog('silent');
  const tasks = await composeTasks({
    config: {
      ...mailConfig,
      encryptionKeys: [encryptionKey],
      storeRootCertificates: rootFiles,
      storeApiUrl: store.url,
      demoStoreFile,
      storeCallsPerSecond: callsPerSecond,
    },
    database,
    log,
    backoff: quickBackoff,
    storeTimeLimitMillis: 15_000,
    notKnownMillis: 0,
    ...foundation,
  });
  return startWorker({ pool: database.pool, log, tasks, timing });
}

export async function setCredentials(
  { database: { adminPool }, application }: { database: Pick<TestDatabase, 'adminPool'>; application: { id: string } },
  credentials: StoreCredentials | null,
  encryption = createEncryption(encryptionKey),
): Promise<void> {
  const change = { applicationId: application.id, credentials };
  await inTransaction(adminPool, (client) => saveStoreCredentials(client, encryption, change));
}

export interface Upload {
  device?: string;
  externalId?: string;
}

export function upload(
  { client, application }: TestService,
  ids: string[],
  { device = randomUUID(), externalId }: Upload = {},
): Promise<ContractResponse> {
  const body = {
    device: { id: device, ...(externalId !== undefined && { external_id: externalId }) },
    transactions: ids.map((id) => ({ id })),
  };
  return client.send('reportStoreTransactions', { 'X-Api-Key': application.key.public }, body);
}

/**
 * Expects that no call of an application since `begun` came before its turn, as long as some waited all the time. Calls may
 * be late: after a pause of a busy machine several come at once.
 */
export function expectPaced({ calls }: Pick<TestStore, 'calls'>, begun: number, callsPerSecond: number): void {
  const times = calls.map(({ at }) => at).sort((one, two) => one - two);
  const early = times.filter((at, index) => at < begun + (index * 1_000) / callsPerSecond);
  expect(early).toEqual([]);
}

/** Signed uploads of sessions prove the devices: their purchases are looked up first. */
export async function prove({ client, application }: TestService, ...devices: string[]): Promise<void> {
  for (const device of devices) {
    const report = json(aReport({ device: aDevice(device) }));
    const { status } = await client.send('reportSessions', signedHeaders(application.key, report), report);
    if (status !== 200) throw new Error(`the signed upload was refused: ${status}`);
  }
}

export function transactionsOf({ database, application }: TestService, device: string) {
  return storeTransactionsOfDevice(database.pool, { deviceKey: deviceKey(application.id, device), limit: 10_000 });
}

export function entitlementsOf({ database, application }: TestService, device: string, now = new Date()) {
  return entitlementsOfDevice(database.pool, { deviceKey: deviceKey(application.id, device), limit: 10_000, now });
}

/** Waits until the row of a transaction has this state and reason, and returns it. */
export async function settled(service: TestService, id: string, [state, reason = null]: [string, (string | null)?]) {
  const { prisma } = service.database;
  const where = { id, applicationId: service.application.id };
  return eventually(
    () => prisma.storeTransaction.findFirst({ where }),
    (row) => row?.state === state && row.reason === reason,
  );
}
