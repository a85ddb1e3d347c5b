// A look-up that is repeated: a final state stays, the service's own failures are retried, and waiting costs no attempt.
import type { Pool, PoolClient } from 'pg';
import { createEncryption } from '../../src/platform/encryption.ts';
import { defaultBackoff } from '../../src/purchases/retryTimes.ts';
import type { StoreFailure } from '../../src/purchases/storeClient.ts';
import type { OpenStore } from '../../src/purchases/storeOpener.ts';
import { enterLines, saveLookUp, type TransactionState } from '../../src/purchases/storeTransactionsStore.ts';
import { createStoreServerClient } from '../../src/purchases/storeServerClient.ts';
import { captureLog } from '../support/capturedLog.ts';
import { eventually } from '../support/eventually.ts';
import { newAccount } from '../support/fakeStore.ts';
import { setCredentials, upload } from '../support/purchases.ts';
import {
  nextLookUp,
  runResolveJob,
  signedPurchase,
  stateOf,
  storeThatAnswers,
  type JobRun,
} from '../support/resolveJob.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { unusedPort } from '../support/unusedPort.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await setCredentials(service, newAccount());
});
afterAll(() => service.stop());

const unasked: OpenStore = () => Promise.reject(new Error('nobody asks'));
const willing = storeThatAnswers(async (_, id) => ({ value: signedPurchase(id) }));

type Outcome = [TransactionState, (string | null)?];

describe('an outcome', () => {
  const save = async (transactionId: string, [state, reason = null]: Outcome) => {
    const { application, database } = service;
    const key = { applicationId: application.id, transactionId };
    const rest = { error: reason, lookedUpAt: new Date(), lineId: null, notKnownSince: null, again: null };
    await saveLookUp(database.pool, key, { state, reason, ...rest });
    return stateOf(service, transactionId);
  };

  test.each<Outcome>([['NOT_FOUND'], ['FAILED', 'wrong_bundle']])(
    'that is final stays until a look-up succeeds, and success stays for good: %s',
    async (...final) => {
      const id = `final-${final[0]}`;
      await upload(service, [id]);
      await save(id, ['PENDING', 'store_busy']);
      const kept = [final[0], final[1] ?? null];
      expect(await save(id, final)).toEqual(kept);
      for (const later of [['FAILED', 'retries_exhausted'], ['PENDING', 'store_busy'], ['NOT_FOUND']] as const) {
        expect(await save(id, [...later])).toEqual(kept);
      }
      expect(await save(id, ['RESOLVED'])).toEqual(['RESOLVED', null]);
      expect(await save(id, final)).toEqual(['RESOLVED', null]);
    },
  );

  test('that was a failure of our own gives way to the one of a later run', async () => {
    await upload(service, ['ours']);
    expect(await save('ours', ['FAILED', 'internal_error'])).toEqual(['FAILED', 'internal_error']);
    expect(await save('ours', ['NOT_FOUND'])).toEqual(['NOT_FOUND', null]);
    expect(await save('ours', ['FAILED', 'internal_error'])).toEqual(['NOT_FOUND', null]);
  });
});

test('a look-up after one that was given up resolves the transaction', async () => {
  await upload(service, ['given-up']);
  const broken = () => Promise.reject(new Error('a defect'));
  await runResolveJob(service, 'given-up', { openStore: broken, failures: 24 });
  expect(await stateOf(service, 'given-up')).toEqual(['FAILED', 'internal_error']);
  await runResolveJob(service, 'given-up', { openStore: willing });
  expect(await stateOf(service, 'given-up')).toEqual(['RESOLVED', null]);
});

