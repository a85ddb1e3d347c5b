// The job resolveStoreTransaction by itself: what becomes of a transaction when our own work fails, or credentials change meanwhile.
import { createPasswordTokens } from '../../src/accounts/passwordTokens.ts';
import { defaultMailBackoff } from '../../src/accounts/sendPasswordMail.ts';
import { createTasks } from '../../src/jobs/tasks.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { createLog } from '../../src/platform/log.ts';
import type { OpenStore } from '../../src/purchases/storeOpener.ts';
import { newAccount } from '../support/fakeStore.ts';
import { encryptionKey, quickBackoff, setCredentials, upload } from '../support/purchases.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** Runs the job for one transaction with that store, as the queue does at that attempt. */
async function resolve(transactionId: string, openStore: OpenStore, attempts = 1): Promise<void> {
  const { database, application } = service;
  const tasks = createTasks({
    pool: database.pool,
    log: createLog('silent'),
    encryption: createEncryption(encryptionKey),
    openStore,
    lookedUp: () => undefined,
    callsPerSecond: 1_000,
    backoff: quickBackoff,
    passwordTokens: createPasswordTokens(Buffer.alloc(32, 2)),
    sendMail: () => Promise.reject(new Error('no mail is sent here')),
    dashboardUrl: 'https://dashboard.example.com',
    mailBackoff: defaultMailBackoff,
    now: () => new Date(),
  });
  const helpers = { abortSignal: new AbortController().signal, job: { attempts, max_attempts: 25 } };
  await tasks.resolveStoreTransaction({ applicationId: application.id, transactionId }, helpers as never);
}

async function stateOf(transactionId: string) {
  const row = await service.database.prisma.storeTransaction.findFirstOrThrow({ where: { id: transactionId } });
  return [row.state, row.reason];
}

async function waitingJobs(transactionId: string): Promise<number> {
  const { rowCount } = await service.database.pool.query(
    "SELECT FROM graphile_worker._private_jobs WHERE payload ->> 'transactionId' = $1",
    [transactionId],
  );
  return rowCount!;
}

test('a failure of our own leaves it waiting until the last attempt, which says so', async () => {
  await upload(service, ['failing']);
  await setCredentials(service, newAccount());
  const broken: OpenStore = () => Promise.reject(new Error('a defect'));
  for (const attempt of [1, 24]) {
    await expect(resolve('failing', broken, attempt)).rejects.toThrow('a defect');
    expect(await stateOf('failing')).toEqual(['PENDING', null]);
  }
  await expect(resolve('failing', broken, 25)).rejects.toThrow('a defect');
  expect(await stateOf('failing')).toEqual(['FAILED', 'internal_error']);
});

test.each([
  ['are set', true],
  ['are not', false],
])('refused, it is asked again only where other credentials %s while the store is asked', async (_, change) => {
  const id = `refused-${change}`;
  await upload(service, [id]);
  await setCredentials(service, newAccount());
  await service.database.pool.query('DELETE FROM graphile_worker._private_jobs');
  const refusing: OpenStore = async () => ({
    transaction: async () => {
      if (change) await setCredentials(service, newAccount());
      return { failure: { kind: 'status', status: 401, code: null, retryAt: null } };
    },
    subscription: () => Promise.reject(new Error('nobody asks')),
  });
  await resolve(id, refusing);
  expect(await stateOf(id)).toEqual(['PENDING', 'credentials_refused']);
  expect(await waitingJobs(id)).toBe(change ? 1 : 0);
});
