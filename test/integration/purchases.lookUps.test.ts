// Purchases: a look-up in the store, its result, and what becomes of it when something fails.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pool, PoolClient } from 'pg';
import { createEncryption } from '../../src/platform/encryption.ts';
import type { JobPayloads } from '../../src/platform/jobQueue/jobQueue.ts';
import { findLinesOf } from '../../src/purchases/decideHolders.ts';
import { retryPendingTransactions } from '../../src/purchases/queueDueLookUps.ts';
import { defaultBackoff, type StoreFailure } from '../../src/purchases/storeClient.ts';
import { createStoreServerClient, type OpenStore } from '../../src/purchases/storeOpener.ts';
import { enterLines, saveLookUp, type TransactionState } from '../../src/purchases/storeTransactionsStore.ts';
import { mintChain } from '../tools/demo/fakeStore/certificates.ts';
import { type FakeResponse, type FakeResponses, notFound } from '../tools/demo/fakeStore/fakeStore.ts';
import type { FakePurchase } from '../tools/demo/fakeStore/signedData.ts';
import { captureLog } from '../support/capturedLog.ts';
import { eventually } from '../support/eventually.ts';
import { aPurchase, newAccount } from '../support/fakeStore.ts';
import {
  entitlementsOf,
  type PurchaseTest,
  setCredentials,
  settled,
  startPurchaseTest,
  transactionsOf,
  upload,
} from '../support/purchases.ts';
import {
  type JobRun,
  nextLookUp,
  runResolveJob,
  signedPurchase,
  stateOf,
  storeThatResponds,
} from '../support/resolveJob.ts';
import { known, type NotificationTest, startNotificationTest, tell } from '../support/storeNotifications.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { unusedPort } from '../support/unusedPort.ts';

// A look-up by itself: a transaction's fate when the service's own work fails, or credentials change meanwhile.
describe('resolveStoreTransaction', () => {
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
  ])(
    'refused, it is asked again at once only where other credentials %s while the store is asked',
    async (_, change) => {
      const id = `refused-${change}`;
      await upload(service, [id]);
      await setCredentials(service, newAccount());
      await service.database.pool.query('DELETE FROM graphile_worker._private_jobs');
      const refusing = storeThatResponds(async () => {
        if (change) await setCredentials(service, newAccount());
        return { failure: { kind: 'status', status: 401, code: null, retryAt: null } };
      });
      // An hour ahead of the database, which says when "at once" is: no pause of the machine is as long.
      const now = new Date(Date.now() + 3_600_000);
      await runResolveJob(service, id, { openStore: refusing, deps: { now: () => now } });
      expect(await stateOf(service, id)).toEqual(['PENDING', 'credentials_refused']);
      const next = await nextLookUp(service, id);
      expect(next!.at.getTime() > now.getTime() + 3_000).toBe(!change);
    },
  );

  test('a failure of one holds up no other one of its line', async () => {
    await setCredentials(service, newAccount());
    await upload(service, ['poison']);
    await upload(service, ['sound']);
    const openStore = storeThatResponds(async (_, id) => {
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
    const openStore = storeThatResponds(async (_, id) => {
      calls += 1;
      return { value: signedPurchase(id) };
    });
    await runResolveJob(service, 'conflict', { openStore, deps: { pool: poolWithOneConflict(service.database.pool) } });
    expect([await stateOf(service, 'conflict'), calls]).toEqual([['RESOLVED', null], 1]);
  });
});