test.each<[string, StoreFailure, string]>([
  ['404', { kind: 'status', status: 404, code: 4_040_010, retryAt: null }, 'not_known_yet'],
  ['401', { kind: 'status', status: 401, code: null, retryAt: null }, 'credentials_refused'],
  ['another 4xx', { kind: 'status', status: 400, code: 4_000_006, retryAt: null }, 'store_refused_4000006'],
  ['500', { kind: 'status', status: 500, code: null, retryAt: null }, 'store_unavailable'],
  ['what does not verify', { kind: 'unverified', reason: 'wrong_bundle' }, 'wrong_bundle'],
])('a transaction that is resolved stays so whatever its next look-up brings: %s', async (name, failure, error) => {
  const id = `resolved-${name}`;
  await upload(service, [id]);
  await runResolveJob(service, id, { openStore: willing });
  const before = await service.database.prisma.storeTransaction.findFirstOrThrow({ where: { id } });
  const now = new Date(Date.now() + 90_000);
  await runResolveJob(service, id, {
    openStore: storeThatAnswers(async () => ({ failure })),
    deps: { now: () => now },
  });
  const after = await service.database.prisma.storeTransaction.findFirstOrThrow({ where: { id } });
  const asked = { lookUpAt: after.lookUpAt, lookUpAttempt: after.lookUpAttempt, lookUpRound: after.lookUpRound };
  expect(after).toEqual({ ...before, ...asked, lastLookedUpAt: now, lastLookUpError: error });
});

test.each<[string, JobRun]>([
  ['no_root_certificates', { openStore: async () => null }],
  ['credentials_unreadable', { openStore: unasked, deps: { encryption: createEncryption(Buffer.alloc(32)) } }],
])('what waits for the operator comes again by itself and costs no attempt: %s', async (reason, run) => {
  const now = new Date();
  const outcomes: string[] = [];
  const deps = { ...run.deps, now: () => now, lookedUp: (outcome: string) => void outcomes.push(outcome) };
  for (const attempt of [0, 3]) {
    const id = `${reason}-${attempt}`;
    await upload(service, [id]);
    await runResolveJob(service, id, { ...run, attempt, deps });
    expect(await stateOf(service, id)).toEqual(['PENDING', reason]);
    expect(await nextLookUp(service, id)).toEqual({ attempt, at: new Date(now.getTime() + 10 * 60_000) });
    await runResolveJob(service, id, { openStore: willing, attempt });
    expect(await stateOf(service, id)).toEqual(['RESOLVED', null]);
  }
  expect(outcomes).toEqual(['pending', 'pending']);
});

test('an answer that has to be waited for costs one', async () => {
  await upload(service, ['busy']);
  const failure = { kind: 'status', status: 429, code: null, retryAt: null } as const;
  await runResolveJob(service, 'busy', {
    openStore: storeThatAnswers(async () => ({ failure })),
    attempt: 2,
  });
  expect(await stateOf(service, 'busy')).toEqual(['PENDING', 'store_busy']);
  expect(await nextLookUp(service, 'busy')).toMatchObject({ attempt: 3 });
});

test('credentials that are set while the store is asked have it asked again at once, whatever it answered', async () => {
  await upload(service, ['changed']);
  const failure = { kind: 'status', status: 429, code: null, retryAt: null } as const;
  const openStore = storeThatAnswers(async () => {
    await setCredentials(service, newAccount());
    return { failure };
  });
  await runResolveJob(service, 'changed', { openStore, attempt: 2, deps: { backoff: defaultBackoff } });
  const next = await nextLookUp(service, 'changed');
  expect([next!.attempt, next!.at.getTime() <= Date.now()]).toEqual([0, true]);
});

/** A pool whose transactions fail at COMMIT. */
function poolWithoutCommit(pool: Pool): Pool {
  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect();
    const query = (question: string, values?: unknown[]) =>
      question === 'COMMIT' ? Promise.reject(new Error('not stored')) : client.query(question, values);
    return Object.create(client, { query: { value: query } }) as PoolClient;
  };
  return { connect, query: pool.query.bind(pool) } as unknown as Pool;
}

test('where the outcome cannot be stored, the look-up is repeated, and no attempt is counted', async () => {
  await upload(service, ['unstored']);
  const { pool } = service.database;
  const run = { openStore: async () => null, deps: { pool: poolWithoutCommit(pool) } };
  await runResolveJob(service, 'unstored', run);
  expect(await stateOf(service, 'unstored')).toEqual(['PENDING', null]);
  const next = await nextLookUp(service, 'unstored');
  expect([next!.attempt, next!.at.getTime() < Date.now() + 60_000]).toEqual([0, true]);
});

