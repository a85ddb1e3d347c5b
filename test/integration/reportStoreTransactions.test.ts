// POST /api/v1/tm/store: what it stores and queues, and every refusal.
import { randomUUID } from 'node:crypto';
import { deviceKey, type DeviceNodes } from '../../src/devices/deviceKey.ts';
import { queueForgottenLookUps } from '../../src/purchases/queueDueLookUps.ts';
import { reportStoreTransactions } from '../../src/purchases/reportStoreTransactions.ts';
import { noQuotas } from '../../src/quotas/quotas.ts';
import { transactionsOf, upload } from '../support/purchases.ts';
import { pathsOf } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// POST /api/v1/tm/store: a transaction is stored and queued once, whoever uploads it and however often.
describe('reportStoreTransactions', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  /** The applications that have a job for the line in which the transaction is due. */
  async function jobsOf(id: string): Promise<unknown[]> {
    const { rows } = await service.database.pool.query<{ applicationId: string }>(
      `SELECT application_id AS "applicationId" FROM store_transactions JOIN graphile_worker._private_jobs j
      ON j.key = 'resolveTransactions' || CASE WHEN behind THEN 'Behind' ELSE '' END || ':' || application_id::text
    WHERE store_transactions.id = $1 AND look_up_at <= now()`,
      [id],
    );
    return rows;
  }

  const ok = { status: 200, body: {} };

  describe('an upload of transactions', () => {
    test('stores each id PENDING with one job, verbatim, however often it comes', async () => {
      const [one, other] = [randomUUID(), ` 2000000123 / é 🎁 ${randomUUID()}`];
      const device = randomUUID();
      expect(await upload(service, [one, other, one], { device })).toMatchObject(ok);
      expect(await upload(service, [one], { device })).toMatchObject(ok);
      const pending = {
        state: 'PENDING',
        reason: 'waiting_behind',
        resolvedAt: null,
        receivedAt: expect.any(Date) as Date,
      };
      const stored = await transactionsOf(service, device);
      expect(stored).toHaveLength(2);
      expect(stored).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id: one, ...pending }),
          expect.objectContaining({ id: other, ...pending }),
        ]),
      );
      for (const id of [one, other]) {
        expect(await jobsOf(id)).toEqual([{ applicationId: service.application.id }]);
      }
    });

    test('links every device that uploads an id, and keeps its external id', async () => {
      const [id, first, second] = [randomUUID(), randomUUID(), randomUUID()];
      await upload(service, [id], { device: first, externalId: 'person-1' });
      await upload(service, [id], { device: second });
      await upload(service, [id], { device: first });
      const { prisma } = service.database;
      const links = await prisma.storeTransactionDevice.findMany({ where: { transactionId: id } });
      const shown = links.map(({ deviceKey: key, deviceId, externalId }) => [key, deviceId, externalId]);
      expect(shown).toHaveLength(2);
      expect(shown).toEqual(
        expect.arrayContaining([
          [deviceKey(service.application.id, first), first, 'person-1'],
          [deviceKey(service.application.id, second), second, null],
        ]),
      );
      expect(await jobsOf(id)).toHaveLength(1);
    });

    test('is apart from the same id under another application', async () => {
      const id = randomUUID();
      await upload(service, [id]);
      await upload({ ...service, application: await service.newApplication() }, [id]);
      expect(await service.database.prisma.storeTransaction.count({ where: { id } })).toBe(2);
      expect(await jobsOf(id)).toHaveLength(2);
    });

    test('meets others with the same ids, in any order and at once, without a deadlock or a duplicate', async () => {
      const ids = Array.from({ length: 200 }, () => randomUUID());
      const shuffled = () => ids.map((id) => ({ id, at: Math.random() })).sort((a, b) => a.at - b.at);
      const responses = await Promise.all(
        Array.from({ length: 20 }, () =>
          upload(
            service,
            shuffled().map(({ id }) => id),
          ),
        ),
      );
      expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
      const { prisma, pool } = service.database;
      expect(await prisma.storeTransaction.count({ where: { id: { in: ids } } })).toBe(200);
      expect(await prisma.storeTransactionDevice.count({ where: { transactionId: { in: ids } } })).toBe(4_000);
      const { rows } = await pool.query<{ jobs: string }>(
        `SELECT count(*) AS jobs FROM store_transactions WHERE id = ANY($1) AND look_up_at <= now()`,
        [ids],
      );
      expect(rows).toEqual([{ jobs: '200' }]);
    });

    test('whose job cannot be added is stored, and a worker finds it', async () => {
      const [id, own] = [randomUUID(), { ...service, application: await service.newApplication() }];
      const { pool } = service.database;
      await pool.query('ALTER FUNCTION graphile_worker.add_jobs RENAME TO add_jobs_away');
      expect(await upload(own, [id])).toMatchObject(ok);
      await pool.query('ALTER FUNCTION graphile_worker.add_jobs_away RENAME TO add_jobs');
      expect(await jobsOf(id)).toEqual([]);
      await queueForgottenLookUps(pool);
      expect(await jobsOf(id)).toEqual([{ applicationId: own.application.id }]);
    });

    test('that fails halfway leaves neither ids nor jobs', async () => {
      const id = randomUUID();
      const { pool, prisma } = service.database;
      await pool.query('ALTER TABLE store_claims RENAME TO claims_away');
      expect((await upload(service, [id])).status).toBe(500);
      await pool.query('ALTER TABLE claims_away RENAME TO store_claims');
      expect(await prisma.storeTransaction.count({ where: { id } })).toBe(0);
      expect(await upload(service, [id])).toMatchObject(ok);
      expect(await jobsOf(id)).toHaveLength(1);
    });
  });

  test('hands ids over sorted, so that two uploads that share ids never wait for each other in a circle', async () => {
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const stored: string[][] = [];
    const storeTransactions = async ({ transactionIds }: { transactionIds: string[] }) => {
      stored.push(transactionIds);
      return 0;
    };
    const body = { device: { id: 'd' }, transactions: ids.map((id) => ({ id })) };
    const nodes = {
      during: (_key: string, work: (limits: object) => Promise<void>) => work({}),
    } as unknown as DeviceNodes;
    const needs = { storeTransactions, quotas: noQuotas, nodes };
    await reportStoreTransactions({ body, application: { id: randomUUID() } }, needs);
    expect(stored).toEqual([ids.toSorted()]);
  });
});

