// What is removed: deleted applications with all their rows, and rows that have become old.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Prisma } from '../../generated/prisma/client.ts';
import {
  deleteExpiredAttempts,
  deleteExpiredEmailTokens,
  deleteExpiredPasswordTokens,
} from '../../src/accounts/deleteExpired.ts';
import { latestAttribution } from '../../src/attribution/reportAttribution.ts';
import { deleteReports, nextReports, removeOldAttribution } from '../../src/attribution/removeOldAttribution.ts';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { findDevice } from '../../src/devices/device.ts';
import { removeApplication } from '../../src/jobs/removeApplication.ts';
import { createTasks, type TaskDeps } from '../../src/jobs/tasks.ts';
import { inRemovalTransaction, inTransaction } from '../../src/platform/database/transaction.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { keepNotification } from '../../src/purchases/keepNotification.ts';
import { removeUnresolved } from '../../src/purchases/removeUnresolved.ts';
import { storeStatement } from '../../src/purchases/storeStatement.ts';
import { deleteExpiredNonces, ensureEventPartitions } from '../../src/sessions/upkeep/dropOldEvents.ts';
import { queueForgottenRemovals, removalKey } from '../../src/workspace/removal.ts';
import { auditLines } from '../support/auditLines.ts';
import { withinASecond } from '../support/campaigns.ts';
import { citusWorkers } from '../support/citusCluster.ts';
import { batchesOfTwo } from '../support/countedBatches.ts';
import { eventually } from '../support/eventually.ts';
import { holdLock } from '../support/heldLock.ts';
import { startMailWorker } from '../support/mail.ts';
import { transactionsOf, upload } from '../support/purchases.ts';
import { besides, fillApplication, leftOf, lookAfter, minute, nextLook, rowsOf } from '../support/removal.ts';
import { signedPurchase } from '../support/signedPurchase.ts';
import { statementsOf, watchingStatements } from '../support/statements.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import type { TestApplication } from '../support/testWorkspace.ts';
import { anEvent, aReport, aSession } from '../support/uploads.ts';

