// A worker process is killed during a call to the store: the next worker does its job, once, and finds the renewal.
import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually.ts';
import { aPurchase, startTestStore } from '../support/fakeStore.ts';
import { encryptionKey, setCredentials, upload, type PurchaseTest } from '../support/purchases.ts';
import { clearAway, runBuilt, until, type RunningProcess } from '../support/serviceProcess.ts';
import { startTestService } from '../support/testService.ts';
import { testFault } from './support/scenario.ts';

let purchases: Omit<PurchaseTest, 'stop'>;
beforeAll(async () => {
  const [service, store] = await Promise.all([startTestService(), startTestStore()]);
  purchases = { service, store };
  await setCredentials(service, store.account);
});
afterAll(async () => {
  await clearAway();
  await purchases.store.stop();
  await purchases.service.stop();
});

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
      store.respondWith(id, { production: [{ hang: true }, { purchase: aPurchase({ transactionId: id }) }] });
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
    const entitlements = await prisma.storeEntitlement.count({ where: { kind: 'NON_CONSUMABLE' } });
    add({
      acknowledged: times,
      lost: Math.max(0, times - entitlements),
      doubled: Math.max(0, entitlements - times),
    });
    expect(await worker.end('SIGTERM')).toEqual({ code: 0, signal: null });
  },
});

testFault({
  name: 'worker killed with -9 while it looks up a subscription whose period has ended: the renewal, found within a minute',
  times: { short: 1, long: 5 },
  async run({ times, injected, add }) {
    const { service, store } = purchases;
    const { prisma } = service.database;
    let worker = await startWorkerProcess(purchases);
    let found = 0;
    for (let kill = 1; kill <= times; kill++) {
      const line = randomUUID();
      const period = { originalTransactionId: line, kind: 'AUTO_RENEWABLE' } as const;
      const [ended, ends] = [new Date(Date.now() - 5_000), new Date(Date.now() + 86_400_000)];
      const [first, renewal] = [
        { transactionId: line, expiresAt: ended },
        { purchasedAt: ended, expiresAt: ends },
      ];
      store.sell(aPurchase({ ...period, ...first }));
      expect((await upload(service, [line])).status).toBe(200);
      const lineOf = () => prisma.storeEntitlement.findFirst({ where: { lineId: line } });
      await eventually(lineOf, (row) => row !== null);
      const next = aPurchase({ ...period, ...renewal, transactionId: `${line}-2` });
      store.sell(next);
      store.respondWith(line, { subscription: [{ hang: true }, { purchase: next }] });
      await prisma.storeEntitlement.updateMany({ where: { lineId: line }, data: { nextLookUpAt: new Date() } });
      const hung = () => store.calls.some((call) => call.id === line && call.status === 'hung');
      await until(() => (hung() ? true : undefined), worker);
      const killedAt = Date.now();
      await worker.end('SIGKILL');
      injected();
      worker = await startWorkerProcess(purchases);
      while ((await lineOf())?.expiresAt?.getTime() !== ends.getTime() && Date.now() - killedAt < 60_000) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      if ((await lineOf())?.expiresAt?.getTime() === ends.getTime()) found += 1;
    }
    add({ acknowledged: times, lost: times - found });
    expect(await worker.end('SIGTERM')).toEqual({ code: 0, signal: null });
  },
});