test('a shutdown ends the wait for the next call, and the store is not asked', async () => {
  await upload(service, ['interrupted']);
  const stopping = new AbortController();
  const asked: string[] = [];
  const elsewhere = storeThatAnswers(async (environment) => {
    asked.push(environment);
    stopping.abort();
    return { failure: { kind: 'status', status: 404, code: 4_040_010, retryAt: null } };
  });
  const run = { openStore: elsewhere, deps: { callsPerSecond: 0.5 }, signal: stopping.signal };
  await expect(runResolveJob(service, 'interrupted', run)).rejects.toThrow('abort');
  expect(asked).toEqual(['PRODUCTION']);
  expect(await stateOf(service, 'interrupted')).toEqual(['PENDING', null]);
});

test('a call that a shutdown cuts off says nothing about the store', async () => {
  const other = { ...service, application: await service.newApplication() };
  await setCredentials(other, newAccount());
  await upload(other, ['cut-off']);
  const stopping = new AbortController();
  const openStore = storeThatAnswers(async () => {
    stopping.abort();
    return { failure: { kind: 'unreachable', detail: 'AbortError' } };
  });
  const run = runResolveJob(other, 'cut-off', { openStore, signal: stopping.signal });
  await expect(run).rejects.toThrow('abort');
  expect(await stateOf(other, 'cut-off')).toEqual(['PENDING', null]);
});

test('a store that is not reached is logged with the cause', async () => {
  const other = { ...service, application: await service.newApplication() };
  await setCredentials(other, newAccount());
  await upload(other, ['unreached']);
  const { log, text, stop } = captureLog();
  const apiUrl = `http://127.0.0.1:${await unusedPort()}`;
  const server = { rootCertificates: [], apiUrl, timeLimitMillis: 5_000, now: () => new Date() };
  const openStore: OpenStore = async (access, signal) => createStoreServerClient(server, access, signal);
  await runResolveJob(other, 'unreached', { openStore, deps: { log } }).finally(stop);
  expect(await stateOf(other, 'unreached')).toEqual(['PENDING', 'store_unavailable']);
  expect(text()).toMatch(/"level":"warn".*"transactionId":"unreached","cause":"ECONNREFUSED"/);
});

test('a store that asks to come back in a second, time after time, is not asked before our own delay', async () => {
  const other = { ...service, application: await service.newApplication() };
  await setCredentials(other, newAccount());
  await upload(other, ['in-a-second']);
  const now = new Date();
  const failure = { kind: 'status', status: 503, code: null, retryAt: new Date(now.getTime() + 1_000) } as const;
  await runResolveJob(other, 'in-a-second', {
    openStore: storeThatAnswers(async () => ({ failure })),
    attempt: 20,
    deps: { backoff: defaultBackoff, now: () => now },
  });
  const next = await nextLookUp(other, 'in-a-second');
  expect(next!.at.getTime() - now.getTime()).toBeGreaterThan(4 * 3_600_000);
});

test('of one transaction there is one look-up at a time; a request meanwhile has another one after it', async () => {
  const other = { ...service, application: await service.newApplication() };
  await setCredentials(other, newAccount());
  await upload(other, ['one-at-a-time']);
  let answer = (): void => undefined;
  let calls = 0;
  const openStore = storeThatAnswers(async (_, id) => {
    calls += 1;
    await new Promise<void>((resolve) => (answer = resolve));
    return { value: signedPurchase(id) };
  });
  const first = runResolveJob(other, 'one-at-a-time', { openStore });
  await eventually(
    async () => calls,
    (count) => count === 1,
  );
  const key = { applicationId: other.application.id, transactionId: 'one-at-a-time' };
  await enterLines(other.database.pool, [key]);
  expect(await runResolveJob(other, 'one-at-a-time', { openStore: unasked })).toBeNull();
  answer();
  await first;
  expect([calls, await stateOf(other, 'one-at-a-time')]).toEqual([1, ['RESOLVED', null]]);
  expect((await nextLookUp(other, 'one-at-a-time'))!.at.getTime()).toBeLessThanOrEqual(Date.now());
  await runResolveJob(other, 'one-at-a-time', { openStore: willing });
  expect(await stateOf(other, 'one-at-a-time')).toEqual(['RESOLVED', null]);
});