// The removal of deleted applications: all their rows are removed, in small steps that may stop anywhere, and no rows of others.
describe('removeApplication', () => {
  let service: TestService;
  let application: TestApplication;
  let admin: TestUser;
  beforeAll(async () => {
    service = await startTestService();
  });
  beforeEach(async () => {
    application = await service.newApplication();
    admin = await newUser(service, await organizationOf(service, application.id), 'admin');
  });
  afterAll(() => service.stop());

  async function remove(user = admin, id = application.id): Promise<void> {
    expect((await user.ask(`mutation { applicationDelete(id: "${id}") }`)).data).toEqual({ applicationDelete: true });
  }
  const row = () => service.database.prisma.application.findUniqueOrThrow({ where: { id: application.id } });
  async function belowCampaign(campaignId: string): Promise<number[]> {
    const { prisma } = service.database;
    const where = { campaignId };
    return [await prisma.campaignCount.count({ where }), await prisma.campaignVersion.count({ where })];
  }
  const send = (report: object) =>
    service.client.send('reportSessions', { 'X-Api-Key': application.key.public }, report);

  test('everything goes, and what stays is an empty row with public keys; other applications keep all of theirs', async () => {
    const other = await service.newApplication();
    const { campaign } = await fillApplication(service, application);
    await fillApplication(service, other);
    expect(await belowCampaign(campaign)).toEqual([1, 1]);
    const filled = await rowsOf(service, application.id);
    // A new table with an application_id fails here: fill it in fillApplication, and remove its rows.
    expect(Object.entries(filled).filter(([, count]) => count === 0)).toEqual([]);
    expect(Object.keys(filled)).toEqual(
      expect.arrayContaining([...Object.keys(besides), 'events', 'sessions', 'campaigns']),
    );
    const others = await rowsOf(service, other.id);
    await remove();
    expect(await nextLook(service, application.id)).toBe(minute);
    await lookAfter(service, application.id, minute);
    expect(await leftOf(service, application.id)).toEqual({ campaigns: 1 });
    expect([await nextLook(service, application.id), (await row()).removedAt]).toEqual([60 * minute, null]);
    await lookAfter(service, application.id, 60 * minute);
    expect(await leftOf(service, application.id)).toEqual({});
    expect(await belowCampaign(campaign)).toEqual([0, 0]);
    expect(await row()).toMatchObject({ name: '', bundleId: '', image: '', removedAt: expect.any(Date) as Date });
    const keys = await service.database.prisma.apiKey.findMany({ where: { applicationId: application.id } });
    expect(keys).toEqual([
      expect.objectContaining({ public: application.key.public, secretEncrypted: new Uint8Array() }),
    ]);
    expect(await rowsOf(service, other.id)).toEqual(others);
    expect(await auditLines(service, admin.organizationId)).toHaveLength(1);
  });

  test('secrets go with the first look, and what people wrote about a key', async () => {
    await fillApplication(service, application);
    const { prisma } = service.database;
    const written = { label: 'of Ann', createdBy: 'ann@example.com' };
    await prisma.apiKey.updateMany({ where: { applicationId: application.id }, data: written });
    await remove();
    await lookAfter(service, application.id, minute);
    expect(await prisma.storeCredentials.count({ where: { applicationId: application.id } })).toBe(0);
    const [key] = await prisma.apiKey.findMany({ where: { applicationId: application.id } });
    expect(key!.secretEncrypted).toHaveLength(0);
    expect(key).toMatchObject({ label: null, createdBy: null });
  });

  test('a removed application is no application: its key is 404, and a look more does nothing', async () => {
    await fillApplication(service, application);
    await remove();
    await lookAfter(service, application.id, 60 * minute);
    await withinASecond(async () => (await send(aReport())).status === 404);
    expect(await statementsOf(() => lookAfter(service, application.id, 61 * minute))).toHaveLength(2);
  });

  test('an application that is not deleted is left alone', async () => {
    await fillApplication(service, application);
    const before = await rowsOf(service, application.id);
    const { pool } = service.database;
    const { log } = service.deps;
    await removeApplication(
      { applicationId: application.id },
      { pool, log, now: () => new Date() },
      AbortSignal.abort(),
    );
    expect(await rowsOf(service, application.id)).toEqual(before);
  });

  test("a project's deletion queues the removal of each of its applications and empties its own row", async () => {
    const { projectId } = await row();
    const { data } = await admin.ask(
      `mutation { applicationEdit(input: { projectId: "${projectId}", name: "A", bundleId: "b", platform: "iOS" }) { id } }`,
    );
    const { id } = data!['applicationEdit'] as { id: string };
    await admin.ask(`mutation { projectDelete(id: "${projectId}") }`);
    expect([await nextLook(service, application.id), await nextLook(service, id)]).toEqual([minute, minute]);
    const project = await service.database.prisma.project.findUniqueOrThrow({ where: { id: projectId } });
    expect(project).toMatchObject({ name: '', image: null, deletedAt: expect.any(Date) as Date });
  });

  test('a deletion that is refused, or cannot be recorded, queues nothing', async () => {
    const stranger = await newUser(
      service,
      await organizationOf(service, (await service.newApplication()).id),
      'admin',
    );
    await stranger.ask(`mutation { applicationDelete(id: "${application.id}") }`);
    const { pool } = service.database;
    const queued = async () =>
      (await pool.query('SELECT FROM graphile_worker.jobs WHERE key LIKE $1', [`%${application.id}`])).rowCount;
    expect(await queued()).toBe(0);
    await pool.query('ALTER TABLE audit_entries ADD CONSTRAINT broken CHECK (false) NOT VALID');
    const { codes } = await admin
      .ask(`mutation { applicationDelete(id: "${application.id}") }`)
      .finally(() => pool.query('ALTER TABLE audit_entries DROP CONSTRAINT broken'));
    expect([codes, await queued()]).toEqual([['INTERNAL_SERVER_ERROR'], 0]);
  });

  test('more than a batch goes too: many events of one session, sessions of one device, and devices', async () => {
    const session = aSession();
    const device = aReport().device;
    for (let index = 0; index < 3; index += 1) {
      const events = Array.from({ length: 2_500 }, () => anEvent({ params: [] }));
      await send(aReport({ device, sessions: [{ ...session, events }] }));
    }
    await send(aReport({ device, sessions: Array.from({ length: 300 }, () => aSession({ events: [] })) }));
    await Promise.all(Array.from({ length: 150 }, () => send(aReport())));
    await service.database.pool.query(
      `INSERT INTO attribution_reports (device_key, body_hash, application_id, device_id, os_version)
     SELECT gen_random_uuid(), '', $1, i::text, '1' FROM generate_series(1, 1500) i`,
      [application.id],
    );
    await service.database.pool.query(
      `INSERT INTO ingest_issues (application_id, day, line, operation, status, reason, path, count, first_at, last_at, sample_path, sample_message)
     SELECT $1, now()::date, i::text, 'reportSessions', 422, 'type', '', 1, now(), now(), '', '' FROM generate_series(1, 1500) i`,
      [application.id],
    );
    await service.database.pool.query(
      `INSERT INTO store_transactions (id, application_id) SELECT i::text, $1 FROM generate_series(1, 1500) i`,
      [application.id],
    );
    await remove();
    await lookAfter(service, application.id, minute);
    expect(await leftOf(service, application.id)).toEqual({});
  });

  test('each step is a transaction of its own, after which a turn can end; the next job goes on from there', async () => {
    const { pool } = service.database;
    await Promise.all(Array.from({ length: 120 }, () => send(aReport())));
    await remove();
    const { deletedAt } = await row();
    let sessions = (await rowsOf(service, application.id))['sessions']!;
    // By this clock, every step takes longer than a turn.
    let passed = minute;
    const now = () => new Date(deletedAt!.getTime() + (passed += 61_000));
    let turns = 0;
    for (; Object.keys(await leftOf(service, application.id)).length > 0; turns += 1) {
      await removeApplication(
        { applicationId: application.id },
        { pool, log: service.deps.log, now },
        new AbortController().signal,
      );
      const left = await rowsOf(service, application.id);
      expect(left['sessions']).toBeLessThanOrEqual(sessions);
      sessions = left['sessions']!;
      expect(await nextLook(service, application.id)).not.toBeNull();
    }
    // Sessions and devices of the first hundred, then of the rest: four turns. A cluster may find another hundred at each
    // step.
    expect(turns).toBeGreaterThanOrEqual(4);
    expect(turns).toBeLessThanOrEqual(citusWorkers.length > 0 ? 12 : 4);
  });

  test('a worker that is told to stop ends after its step, and the rest stays queued for now', async () => {
    const { pool } = service.database;
    await fillApplication(service, application);
    await remove();
    const tasks = createTasks({ pool, log: service.deps.log, now: () => new Date() } as TaskDeps);
    const stopped = { abortSignal: AbortSignal.abort(), job: {} as never };
    await tasks.removeApplication({ applicationId: application.id }, stopped);
    expect((await leftOf(service, application.id))['devices']).toBe(1);
    expect(await nextLook(service, application.id)).toBeLessThan(minute);
  });

  test('two workers at once do no harm', async () => {
    await Promise.all(Array.from({ length: 30 }, () => send(aReport())));
    await fillApplication(service, application);
    await remove();
    await Promise.all([1, 2, 3].map(() => lookAfter(service, application.id, 60 * minute)));
    expect(await leftOf(service, application.id)).toEqual({});
  });

  test('a step that fails leaves nothing half done, and the next run goes on', async () => {
    await fillApplication(service, application);
    await remove();
    const before = await rowsOf(service, application.id);
    const cutOff = (text: string): void => {
      if (text.startsWith('/* sessions: deleteSessions */')) throw new Error('cut off');
    };
    const look = watchingStatements(cutOff, () => lookAfter(service, application.id, minute));
    await expect(look).rejects.toThrow('cut off');
    const { events, sessions, devices } = await rowsOf(service, application.id);
    expect({ events, sessions, devices }).toEqual({ events: before['events'], sessions: 2, devices: 1 });
    await lookAfter(service, application.id, minute);
    expect(await leftOf(service, application.id)).toEqual({ campaigns: 1 });
  });

  test('the worker runs it when its time has come', async () => {
    const { pool } = service.database;
    await fillApplication(service, application);
    await remove();
    await pool.query('UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key = $1', [
      removalKey(application.id),
    ]);
    const stop = await startMailWorker(service, {});
    await eventually(
      () => nextLook(service, application.id),
      (look) => look === 60 * minute,
    );
    expect(await leftOf(service, application.id)).toEqual({ campaigns: 1 });
    await stop();
  });
});

