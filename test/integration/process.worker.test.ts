// ROLE=worker as processes of their own: the job of one that is killed while it asks the store is done by the next.
import { randomUUID } from 'node:crypto';
import { aPurchase, startTestStore } from '../support/fakeStore.ts';
import { encryptionKey, setCredentials, upload, type PurchaseTest } from '../support/purchases.ts';
import { clearAway, runBuilt, until, type RunningProcess } from '../support/serviceProcess.ts';
import { startTestService } from '../support/testService.ts';

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
  const running = runBuilt('main.js', {
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

test(
  'a job whose worker is killed with -9 while the store is asked is resolved within a minute',
  async () => {
    const { service, store } = purchases;
    const id = randomUUID();
    store.answer(id, { production: [{ hang: true }, { purchase: aPurchase({ transactionId: id }) }] });
    const first = await startWorkerProcess(purchases);
    expect((await upload(service, [id])).status).toBe(200);
    await until(() => (store.calls.some((call) => call.id === id) ? true : undefined), first);
    const killedAt = Date.now();
    await first.end('SIGKILL');
    const second = await startWorkerProcess(purchases);
    const where = { id, applicationId: service.application.id };
    let state: string | undefined;
    while (state !== 'RESOLVED' && Date.now() - killedAt < 60_000) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      state = (await service.database.prisma.storeTransaction.findFirst({ where }))?.state;
    }
    expect(state).toBe('RESOLVED');
    expect(await service.database.prisma.storeEntitlement.count()).toBe(1);
    expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null });
  },
  timeout,
);
