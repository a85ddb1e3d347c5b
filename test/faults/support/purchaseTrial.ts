// The API, a worker and PostgreSQL as processes of their own, which can be killed, with a store and a receiver that stay.
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase, type Database } from '../../../src/platform/database/database.ts';
import { createEncryption } from '../../../src/platform/encryption.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { startTestStore, type TestStore } from '../../support/fakeStore.ts';
import { setCredentials } from '../../support/purchases.ts';
import { newDataDir, type RunningProcess, type RunningService } from '../../support/serviceProcess.ts';
import type { TestApplication } from '../../support/testWorkspace.ts';
import { startReceiver, storeWebhook, type Receiver } from '../../support/webhooks.ts';
import { startFaultPostgres, type FaultPostgres } from './faultPostgres.ts';
import { faultKey, newFaultApplication, startFaultService, startFaultWorker } from './faultService.ts';

export const victims = ['worker', 'API', 'PostgreSQL'] as const;
export type Victim = (typeof victims)[number];

export interface PurchaseTrial {
  application: TestApplication;
  database: Database;
  store: TestStore;
  receiver: Receiver;
  /** The API's address, which changes with each start. */
  url(): string;
  /** Kills it with SIGKILL, and starts it again. */
  kill(victim: Victim): Promise<void>;
  stop(): Promise<void>;
}

export async function startPurchaseTrial(): Promise<PurchaseTrial> {
  const [postgres, store, receiver] = await Promise.all([
    startFaultPostgres(newDataDir()),
    startTestStore(),
    startReceiver(),
  ]);
  const env = { STORE_ROOT_CERTIFICATES: store.rootFile, STORE_API_URL: store.url, STORE_CALLS_PER_SECOND: '100' };
  const startApi = () => startFaultService(postgres.url, { ...env, ROLE: 'api' });
  const startWorker = () => startFaultWorker(postgres.url, env);
  const api = await startApi();
  const { application } = await newFaultApplication(postgres.url);
  const log = createLog('silent');
  const database = openDatabase({ url: postgres.url, poolSize: 2, statementTimeoutMillis: 10_000, log });
  const encryption = createEncryption(faultKey);
  await setCredentials({ database, application }, store.account, encryption);
  await database.prisma.application.update({ where: { id: application.id }, data: { entitlementPolicy: 'TRANSFER' } });
  // Its first event is not one of an entitlement, so no worker may run yet.
  const { secret } = await storeWebhook({ database } as never, application.id, { url: receiver.url, encryption });
  await database.prisma.webhookDelivery.deleteMany();
  receiver.secret = secret;
  const running: Processes = { api, worker: await startWorker(), startApi, startWorker, postgres };
  return {
    ...{ application, database, store, receiver, url: () => running.api.url },
    kill: (victim) => kill(victim, running),
    async stop() {
      await running.worker.end('SIGTERM');
      await running.api.end('SIGTERM');
      await database.close();
      await postgres.close();
      await receiver[Symbol.asyncDispose]();
      await store.stop();
    },
  };
}

interface Processes {
  api: RunningService;
  worker: RunningProcess;
  startApi: () => Promise<RunningService>;
  startWorker: () => Promise<RunningProcess>;
  postgres: FaultPostgres;
}

async function kill(victim: Victim, running: Processes): Promise<void> {
  if (victim === 'PostgreSQL') {
    await running.postgres.kill();
    await pause(500);
    return running.postgres.start();
  }
  const isApi = victim === 'API';
  await (isApi ? running.api : running.worker).end('SIGKILL');
  if (isApi) running.api = await running.startApi();
  else running.worker = await running.startWorker();
}

/** The queue waits longer after each failure of a job: 2.5 minutes after the fifth. */
const patienceMillis = 300_000;

/** As phones and the store do: again and again until it succeeds. */
export async function persist<Result>(attempt: () => Promise<Result | null>, what: string): Promise<Result> {
  for (const end = Date.now() + patienceMillis; Date.now() < end; await pause(200)) {
    const result = await attempt().catch(() => null);
    if (result !== null) return result;
  }
  throw new Error(`${what} did not succeed within ${patienceMillis / 1_000} s`);
}