// The housekeeping queues deletions again whose job is gone.
describe('removeApplication: forgotten', () => {
  let service: TestService;
  let application: TestApplication;
  beforeAll(async () => {
    service = await startTestService();
  });
  beforeEach(async () => {
    application = await service.newApplication();
  });
  afterAll(() => service.stop());

  describe('a deletion without a job', () => {
    const age = (hours: number) =>
      service.database.prisma.application.update({
        where: { id: application.id },
        data: { deletedAt: new Date(Date.now() - hours * 60 * minute) },
      });
    const queued = async () => (await nextLook(service, application.id)) !== null;

    test('is queued again after two hours', async () => {
      const { pool } = service.database;
      await age(1);
      await queueForgottenRemovals(pool);
      expect(await queued()).toBe(false);
      await age(3);
      await queueForgottenRemovals(pool);
      expect(await queued()).toBe(true);
    });

    test('is not one whose job waits; one whose attempts are used up is', async () => {
      const { pool } = service.database;
      const admin = await newUser(service, await organizationOf(service, application.id), 'admin');
      await admin.ask(`mutation { applicationDelete(id: "${application.id}") }`);
      await age(3);
      const before = await nextLook(service, application.id);
      await queueForgottenRemovals(pool);
      expect(await nextLook(service, application.id)).toBe(before);
      await pool.query('UPDATE graphile_worker._private_jobs SET attempts = max_attempts WHERE key = $1', [
        removalKey(application.id),
      ]);
      await queueForgottenRemovals(pool);
      const { rows } = await pool.query('SELECT attempts FROM graphile_worker.jobs WHERE key = $1', [
        removalKey(application.id),
      ]);
      expect(rows).toEqual([{ attempts: 0 }]);
    });

    test('is not one that has been removed', async () => {
      await age(3);
      await lookAfter(service, application.id, 60 * minute);
      await queueForgottenRemovals(service.database.pool);
      expect(await queued()).toBe(false);
    });
  });
});

