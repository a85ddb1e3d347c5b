// A worker process is killed during a call to the store: the next worker does its job, once.
import { randomUUID } from 'node:crypto';
import { aPurchase, startTestStore } from '../support/fakeStore.ts';
import { encryptionKey, setCredentials, upload, type PurchaseTest } from '../support/purchases.ts';
import { clearAway, runBuilt, until, type RunningProcess } from '../support/serviceProcess.ts';
import { startTestService } from '../support/testService.ts';
import { testFault } from './support/scenario.ts';

const timeout = 150_000;
let purchases: Omit<PurchaseTest, 'stop'>;
beforeAll(async () => {
  const [service, store] = await Promise.all([startTestService(), startTestStore()]);
  purchases = { service, store };
  await setCredentials(service, store.account);
}, timeout);
afterAll(async () => {
  await clearAway();
  await purchases.store.stop();
  await purchases.service.stop();
}, timeout);

async function startWorkerProcess({ service, store }: typeof purchases): Promise<RunningProcess> {
  const running = runBuilt('src/main.js', {
    ROLE: 'worker',
    OPS_PORT: '0',
    DATABASE_URL: service.database.url,
    ENCRYPTION_KEY: encryptionKey.toString('base64'),
    STORE_API_URL: store.url,
    STORE_ROOT_CERTIFICATES: store.rootFile,
  });
  await until(() => (running.stdout().includes('"msg":"listening"') ? true : undefined), running);
  return running;
}

testFault({
  name: 'worker killed with -9 in the middle of a job: purchases, resolved within a minute',
  times: { short: 1, long: 5 },
  async run({ times, injected, add }) {
    const { service, store } = purchases;
    const { prisma } = service.database;
    let worker = await startWorkerProcess(purchases);
    for (let kill = 1; kill <= times; kill++) {
      const id = randomUUID();
      store.answer(id, { production: [{ hang: true }, { purchase: aPurchase({ transactionId: id }) }] });
      expect((await upload(service, [id])).status).toBe(200);
      await until(() => (store.calls.some((call) => call.id === id) ? true : undefined), worker);
      const killedAt = Date.now();
      await worker.end('SIGKILL');
      injected();
      worker = await startWorkerProcess(purchases);
      const where = { id, applicationId: service.application.id };
      let state: string | undefined;
      while (state !== 'RESOLVED' && Date.now() - killedAt < 60_000) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        state = (await prisma.storeTransaction.findFirst({ where }))?.state;
      }
      expect(state).toBe('RESOLVED');
    }
    const entitlements = await prisma.storeEntitlement.count();
    add({
      acknowledged: times,
      lost: Math.max(0, times - entitlements),
      doubled: Math.max(0, entitlements - times),
    });
    expect(await worker.end('SIGTERM')).toEqual({ code: 0, signal: null });
  },
});