// A look-up that is repeated: a final state stays, the service's own failures are retried, and waiting costs no attempt.
describe('resolveStoreTransaction: again', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    await setCredentials(service, newAccount());
  });
  afterAll(() => service.stop());

  const unasked: OpenStore = () => Promise.reject(new Error('nobody asks'));
  const willing = storeThatResponds(async (_, id) => ({ value: signedPurchase(id) }));

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
      openStore: storeThatResponds(async () => ({ failure })),
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

  test('a response that has to be waited for costs one', async () => {
    await upload(service, ['busy']);
    const failure = { kind: 'status', status: 429, code: null, retryAt: null } as const;
    await runResolveJob(service, 'busy', {
      openStore: storeThatResponds(async () => ({ failure })),
      attempt: 2,
    });
    expect(await stateOf(service, 'busy')).toEqual(['PENDING', 'store_busy']);
    expect(await nextLookUp(service, 'busy')).toMatchObject({ attempt: 3 });
  });

  test('credentials that are set while the store is asked have it asked again at once, whatever it responded', async () => {
    await upload(service, ['changed']);
    const failure = { kind: 'status', status: 429, code: null, retryAt: null } as const;
    const openStore = storeThatResponds(async () => {
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
    const elsewhere = storeThatResponds(async (environment) => {
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
    const openStore = storeThatResponds(async () => {
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
      openStore: storeThatResponds(async () => ({ failure })),
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
    let result = (): void => undefined;
    let calls = 0;
    const openStore = storeThatResponds(async (_, id) => {
      calls += 1;
      await new Promise<void>((resolve) => (result = resolve));
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
    result();
    await first;
    expect([calls, await stateOf(other, 'one-at-a-time')]).toEqual([1, ['RESOLVED', null]]);
    expect((await nextLookUp(other, 'one-at-a-time'))!.at.getTime()).toBeLessThanOrEqual(Date.now());
    await runResolveJob(other, 'one-at-a-time', { openStore: willing });
    expect(await stateOf(other, 'one-at-a-time')).toEqual(['RESOLVED', null]);
  });
});

// The job retryPendingTransactions: new store credentials reach every waiting transaction, whatever is under way.
describe('retryPendingTransactions', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  test('credentials that are set while a page for older ones is queued begin at the first transaction', async () => {
    const { application, database } = service;
    const { pool } = database;
    await pool.query(
      `INSERT INTO store_transactions (id, application_id, reason)
      SELECT 'p' || lpad(n::text, 5, '0'), $1, 'credentials_refused' FROM generate_series(1, 1500) n`,
      [application.id],
    );
    await setCredentials(service, newAccount());
    await pool.query(
      `UPDATE graphile_worker._private_jobs SET locked_by = 'a worker', locked_at = now(), attempts = 1`,
    );
    await setCredentials(service, newAccount());
    await retryPendingTransactions({ applicationId: application.id, after: '' }, { pool });
    const { rows } = await pool.query<{ after: string }>(`
    SELECT payload ->> 'after' AS after FROM graphile_worker._private_jobs j
    JOIN graphile_worker._private_tasks t ON t.id = j.task_id
    WHERE t.identifier = 'retryPendingTransactions' AND j.locked_at IS NULL ORDER BY 1`);
    expect(rows.map(({ after }) => after)).toEqual(['', 'p01000']);
  });

  test.each([
    ['that waits', 'credentials_refused', {}],
    ['that a pause has put off', 'store_busy', { putOff: true }],
  ])('page by page, every transaction %s gets a job of its own', async (_, reason, kind) => {
    const { id } = await service.newApplication();
    const { pool } = service.database;
    await pool.query(
      `INSERT INTO store_transactions (id, application_id, reason)
      SELECT 'p' || lpad(n::text, 5, '0'), $1, $2 FROM generate_series(1, 1001) n`,
      [id, reason],
    );
    const queued = async (task: string) => {
      const { rows } = await pool.query<{ payload: JobPayloads['retryPendingTransactions'] }>(
        `SELECT payload FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
        WHERE t.identifier = $1 AND payload ->> 'applicationId' = $2`,
        [task, id],
      );
      return rows.map(({ payload }) => payload);
    };
    await retryPendingTransactions({ applicationId: id, after: '', ...kind }, { pool });
    const pages = await queued('retryPendingTransactions');
    expect(pages).toEqual([{ applicationId: id, after: 'p01000', ...kind }]);
    await retryPendingTransactions(pages[0]!, { pool });
    const { rows } = await pool.query(
      'SELECT FROM store_transactions WHERE application_id = $1 AND look_up_at IS NOT NULL',
      [id],
    );
    expect(rows).toHaveLength(1_001);
    expect(await queued('retryPendingTransactions')).toEqual(pages);
  });

  test('all that waits for another look-up is queued, behind too, and the first look-ups only where a pause has ended', async () => {
    const { id } = await service.newApplication();
    const { pool } = service.database;
    await pool.query(
      `INSERT INTO store_transactions (id, application_id, reason, behind, state) VALUES
      ('a', $1, 'no_credentials', false, 'PENDING'), ('b', $1, 'credentials_refused', true, 'PENDING'),
      ('c', $1, NULL, false, 'PENDING'), ('d', $1, 'store_busy', true, 'PENDING'), ('e', $1, NULL, true, 'NOT_FOUND'),
      ('f', $1, 'not_known_yet', false, 'PENDING'), ('g', $1, 'no_root_certificates', false, 'PENDING'),
      ('h', $1, 'waiting_in_line', true, 'PENDING')`,
      [id],
    );
    await pool.query(
      `INSERT INTO store_transactions (id, application_id, state, last_look_up_error) VALUES
      ('i', $1, 'NOT_FOUND', 'not_known_yet'), ('j', $1, 'RESOLVED', 'credentials_refused'),
      ('k', $1, 'FAILED', 'not_verified'), ('l', $1, 'RESOLVED', NULL)`,
      [id],
    );
    const queued = async (putOff: boolean) => {
      await retryPendingTransactions({ applicationId: id, after: '', putOff }, { pool });
      const { rows } = await pool.query<{ asked: string }>(
        `SELECT concat(id, CASE WHEN behind THEN ' behind' ELSE ' in front' END) AS asked FROM store_transactions
        WHERE application_id = $1 AND look_up_at <= now() ORDER BY 1`,
        [id],
      );
      return rows.map(({ asked }) => asked);
    };
    const again = ['d behind', 'f in front', 'g in front', 'i in front', 'j in front'];
    expect(await queued(false)).toEqual(['a in front', 'b behind', ...again]);
    expect(await queued(true)).toEqual(['a in front', 'b behind', 'c in front', ...again]);
  });
});

// Purchases: the exact final state after each kind of response of the store.
describe('purchases: outcomes', () => {
  let purchases: PurchaseTest;
  beforeAll(async () => {
    purchases = await startPurchaseTest();
  });
  afterAll(() => purchases.stop());

  /** Uploads an id for which the store has these responses; returns its row once it has the wanted state. */
  async function outcome(responses: (id: string) => FakeResponses, wanted: [string, (string | null)?]) {
    const { service, store } = purchases;
    const [id, device] = [randomUUID(), randomUUID()];
    store.respondWith(id, responses(id));
    expect((await upload(service, [id], { device })).status).toBe(200);
    const row = await settled(service, id, wanted);
    const calls = store.calls
      .filter((call) => call.id === id)
      .map(({ environment, status }) => `${environment} ${status}`);
    return { row, calls, entitlements: await entitlementsOf(service, device) };
  }

  const bought =
    (fields: Partial<FakePurchase> = {}) =>
    (id: string): FakeResponses => ({
      production: [{ purchase: aPurchase({ transactionId: id, ...fields }) }],
    });
  const ok = (id: string): FakeResponse => ({ purchase: aPurchase({ transactionId: id }) });
  const error = (status: number, code?: number): FakeResponse => ({ status, ...(code !== undefined && { code }) });

  describe('RESOLVED', () => {
    test.each(['CONSUMABLE', 'NON_CONSUMABLE', 'NON_RENEWING'] as const)('a %s', async (kind) => {
      const { row, calls, entitlements } = await outcome(bought({ kind }), ['RESOLVED']);
      expect(row).toMatchObject({ lineId: row!.id, resolvedAt: expect.any(Date) as Date });
      expect(calls).toEqual(['production 200']);
      expect(entitlements).toEqual([
        {
          productId: 'com.example.test.gold',
          kind,
          environment: 'PRODUCTION',
          purchasedAt: new Date('2026-09-10T00:00:00Z'),
          expiresAt: null,
          revokedAt: null,
          autoRenew: null,
          active: true,
          ...{ id: row!.id, storeTransactionIds: [row!.id] },
          ...{ graceExpiresAt: null, inBillingRetry: false, owner: null, ownership: 'PURCHASED', quantity: 1 },
          ...{ price: null, currency: null },
        },
      ]);
    });

    test('a revoked one, which is not active', async () => {
      const revokedAt = new Date('2026-09-11T00:00:00Z');
      const { entitlements } = await outcome(bought({ revokedAt }), ['RESOLVED']);
      expect(entitlements).toMatchObject([{ revokedAt, active: false }]);
    });

    test.each([-1, 253_402_300_800_000, 1e17])('one whose end, %p, is no date: it has none', async (expiresDate) => {
      const { entitlements } = await outcome(bought({ payload: { expiresDate } }), ['RESOLVED']);
      expect(entitlements).toMatchObject([{ expiresAt: null, active: true }]);
    });

    test('a sandbox purchase, asked second', async () => {
      const { calls, entitlements } = await outcome(
        (id) => ({ production: [notFound], sandbox: [ok(id)] }),
        ['RESOLVED'],
      );
      expect(calls).toEqual(['production 404', 'sandbox 200']);
      expect(entitlements).toMatchObject([{ environment: 'SANDBOX', active: true }]);
    });

    test('a sandbox purchase of an application that production refuses, because it was never released', async () => {
      const { entitlements } = await outcome((id) => ({ production: [error(401)], sandbox: [ok(id)] }), ['RESOLVED']);
      expect(entitlements).toMatchObject([{ environment: 'SANDBOX' }]);
    });

    test.each<[string, FakeResponse]>([
      ['500', error(500)],
      ['500 with 5000001', error(500, 5_000_001)],
      ['503', error(503)],
      ['404 with 4040002', error(404, 4_040_002)],
      ['404 with 4040004', error(404, 4_040_004)],
      ['404 with 4040006', error(404, 4_040_006)],
      ['a 404 that is not the store’s', { status: 404, text: '<html>' }],
      ['429 without Retry-After', error(429, 4_290_000)],
      ['no response in time', { hang: true }],
      ['a response that is no JSON', { status: 200, text: '<html>' }],
      ['a response without a transaction', { status: 200, text: '{}' }],
    ])('after %s, at the second attempt', async (_, first) => {
      const { calls } = await outcome((id) => ({ production: [first, ok(id)] }), ['RESOLVED']);
      expect(calls).toHaveLength(2);
    });
  });

  describe('NOT_FOUND', () => {
    test.each([4_040_010, 4_040_005, 4_040_001])('404 with %d in both environments', async (code) => {
      const responses = { production: [error(404, code)], sandbox: [error(404, code)] };
      const { row, calls, entitlements } = await outcome(() => responses, ['NOT_FOUND']);
      expect(row?.resolvedAt).toBeInstanceOf(Date);
      expect([calls, entitlements]).toEqual([['production 404', 'sandbox 404'], []]);
    });
  });

  describe('FAILED', () => {
    test.each<[string, (id: string) => FakeResponses, string]>([
      ['another 4xx', () => ({ production: [error(400, 4_000_006)] }), 'store_refused_4000006'],
      ['another 4xx without a code', () => ({ production: [error(403)] }), 'store_refused_403'],
      ['another bundle', bought({ bundleId: 'com.example.other' }), 'wrong_bundle'],
      ['another environment', bought({ environment: 'Sandbox' }), 'wrong_environment'],
      ['a local environment', bought({ environment: 'Xcode' }), 'wrong_environment'],
      ['a test environment', bought({ environment: 'LocalTesting' }), 'wrong_environment'],
      ['another transaction', bought({ transactionId: 'another' }), 'wrong_transaction'],
      ['an unknown kind', bought({ payload: { type: 'Lottery ticket' } }), 'unknown_kind'],
      ['no product', bought({ payload: { productId: undefined } }), 'incomplete_transaction'],
      ['an error at every attempt', () => ({ production: [error(500)] }), 'retries_exhausted'],
    ])('%s', async (_, responses, reason) => {
      const { row, entitlements } = await outcome(responses, ['FAILED', reason]);
      expect(row?.resolvedAt).toBeInstanceOf(Date);
      expect(entitlements).toEqual([]);
    });

    test.each<[string, () => ReturnType<typeof mintChain>, string]>([
      ['a chain of another root', () => mintChain(), 'not_verified'],
      ['a chain without the store’s markers', withoutMarkers, 'not_verified'],
      ['an expired certificate', expired, 'invalid_certificate'],
      ['a chain cut short', cutShort, 'invalid_certificate'],
      ['a leaf of another chain', foreignLeaf, 'not_verified'],
      ['a signature by another key', foreignKey, 'not_verified'],
    ])('%s', async (_, mint, reason) => {
      const chain = await mint();
      const responses = (id: string) => ({ production: [{ purchase: aPurchase({ transactionId: id }), chain }] });
      const { entitlements } = await outcome(responses, ['FAILED', reason]);
      expect(entitlements).toEqual([]);
    });

    const own = () => purchases.store.chain;
    async function withoutMarkers() {
      return mintChain({ withoutMarkers: true, signedBy: own() });
    }
    async function expired() {
      return mintChain({ leafExpires: new Date(Date.now() - 86_400_000), signedBy: own() });
    }
    async function cutShort() {
      return { ...own(), x5c: own().x5c.slice(0, 2) as never };
    }
    async function foreignLeaf() {
      const foreign = await mintChain();
      return { ...foreign, x5c: [foreign.x5c[0], own().x5c[1], own().x5c[2]] as (typeof foreign)['x5c'] };
    }
    async function foreignKey() {
      return { ...own(), leafKey: (await mintChain()).leafKey };
    }

    test.each(['.', '..'])('%p as an id, which no address can hold, without a call', async (id) => {
      const { service, store } = purchases;
      await upload(service, [id]);
      await settled(service, id, ['FAILED', 'invalid_id']);
      expect(store.calls.filter((call) => call.id === id)).toEqual([]);
    });
  });

  test('an id is asked for verbatim, whatever it is made of', async () => {
    const { service, store } = purchases;
    const id = `../a b?c=d&e#f%2F🎁 ${randomUUID()}`;
    store.respondWith(id, bought()(id));
    await upload(service, [id]);
    await settled(service, id, ['RESOLVED']);
  });
});

// Purchases: values and orders of events that no document of the store promises, and what the service makes of them.
describe('purchases: odd values', () => {
  let test_: NotificationTest;
  beforeAll(async () => {
    test_ = await startNotificationTest();
  });
  afterAll(() => test_.stop());

  const shown = (device: string) => entitlementsOf(test_.service, device);

  test.each<[string, Partial<FakePurchase>]>([
    ['a product of text that PostgreSQL does not store', { payload: { productId: 'a\0b' } }],
    ['half of a surrogate pair in an id', { payload: { transactionId: 'a\ud800b' } }],
    ['a kind that every object has', { payload: { type: 'constructor' } }],
    // Longer than an entry of an index: the statement failed, and the response was 500 each time.
    ['an id of 64 kB', { payload: { transactionId: randomBytes(32_768).toString('hex') } }],
    ['a line of 64 kB', { payload: { originalTransactionId: randomBytes(32_768).toString('hex') } }],
    ['a product of 64 kB', { payload: { productId: 'p'.repeat(65_536) } }],
  ])(
    'a notification with %s is kept and changes nothing, so that the store does not repeat it for days',
    async (_, odd) => {
      const [id, device] = [randomUUID(), randomUUID()];
      await upload(test_.service, [id], { device });
      const purchase = aPurchase({ transactionId: id, ...odd });
      expect(await tell(test_, { type: 'ONE_TIME_CHARGE', purchase })).toMatchObject({ status: 200 });
      expect(await transactionsOf(test_.service, device)).toMatchObject([{ id, state: 'PENDING' }]);
    },
  );

  test('a subtype that PostgreSQL does not store is kept as none, and such a type is refused', async () => {
    const uuid = randomUUID();
    expect(await tell(test_, { type: 'TEST', subtype: 'a\0b', uuid })).toMatchObject({ status: 200 });
    expect((await known(test_)).find(({ id }) => id === uuid)).toMatchObject({ type: 'TEST', subtype: null });
    expect(await tell(test_, { type: 'a\0b' })).toMatchObject({ status: 422 });
  });

  describe('two periods of one second, by an upgrade', () => {
    const [purchasedAt, expiresAt] = [new Date(Date.now() - 86_400_000), new Date(Date.now() + 86_400_000)];
    const at = (minute: number) => new Date(purchasedAt.getTime() + minute * 60_000);

    async function upgraded(later: Partial<FakePurchase>) {
      const [line, device] = [randomUUID(), randomUUID()];
      const period = (id: number, productId: string, fields: Partial<FakePurchase>) => ({
        type: 'DID_CHANGE_RENEWAL_PREF',
        purchase: aPurchase({
          ...{ transactionId: `${line}-${id}`, originalTransactionId: line, kind: 'AUTO_RENEWABLE' },
          ...{ productId, purchasedAt, expiresAt, ...fields },
        }),
      });
      await upload(test_.service, [`${line}-9`], { device });
      await tell(test_, period(9, 'silver', { signedAt: at(1) }));
      await tell(test_, period(10, 'gold', { signedAt: at(2) }));
      await tell(test_, period(9, 'silver', { signedAt: at(3), ...later }));
      return shown(device);
    }

    test('the refund of the first leaves the second', async () => {
      expect(await upgraded({ revokedAt: at(3) })).toMatchObject([
        { productId: 'gold', active: true, revokedAt: null },
      ]);
    });

    test('a later word about the first does not bring it back', async () => {
      expect(await upgraded({})).toMatchObject([{ productId: 'gold', active: true }]);
    });
  });

  test('a device that the owner has used is known by any external id, whatever its letters', async () => {
    const [first, second, id, other] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const externalId = 'ÄNNA-İ';
    await upload(test_.service, [id], { device: first, externalId });
    await tell(test_, { type: 'ONE_TIME_CHARGE', purchase: aPurchase({ transactionId: id }) });
    await upload(test_.service, [other], { device: second, externalId });
    await upload(test_.service, [id], { device: second });
    expect(await shown(second)).toMatchObject([{ id, owner: { externalId } }]);
  });

  test('lines are locked in one order, whatever the locale of the database', async () => {
    const rows = [{ lineId: 'a' }, { lineId: 'B' }, { lineId: 'c' }];
    const transaction = { query: () => Promise.resolve({ rows }) } as unknown as Parameters<typeof findLinesOf>[0];
    expect(await findLinesOf(transaction, { applicationId: '', transactionIds: [] })).toEqual(['B', 'a', 'c']);
  });
});

// Purchases: a store that redirects gets no second call, so that no token reaches another host.
describe('purchases: redirect', () => {
  const servers: Server[] = [];
  afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))));

  async function listen(respond: RequestListener): Promise<string> {
    const server = createServer(respond);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test.each([302, 307])('nobody follows a %s', async (status) => {
    const calls: string[] = [];
    const elsewhere = await listen((request, response) => {
      calls.push(`elsewhere ${request.url}`);
      response.end('{}');
    });
    const apiUrl = await listen((request, response) => {
      calls.push(`store ${request.url}`);
      response.writeHead(status, { Location: `${elsewhere}${request.url}`, Connection: 'close' }).end();
    });
    const server = { rootCertificates: [], apiUrl, timeLimitMillis: 5_000, now: () => new Date() };
    const client = createStoreServerClient(server, newAccount(), new AbortController().signal);
    expect(await client.transaction('PRODUCTION', '1')).toMatchObject({ failure: { kind: 'unreachable' } });
    expect(calls).toEqual(['store /production/inApps/v1/transactions/1']);
  });
});