// The transaction that removes a batch: only in it, the planner may find rows only through an index.
describe('removalTransaction', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const off = `SELECT name FROM pg_settings WHERE name LIKE 'enable\\_%' AND setting = 'off' AND source = 'session' ORDER BY 1`;

  test('whole tables, hash joins and merge joins are off, until it ends', async () => {
    const { rows } = await inRemovalTransaction(database.pool, (client) => client.query(off));
    expect(rows).toEqual(['enable_hashjoin', 'enable_mergejoin', 'enable_seqscan'].map((name) => ({ name })));
    expect((await database.pool.query(off)).rows).toEqual([]);
  });
});

// EVENT_RETENTION_DAYS and attribution: of the old reports of a device the latest of each provider stay, and no read changes.
describe('removeOldAttribution', () => {
  const log = createLog('silent');
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
  });
  afterEach(() => service.stop());

  const sql = (text: string, values: unknown[] = []) => service.database.pool.query(text, values);

  type Attribution = Record<string, object>;

  /** Computed here: a cluster takes no `now()` in a condition of `SET`. */
  const before = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

  /** Reports it, and dates the arrival back. */
  async function report(id: string, { custom, ...attribution }: Attribution, daysAgo: number): Promise<void> {
    const body = { device: { id }, system: { os_version: '18' }, attribution, custom: custom ?? null };
    const headers = { 'X-Api-Key': service.application.key.public };
    expect((await service.client.send('reportAttribution', headers, body)).status).toBe(200);
    await sql(
      `UPDATE attribution_reports SET received_at = least(received_at, $1),
        last_received_at = CASE WHEN last_received_at IS NOT NULL OR received_at < $3 THEN $1 END
      WHERE device_id = $2 AND coalesce(last_received_at, received_at) > $4`,
      [before(daysAgo * 86_400), id, before(3_600), before(60)],
    );
  }

  const run = async (size?: number) => {
    await sql("UPDATE retention_walks SET due_at = now() - interval '1 second'");
    await removeOldAttribution(service.database.pool, { daysKept: 30, log, ...(size && { size }) });
  };
  const left = async (id: string) => (await sql('SELECT FROM attribution_reports WHERE device_id = $1', [id])).rowCount;

  /** What the admin API shows of it. */
  async function shown(id: string) {
    const key = deviceKey(service.application.id, id);
    const latest = await latestAttribution(service.database.pool, { deviceKey: key, bytes: 1_000_000 });
    const [device] = await findDevice(service.database.pool, { key, bytes: 1_000_000 });
    return { latest, first: device!.firstSeenAt, last: device!.lastSeenAt };
  }

  test('organic, partner, organic: the partner goes, and what is shown stays', async () => {
    const id = randomUUID();
    for (const [from, days] of Object.entries({ organic: 90, partner: 80 }))
      await report(id, { provider_a: { from } }, days);
    await report(id, { provider_a: { from: 'organic' } }, 70);
    const before = await shown(id);
    expect(before.latest).toMatchObject([{ payload: '{"from":"organic"}' }]);
    await run();
    expect([await left(id), await shown(id)]).toEqual([1, before]);
  });

  test('a superseded report stays for the days, and the latest of each provider for ever', async () => {
    const id = randomUUID();
    await report(id, { provider_a: { v: 1 }, provider_b: { v: 1 } }, 400);
    await report(id, { provider_a: { v: 2 }, custom: { v: 1 } }, 300);
    await report(id, { store_search_ads: { orgId: 1 } }, 200);
    await report(id, { provider_a: { v: 3 }, custom: { v: 2 } }, 29);
    await report(id, { provider_a: { v: 4 } }, 28);
    await run();
    expect(await left(id)).toBe(4);
    expect((await shown(id)).latest.map(({ payload }) => payload)).toEqual([
      '{"v":4}',
      '{"orgId":1}',
      '{"v":1}',
      '{"v":2}',
    ]);
  });

  test('a report that comes again after it was removed is stored, and is the latest', async () => {
    const id = randomUUID();
    await report(id, { provider_a: { v: 1 } }, 90);
    await report(id, { provider_a: { v: 2 } }, 80);
    await run();
    await report(id, { provider_a: { v: 1 } }, 0);
    expect((await shown(id)).latest).toMatchObject([{ payload: '{"v":1}' }]);
    expect(await left(id)).toBe(2);
  });

  test('many devices, in small batches, by two processes at once, of which one is cut off: nothing shown changes', async () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const providers = ['provider_a', 'provider_b', 'store_search_ads', 'custom'];
    const ids = Array.from({ length: 12 }, () => randomUUID());
    for (const id of ids)
      for (let nth = random(9); nth >= 0; nth--) {
        const used = providers.filter(() => random(3) === 0).map((provider) => [provider, { v: random(3) }]);
        await report(id, Object.fromEntries(used) as Attribution, 5 + random(90));
      }
    const before = await Promise.all(ids.map(shown));
    let statements = 40;
    const cutOff = new Proxy(service.database.pool, {
      get: (pool, name) => {
        if (name === 'connect' && (statements -= 10) < 0) throw new Error('cut off');
        return Reflect.get(pool, name) as unknown;
      },
    });
    await sql("UPDATE retention_walks SET due_at = now() - interval '1 second'");
    const options = { daysKept: 30, log, size: 3 };
    await expect(removeOldAttribution(cutOff, options)).rejects.toThrow('cut off');
    expect((await sql('SELECT position FROM retention_walks')).rows[0]).not.toEqual({ position: null });
    await Promise.all([1, 2].map(() => removeOldAttribution(service.database.pool, options)));
    await removeOldAttribution(service.database.pool, options);
    expect((await sql('SELECT position FROM retention_walks')).rows).toEqual([{ position: null }]);
    expect(await Promise.all(ids.map(shown))).toEqual(before);
    // A report that is old stays only as the latest of all, or of one of its providers.
    const { rows: left } =
      await sql(`SELECT device_id, coalesce(last_received_at, received_at) AS at, to_jsonb(r) AS report
    FROM attribution_reports r ORDER BY at DESC`);
    const kept = new Set<string>();
    for (const { device_id, at, report } of left as {
      device_id: string;
      at: Date;
      report: Record<string, unknown>;
    }[]) {
      const what = ['', ...providers.filter((provider) => report[provider] !== null)].map(
        (name) => `${device_id} ${name}`,
      );
      const isLatest = what.some((each) => !kept.has(each));
      for (const each of what) kept.add(each);
      expect(isLatest || at.getTime() >= Date.now() - 30 * 86_400_000).toBe(true);
    }
  });

  test('a report that arrives again between the look at it and its removal stays', async () => {
    const id = randomUUID();
    await report(id, { provider_a: { v: 1 } }, 90);
    await report(id, { provider_a: { v: 2 } }, 80);
    const stretch = { after: null, limit: 10, daysKept: 30 };
    const seen = await inTransaction(service.database.pool, (transaction) => nextReports(transaction, stretch));
    await report(id, { provider_a: { v: 1 } }, 0);
    const removed = await inTransaction(service.database.pool, (transaction) =>
      deleteReports(transaction, [seen.find(({ at }) => at === seen.at(-1)!.at)!], 30),
    );
    expect([removed, await left(id)]).toEqual([0, 2]);
  });

  test('a walk begins once a day', async () => {
    const id = randomUUID();
    await run();
    for (const [v, days] of [90, 80].entries()) await report(id, { provider_a: { v } }, days);
    await removeOldAttribution(service.database.pool, { daysKept: 30, log });
    expect(await left(id)).toBe(2);
    await run();
    expect(await left(id)).toBe(1);
  });
});