// POST /api/v1/tm/store: every refusal in openapi.yaml.
describe('reportStoreTransactions: refusals', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  function send(body: unknown, headers: Record<string, string> = {}) {
    return service.client.send(
      'reportStoreTransactions',
      { 'X-Api-Key': service.application.key.public, ...headers },
      body,
    );
  }

  const device = { id: 'a-device' };

  describe('422', () => {
    test.each<[string, unknown, string[]]>([
      ['no transactions', { device }, ['transactions']],
      ['empty transactions', { device, transactions: [] }, ['transactions']],
      ['no device', { transactions: [{ id: '1' }] }, ['device']],
      ['empty device id', { device: { id: '' }, transactions: [{ id: '1' }] }, ['device.id']],
      ['an empty id', { device, transactions: [{ id: '1' }, { id: '' }] }, ['transactions[1].id']],
      ['a blank id', { device, transactions: [{ id: ' \u0085\u00a0' }] }, ['transactions[0].id']],
      ['a number as id', { device, transactions: [{ id: 1 }] }, ['transactions[0].id']],
      ['no id', { device, transactions: [{}] }, ['transactions[0].id']],
      ['a long id', { device, transactions: [{ id: 'x'.repeat(257) }] }, ['transactions[0].id']],
      ['NUL', { device, transactions: [{ id: 'a\u0000' }] }, ['transactions[0].id']],
      ['a lone surrogate', { device, transactions: [{ id: '\ud800' }] }, ['transactions[0].id']],
      ['no JSON', Buffer.from('{'), ['']],
    ])('%s', async (_, body, paths) => {
      const response = await send(body);
      expect(response.status).toBe(422);
      expect(pathsOf(response)).toEqual(paths);
    });

    test('not for the longest id, of whatever characters', async () => {
      expect((await send({ device, transactions: [{ id: '🎁'.repeat(256) }] })).status).toBe(200);
    });
  });

  test('404 without a known key', async () => {
    const response = await send({}, { 'X-Api-Key': 'unknown' });
    expect(response).toMatchObject({ status: 404, body: { detail: 'Application not found' } });
  });

  test('415 for another media type', async () => {
    expect((await send(Buffer.from('{}'), { 'Content-Type': 'text/plain' })).status).toBe(415);
  });

  test('413 for one transaction more than 500', async () => {
    const transactions = Array.from({ length: 501 }, () => ({ id: randomUUID() }));
    const limit = { error: 'payload_too_large', unit: 'transactions', limit: 500 };
    expect(await send({ device, transactions })).toMatchObject({ status: 413, body: limit });
    expect((await send({ device, transactions: transactions.slice(1) })).status).toBe(200);
  });

  test('503 with Retry-After while the database is away, and 500 for what is our fault', async () => {
    const failing = (error: Error) =>
      startTestService({ change: (deps) => ({ ...deps, storeTransactions: () => Promise.reject(error) }) });
    const away = await failing(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
    const response = await upload(away, ['1']);
    expect(response).toMatchObject({ status: 503, body: { error: 'unavailable' } });
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    await away.stop();
    const broken = await failing(new Error('secret detail'));
    expect(await upload(broken, ['1'])).toMatchObject({ status: 500, body: { error: 'internal_error' } });
    await broken.stop();
  });
});
