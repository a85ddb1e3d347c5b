// A look-up by itself: a transaction's fate when the service's own work fails, or credentials change meanwhile.
import type { Pool, PoolClient } from 'pg';
import type { OpenStore } from '../../src/purchases/storeOpener.ts';
import { newAccount } from '../support/fakeStore.ts';
import { setCredentials, upload } from '../support/purchases.ts';
import { nextLookUp, runResolveJob, signedPurchase, stateOf, storeThatAnswers } from '../support/resolveJob.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('a failure of our own leaves it waiting until the last attempt, which says so', async () => {
  await upload(service, ['failing']);
  await setCredentials(service, newAccount());
  const broken: OpenStore = () => Promise.reject(new Error('a defect'));
  for (const failures of [0, 23]) {
    await runResolveJob(service, 'failing', { openStore: broken, failures });
    expect(await stateOf(service, 'failing')).toEqual(['PENDING', null]);
    expect((await nextLookUp(service, 'failing'))!.at.getTime()).toBeGreaterThan(Date.now());
  }
  await runResolveJob(service, 'failing', { openStore: broken, failures: 24 });
  expect(await nextLookUp(service, 'failing')).toBeNull();
  expect(await stateOf(service, 'failing')).toEqual(['FAILED', 'internal_error']);
});

test.each([
  ['are set', true],
  ['are not', false],
])('refused, it is asked again at once only where other credentials %s while the store is asked', async (_, change) => {
  const id = `refused-${change}`;
  await upload(service, [id]);
  await setCredentials(service, newAccount());
  await service.database.pool.query('DELETE FROM graphile_worker._private_jobs');
  const refusing = storeThatAnswers(async () => {
    if (change) await setCredentials(service, newAccount());
    return { failure: { kind: 'status', status: 401, code: null, retryAt: null } };
  });
  // An hour ahead of the database, which says when "at once" is: no pause of the machine is as long.
  const now = new Date(Date.now() + 3_600_000);
  await runResolveJob(service, id, { openStore: refusing, deps: { now: () => now } });
  expect(await stateOf(service, id)).toEqual(['PENDING', 'credentials_refused']);
  const next = await nextLookUp(service, id);
  expect(next!.at.getTime() > now.getTime() + 3_000).toBe(!change);
});

test('a failure of one holds up no other one of its line', async () => {
  await setCredentials(service, newAccount());
  await upload(service, ['poison']);
  await upload(service, ['sound']);
  const openStore = storeThatAnswers(async (_, id) => {
    if (id === 'poison') throw new Error('a defect');
    return { value: signedPurchase(id) };
  });
  expect(await runResolveJob(service, 'poison', { openStore })).toBe('done');
  await runResolveJob(service, 'sound', { openStore });
  expect(await stateOf(service, 'sound')).toEqual(['RESOLVED', null]);
});

/** A pool of which the first COMMIT ends in a deadlock. */
function poolWithOneConflict(pool: Pool): Pool {
  let conflicts = 1;
  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect();
    const query = (question: string, values?: unknown[]) =>
      question === 'COMMIT' && conflicts-- > 0
        ? Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' }))
        : client.query(question, values);
    return Object.create(client, { query: { value: query } }) as PoolClient;
  };
  return { connect, query: pool.query.bind(pool) } as unknown as Pool;
}

test('a conflict with another transaction is retried without another call to the store', async () => {
  await upload(service, ['conflict']);
  await setCredentials(service, newAccount());
  let calls = 0;
  const openStore = storeThatAnswers(async (_, id) => {
    calls += 1;
    return { value: signedPurchase(id) };
  });
  await runResolveJob(service, 'conflict', { openStore, deps: { pool: poolWithOneConflict(service.database.pool) } });
  expect([await stateOf(service, 'conflict'), calls]).toEqual([['RESOLVED', null], 1]);
});