// EVENT_RETENTION_DAYS and purchases: old transactions without a result go with their uploads. What the store has resolved stays.
describe('removeUnresolved', () => {
  const log = createLog('silent');
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const sql = (text: string, values: unknown[] = []) => service.database.pool.query(text, values);
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  const run = (size?: { transactions: number; claims: number }) =>
    removeUnresolved(service.database.pool, { daysKept: 30, log, ...(size && { size }) });

  type Change = Prisma.StoreTransactionUpdateManyMutationInput;

  /** Uploads an id, then dates the upload back and gives it the state. */
  async function uploaded(change: Change, days = 90, device = randomUUID()): Promise<string> {
    const id = randomUUID();
    expect((await upload(service, [id], { device })).status).toBe(200);
    const at = daysAgo(days);
    const data = {
      state: 'NOT_FOUND',
      waits: false,
      takesPlace: false,
      lookUpAt: null,
      receivedAt: at,
      resolvedAt: at,
      ...change,
    } as const;
    await service.database.prisma.storeTransaction.updateMany({ where: { id }, data });
    await sql('UPDATE store_claims SET arrivals = ARRAY[$1::timestamptz] WHERE transaction_id = $2', [at, id]);
    await sql('UPDATE store_transaction_devices SET received_at = $1 WHERE transaction_id = $2', [at, id]);
    return id;
  }

  /** The rows of an id: its own, its claims and those of its devices. */
  async function rowsOf(id: string): Promise<number[]> {
    const { rows } = await sql(
      `SELECT (SELECT count(*)::int FROM store_transactions WHERE id = $1) AS own,
      (SELECT count(*)::int FROM store_claims WHERE transaction_id = $1) AS claims,
      (SELECT count(*)::int FROM store_transaction_devices WHERE transaction_id = $1) AS devices`,
      [id],
    );
    const [row] = rows as { own: number; claims: number; devices: number }[];
    return [row!.own, row!.claims, row!.devices];
  }

  const all = [1, 1, 1];

  test.each<[string, Change, number[]]>([
    ['NOT_FOUND goes', {}, [0, 0, 0]],
    ['FAILED goes', { state: 'FAILED', reason: 'wrong_bundle' }, [0, 0, 0]],
    ['one that was looked up lately stays', { lastLookedUpAt: daysAgo(29) }, all],
    ['one of which a look-up is asked for stays', { waits: true }, all],
    ['one that is being looked up stays', { lookingUntil: daysAgo(-1) }, all],
    ['one that was kept for a shorter time stays', { receivedAt: daysAgo(29) }, all],
    ['PENDING stays', { state: 'PENDING', resolvedAt: null }, all],
    ['RESOLVED stays', { state: 'RESOLVED' }, all],
    ['one of a line stays', { lineId: 'a line' }, all],
    ['one that the store has signed stays', { state: 'FAILED', signedAt: daysAgo(90) }, all],
  ])('%s', async (_, change, rows) => {
    const id = await uploaded(change);
    await run();
    expect(await rowsOf(id)).toEqual(rows);
  });

  test('a purchase that the store has resolved and its entitlement stay, whatever their age', async () => {
    const id = await uploaded({ state: 'PENDING', resolvedAt: null }, 400);
    const purchase = { ...signedPurchase(id), kind: 'NON_CONSUMABLE' as const, purchasedAt: daysAgo(401) };
    const statement = {
      applicationId: service.application.id,
      environment: 'PRODUCTION' as const,
      transactions: [purchase],
    };
    await inTransaction(service.database.pool, (transaction) =>
      storeStatement(transaction, { ...statement, renewals: [] }, { now: daysAgo(399) }),
    );
    const tables = ['store_transactions', 'store_entitlements', 'store_holders', 'store_claims', 'store_products'];
    const stored = async () =>
      Promise.all(tables.map(async (name) => (await sql(`SELECT * FROM ${name}`)).rows as object[]));
    const before = await stored();
    for (const rows of before) expect(rows).not.toEqual([]);
    await run();
    expect(await stored()).toEqual(before);
  });

  test('an id that comes again after it was removed is new, and is looked up', async () => {
    const device = randomUUID();
    const id = await uploaded({}, 90, device);
    await run();
    expect(await transactionsOf(service, device)).toEqual([]);
    expect((await upload(service, [id], { device })).status).toBe(200);
    expect(await transactionsOf(service, device)).toMatchObject([{ id, state: 'PENDING' }]);
  });

  test('an id that a device named lately stays for it, and the old uploads of others go', async () => {
    const [id, latest] = [await uploaded({}), randomUUID()];
    await sql(
      `INSERT INTO store_claims (transaction_id, application_id, uploaded_by, external_id, device_id, arrivals)
    SELECT $1, $2::uuid, $3::uuid, external_id, $4, ARRAY[now() - interval '90 days', at]
    FROM (VALUES ('', now() - interval '80 days'), ('user', now())) t (external_id, at)`,
      [id, service.application.id, deviceKey(service.application.id, latest), latest],
    );
    await run();
    expect(await rowsOf(id)).toEqual([1, 2, 0]);
  });

  test('of another application with the same id nothing goes', async () => {
    const other = await service.newApplication();
    const device = randomUUID();
    const id = await uploaded({}, 90, device);
    const body = { device: { id: device }, transactions: [{ id }] };
    await service.client.send('reportStoreTransactions', { 'X-Api-Key': other.key.public }, body);
    await run();
    expect(await rowsOf(id)).toEqual(all);
  });

  test('one id that hundreds of devices have named goes in pieces, and the next ones after it', async () => {
    const ids = [await uploaded({}, 92), await uploaded({}, 91), await uploaded({}, 90)];
    await sql(
      `INSERT INTO store_claims (transaction_id, application_id, uploaded_by, external_id, device_id, arrivals)
    SELECT $1, $2, gen_random_uuid(), '', 'd', ARRAY[now() - interval '90 days'] FROM generate_series(1, 300)`,
      [ids[0], service.application.id],
    );
    await run({ transactions: 2, claims: 50 });
    for (const id of ids) expect(await rowsOf(id)).toEqual([0, 0, 0]);
  });

  test('an id that an upload holds is left out, and two processes share the others', async () => {
    const ids = await Promise.all(Array.from({ length: 9 }, () => uploaded({})));
    const held = await holdLock(
      service.database.pool,
      `SELECT FROM store_transactions WHERE id = '${ids[0]!}' FOR UPDATE`,
    );
    await Promise.all([1, 2].map(() => run({ transactions: 2, claims: 50 })));
    await held.release();
    const gone = async () => (await Promise.all(ids.map(rowsOf))).filter(([own]) => own === 0).length;
    expect(await gone()).toBe(8);
    await run();
    expect(await gone()).toBe(9);
  });

  test('an upload that waits for the removal finds its id new', async () => {
    const [id, device] = [await uploaded({}), randomUUID()];
    const held = await holdLock(service.database.pool, 'LOCK TABLE store_claims IN SHARE MODE');
    const running = run();
    await held.waiting(1);
    const sent = upload(service, [id], { device });
    await eventually(
      () =>
        sql(
          "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        ),
      ({ rows }) => (rows as { n: number }[])[0]!.n === 2,
    );
    await held.release();
    await running;
    expect((await sent).status).toBe(200);
    expect(await rowsOf(id)).toEqual([1, 1, 1]);
    expect(await transactionsOf(service, device)).toMatchObject([{ id, state: 'PENDING' }]);
  });

  test('a notification is never stored with its text, and its UUID is known after any time', async () => {
    const columns = await sql(
      "SELECT column_name FROM information_schema.columns WHERE table_name = 'store_notifications'",
    );
    expect((columns.rows as { column_name: string }[]).map(({ column_name: name }) => name).sort()).toEqual([
      'application_id',
      'environment',
      'fetched',
      'id',
      'received_at',
      'signed_at',
      'subtype',
      'type',
    ]);
    const kept = { type: 'TEST', subtype: null, environment: 'PRODUCTION', signedAt: daysAgo(900) } as const;
    const notification = { ...kept, id: randomUUID(), transactions: [], renewals: [] };
    const arrival = { applicationId: service.application.id, notification, fetched: false, now: daysAgo(900) };
    const arrive = () => inTransaction(service.database.pool, (transaction) => keepNotification(transaction, arrival));
    expect(await arrive()).toBe('kept');
    await run();
    expect(await arrive()).toBe('repeated');
  });
});

// Expired rows whose number any client can increase: they are removed a few at a time, found by the index, and locked rows are skipped.
describe('deleteInBatches', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const expiresAt = new Date('2026-01-01T00:00:00Z');
  const hash = () => Uint8Array.from(randomBytes(32));

  test('attempts', async () => {
    const { prisma, pool } = service.database;
    const keys = Array.from({ length: 6 }, hash);
    await prisma.attempt.createMany({ data: keys.map((key) => ({ key, count: 1, expiresAt })) });
    const lock = await holdLock(
      pool,
      "SELECT 1 FROM attempts WHERE key = decode($1, 'hex') FOR UPDATE",
      Buffer.from(keys[3]!).toString('hex'),
    );
    expect(await batchesOfTwo(pool, deleteExpiredAttempts).finally(lock.release)).toEqual([2, 2, 1]);
    expect(await batchesOfTwo(pool, deleteExpiredAttempts)).toEqual([1]);
  });

  test('password tokens', async () => {
    const { prisma, pool } = service.database;
    const { id: userId } = await newUser(service, await newOrganization(service));
    const tokens = Array.from({ length: 4 }, () => ({ hash: hash(), userId, purpose: 'reset' as const, expiresAt }));
    await prisma.passwordToken.createMany({ data: tokens });
    expect(await batchesOfTwo(pool, deleteExpiredPasswordTokens)).toEqual([2, 2, 0]);
  });

  test.each([
    ['attempts', 'key'],
    ['password_tokens', 'hash'],
    ['email_tokens', 'hash'],
  ])('%s are found by their end', async (table, key) => {
    const client = await service.database.pool.connect();
    try {
      await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT ${key} FROM ${table} WHERE expires_at < now() ORDER BY expires_at LIMIT 100`,
      );
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(`Index Scan using ${table}_expires_at_idx`);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});

// The periodic tasks: how long each kind of row is kept, and what is created in advance.
describe('housekeepingBounds', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  test('a nonce is kept for 15 minutes, and none for longer', async () => {
    const { prisma, pool } = service.database;
    for (const minutes of [14, 16, 120]) {
      const receivedAt = new Date(Date.now() - minutes * 60_000);
      const row = {
        nonce: `${minutes}`,
        applicationId: service.application.id,
        bodyHash: Uint8Array.of(1),
        receivedAt,
      };
      await prisma.nonce.create({ data: row });
    }
    expect(await deleteExpiredNonces(pool)).toBe(2);
    expect((await prisma.nonce.findMany()).map(({ nonce }) => nonce)).toEqual(['14']);
  });

  test('a password token is kept for a week past its end, and none for longer', async () => {
    const { prisma, pool } = service.database;
    const { id: userId } = await newUser(service, await newOrganization(service));
    for (const daysAgo of [-1, 6.9, 7.1]) {
      const expiresAt = new Date(Date.now() - daysAgo * 24 * 3_600_000);
      const row = { hash: Uint8Array.from(randomBytes(32)), userId, purpose: 'reset' as const, expiresAt };
      await prisma.passwordToken.create({ data: { ...row, createdAt: expiresAt } });
    }
    expect(await deleteExpiredPasswordTokens(pool)).toBe(1);
    expect(await prisma.passwordToken.count()).toBe(2);
  });

  test('a token of an e-mail address is kept for a week past its end, and none for longer', async () => {
    const { prisma, pool } = service.database;
    const { id: userId, email } = await newUser(service, await newOrganization(service));
    for (const daysAgo of [-1, 6.9, 7.1]) {
      const expiresAt = new Date(Date.now() - daysAgo * 24 * 3_600_000);
      const row = { hash: Uint8Array.from(randomBytes(32)), userId, email, purpose: 'change' as const };
      await prisma.emailToken.create({ data: { ...row, expiresAt, createdAt: expiresAt } });
    }
    expect(await deleteExpiredEmailTokens(pool)).toBe(1);
    expect(await prisma.emailToken.count()).toBe(2);
  });

  test('a partition is made while a backup reads and an upload writes, and is like the others', async () => {
    const { pool } = service.database;
    const names = `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass ORDER BY 1`;
    const before = (await pool.query<{ name: string }>(names)).rows;
    const { name } = before.at(-1)!;
    await pool.query(`DROP TABLE ${name}`);
    const [reading, writing] = [
      await holdLock(pool, 'LOCK TABLE events IN ACCESS SHARE MODE'),
      await holdLock(pool, 'LOCK TABLE events IN ROW EXCLUSIVE MODE'),
    ];
    try {
      expect(await ensureEventPartitions(pool)).toBe(1);
    } finally {
      await reading.release();
      await writing.release();
    }
    expect((await pool.query(names)).rows).toEqual(before);
    const shape = (table: string) =>
      pool.query<{ definition: string }>(
        `SELECT replace(pg_get_indexdef(indexrelid), $1, 'x') AS definition, indisprimary AS primary,
        EXISTS (SELECT FROM pg_inherits WHERE inhrelid = indexrelid) AS attached
      FROM pg_index WHERE indrelid = $1::regclass ORDER BY 1`,
        [table],
      );
    const [made, other] = [(await shape(name)).rows, (await shape(before[0]!.name)).rows];
    expect(made).toEqual(other);
    expect(made).toMatchObject([{ primary: true, attached: true }]);
  });

  test('attempts are kept while their window is open, and no longer', async () => {
    const { prisma, pool } = service.database;
    const key = (name: string) => Uint8Array.from(Buffer.from(name));
    for (const [name, minutes] of [
      ['open', 1],
      ['over', -1],
    ] as const) {
      const expiresAt = new Date(Date.now() + minutes * 60_000);
      await prisma.attempt.create({ data: { key: key(name), count: 3, expiresAt } });
    }
    expect(await deleteExpiredAttempts(pool)).toBe(1);
    expect((await prisma.attempt.findMany()).map((row) => Buffer.from(row.key).toString())).toEqual(['open']);
  });
});
