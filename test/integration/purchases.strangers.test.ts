// Purchases: ids that strangers invent hold up no purchase of others, and look-ups wait for nobody.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { inTransaction, type PipelinedTransaction, type Transaction } from '../../src/platform/database/transaction.ts';
import { saveDuration } from '../../src/purchases/productEdit.ts';
import { queueWaiting, queueWaitingTransactions } from '../../src/purchases/queueDueLookUps.ts';
import { nameProducts, saveStatements } from '../../src/purchases/statementsStore.ts';
import type { Line } from '../../src/purchases/storeJobs.ts';
import { storeStatement } from '../../src/purchases/storeStatement.ts';
import { storeTransactionReport } from '../../src/purchases/reportStoreTransactions.ts';
import { beginLookUp } from '../../src/purchases/storeTransactionsStore.ts';
import { retellProducts } from '../../src/purchases/tellEndsByClock.ts';
import {
  findVacancies,
  furtherOfOneDevice,
  nameTransactions,
  unprovenPlaces,
} from '../../src/purchases/uploadsStore.ts';
import { eventually } from '../support/eventually.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { holdLock, waitingForLocks } from '../support/heldLock.ts';
import {
  expectPaced,
  prove,
  type PurchaseTest,
  settled,
  startPurchaseTest,
  startTestWorker,
  transactionsOf,
  upload,
} from '../support/purchases.ts';
import { signedPurchase } from '../support/signedPurchase.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aDevice, aReport, json } from '../support/uploads.ts';

// Purchases: ids that strangers with the public key invent wait for a place, and hold up no purchase of a proven device.
describe('purchases: places', () => {
  const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  /** The line of each transaction that is due. */
  async function due(application: { id: string }, id?: string): Promise<string[]> {
    const { rows } = await service.database.pool.query<{ behind: boolean }>(
      `SELECT behind FROM store_transactions WHERE application_id = $1 AND ($2::text IS NULL OR id = $2)
      AND look_up_at IS NOT NULL`,
      [application.id, id ?? null],
    );
    return rows.map(({ behind }) => (behind ? 'behind' : 'in front'));
  }

  const waiting = (application: { id: string }) =>
    service.database.prisma.storeTransaction.count({
      where: { applicationId: application.id, state: 'PENDING', reason: 'waiting_in_line' },
    });

  describe('of devices that are not proven', () => {
    let own: TestService;
    beforeEach(async () => {
      own = { ...service, application: await service.newApplication() };
      for (let round = 0; round < 3; round += 1) await upload(own, ids(450), { device: `stranger ${round}` });
    });

    test('1,000 ids wait for a look-up, and the others without a job', async () => {
      expect(unprovenPlaces).toBe(1_000);
      expect([await waiting(own.application), (await due(own.application)).length]).toEqual([350, 1_000]);
      expect(new Set(await due(own.application))).toEqual(new Set(['behind']));
      const id = randomUUID();
      await upload(own, [id], { device: 'another stranger' });
      expect(await transactionsOf(own, 'another stranger')).toMatchObject([
        { id, state: 'PENDING', reason: 'waiting_in_line' },
      ]);
      expect(await due(own.application, id)).toEqual([]);
    });

    test('a purchase of a proven device is queued in front of all, also one that a stranger has named', async () => {
      await prove(own, 'buyer');
      const [id] = ids(1);
      const named = await own.database.prisma.storeTransaction.findFirstOrThrow({
        where: { applicationId: own.application.id, reason: 'waiting_in_line' },
      });
      await upload(own, [id!, named.id], { device: 'buyer' });
      expect([await due(own.application, id), await due(own.application, named.id)]).toEqual([
        ['in front'],
        ['in front'],
      ]);
      const reason = 'waiting_for_turn';
      expect(await transactionsOf(own, 'buyer')).toMatchObject([{ reason }, { reason }]);
    });

    test('they are queued as places become free, in turns of their devices, and each application has its own', async () => {
      await queueWaiting(own.database.pool);
      expect(await waiting(own.application)).toBe(350);
      const where = { applicationId: own.application.id };
      const first = await own.database.prisma.storeTransaction.findMany({
        where: { ...where, reason: 'waiting_in_line' },
        orderBy: [{ lookUpRound: 'asc' }, { receivedAt: 'asc' }, { id: 'asc' }],
        take: 40,
      });
      const { count } = await own.database.prisma.storeTransaction.updateMany({
        where: { ...where, uploadedBy: (await looking(own))!, waits: true },
        data: { waits: false, takesPlace: false, lastLookedUpAt: new Date(), lookUpAt: null },
      });
      expect(count).toBeGreaterThan(40);
      await queueWaiting(own.database.pool);
      expect(await waiting(own.application)).toBe(Math.max(0, 350 - count));
      for (const { id } of first) expect(await due(own.application, id)).toEqual(['behind']);
    });

    const looking = async ({ database, application }: TestService) =>
      (await database.prisma.storeTransaction.findFirst({ where: { applicationId: application.id, waits: true } }))
        ?.uploadedBy;

    test('while an upload has the places, their job waits for its end instead of finding none', async () => {
      const [pool, other] = [own.database.pool, { ...service, application: await service.newApplication() }];
      const [id] = ids(1);
      let queued: Promise<void> | undefined;
      await inTransaction(pool, async (open) => {
        await findVacancies(open, other.application.id);
        expect(await upload(other, [id!], { device: 'a stranger' })).toMatchObject({ status: 200 });
        expect([await waiting(other.application), await due(other.application, id)]).toEqual([1, []]);
        queued = queueWaitingTransactions(pool, other.application.id);
        await waitingForLocks(pool, 1);
      });
      await queued;
      expect([await waiting(other.application), await due(other.application, id)]).toEqual([0, ['behind']]);
    });

    test('whoever names an id that waits for a place has the places given again: the job may have passed over its row', async () => {
      const [pool, other] = [own.database.pool, { ...service, application: await service.newApplication() }];
      const [id] = ids(1);
      const key = `queueWaitingTransactions:${other.application.id}`;
      const jobs = async () => (await pool.query('SELECT FROM graphile_worker.jobs WHERE key = $1', [key])).rowCount;
      await inTransaction(pool, async (open) => {
        await findVacancies(open, other.application.id);
        await upload(other, [id!], { device: 'a stranger' });
        expect(await jobs()).toBe(1);
        await pool.query('SELECT graphile_worker.remove_job($1)', [key]);
        await upload(other, [id!], { device: 'another stranger' });
        expect([await waiting(other.application), await jobs()]).toEqual([1, 1]);
      });
    });

    test('what a proven device has waiting behind takes none of their places', async () => {
      const other = { ...service, application: await service.newApplication() };
      await prove(other, 'busy');
      for (let round = 0; round < 2; round += 1) await upload(other, ids(450), { device: 'busy' });
      await upload(other, ids(500), { device: 'a stranger' });
      expect([await waiting(other.application), (await due(other.application)).length]).toEqual([0, 1_400]);
    });

    test('sessions that are not signed prove nothing', async () => {
      const headers = { 'X-Api-Key': own.application.key.public };
      const { status } = await own.client.send(
        'reportSessions',
        headers,
        json(aReport({ device: aDevice('invented') })),
      );
      expect(status).toBe(200);
      const id = randomUUID();
      await upload(own, [id], { device: 'invented' });
      expect(await transactionsOf(own, 'invented')).toMatchObject([{ reason: 'waiting_in_line' }]);
    });
  });

  test('whatever strangers invent, a proven device’s purchase is looked up within the next turns', async () => {
    const callsPerSecond = 20;
    const purchases = await startPurchaseTest({ callsPerSecond, foundation: { notKnownMillis: 60_000 } });
    try {
      const { service, store } = purchases;
      for (let device = 0; device < 30; device += 1) await upload(service, ids(40), { device: `invented ${device}` });
      await prove(service, 'honest');
      const id = randomUUID();
      store.sell(aPurchase({ transactionId: id }));
      await upload(service, [id], { device: 'honest' });
      const before = store.calls.length;
      await settled(service, id, ['RESOLVED']);
      // 1,200 ids of strangers are 2,400 calls.
      expect(store.calls.findIndex((call) => call.id === id) - before).toBeLessThan(5 * callsPerSecond);
    } finally {
      await purchases.stop();
    }
  });
});

// Purchases: which transactions are looked up first when one device uploads ids without end.
describe('purchases: turns', () => {
  const ids = (count: number) => Array.from({ length: count }, () => randomUUID());
  const numbered = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name}-${String(index).padStart(3, '0')}`);

  test('with a backlog of one device, and two workers, another one’s transaction is asked among the next calls', async () => {
    const callsPerSecond = 20;
    const purchases = await startPurchaseTest({ callsPerSecond });
    const { service, store } = purchases;
    const stopSecond = await startTestWorker(purchases, { callsPerSecond });
    try {
      await prove(service, 'another');
      const begun = Date.now();
      for (let round = 0; round < 4; round += 1) await upload(service, ids(500), { device: 'flood' });
      const count = async () => store.calls.length;
      const before = await eventually(count, (calls) => calls >= 60);
      const id = randomUUID();
      store.respondWith(id, { production: [{ purchase: aPurchase({ transactionId: id }) }] });
      await upload(service, [id], { device: 'another' });
      await settled(service, id, ['RESOLVED']);
      expect(store.calls.findIndex((call) => call.id === id) - before).toBeLessThan(150);
      expectPaced(store, begun, callsPerSecond);
    } finally {
      await stopSecond();
      await purchases.stop();
    }
  });

  test('all of a backlog is asked in the end, and nothing of it twice', async () => {
    const purchases = await startPurchaseTest({ callsPerSecond: 200 });
    const { service, store } = purchases;
    try {
      await upload(service, ids(300), { device: 'flood' });
      const { prisma } = service.database;
      const found = () => prisma.storeTransaction.count({ where: { state: 'NOT_FOUND' } });
      await eventually(found, (count) => count === 300);
      expect(store.calls).toHaveLength(600);
    } finally {
      await purchases.stop();
    }
  });

  const proven = [
    ...['line', 'flood-2', 'owner', 'accomplice', 'final', 'final-2', 'moved', 'moved-2', 'later', 'later-2'],
    ...['at-once', 'beside-1', 'beside-2'],
  ];

  describe('of the transactions that a proven device uploads', () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService();
      await prove(service, ...proven);
    });
    afterAll(() => service.stop());

    const rowsOf = (name: string) =>
      service.database.prisma.storeTransaction.findMany({
        where: { id: { startsWith: name } },
        orderBy: { id: 'asc' },
      });
    const behind = async (name: string) =>
      (await rowsOf(name)).filter((row) => row.behind && row.state === 'PENDING').map(({ id }) => id);
    /** In which line it is due, and in which round; null where it is not. */
    const placeOf = async (id: string) => {
      const row = await service.database.prisma.storeTransaction.findFirstOrThrow({ where: { id } });
      return row.lookUpAt && [row.behind ? 'behind' : 'in front', row.lookUpRound];
    };
    const finish = (name: string) =>
      service.database.prisma.storeTransaction.updateMany({
        where: { id: { startsWith: name } },
        data: { state: 'RESOLVED', lastLookedUpAt: new Date() },
      });

    test('the latest 20 that are PENDING wait in line, and further ones behind, whatever waits for credentials', async () => {
      const all = numbered('line', 32);
      await upload(service, all.slice(0, 15), { device: 'line' });
      await service.database.prisma.storeTransaction.updateMany({ data: { reason: 'no_credentials' } });
      await upload(service, all.slice(10, 30), { device: 'line' });
      expect(await behind('line')).toEqual(all.slice(0, 10));
      expect([await placeOf(all[0]!), await placeOf(all[14]!), await placeOf(all[29]!)]).toEqual([
        ['behind', 0],
        ['in front', 14],
        ['in front', expect.any(Number)],
      ]);
      await finish('line-00');
      await upload(service, all, { device: 'line' });
      expect(await behind('line')).toEqual(all.slice(30, 32));
      await finish('line-01');
      await upload(service, all, { device: 'line' });
      expect(await behind('line')).toEqual([]);
    });

    test.each([false, true])('devices take turns, however many one has uploaded before: behind %s', async (behind) => {
      const own = { ...service, application: await service.newApplication() };
      if (!behind) await prove(own, 'many', 'one');
      await upload(own, numbered('many', 5), { device: 'many' });
      await upload(own, ['of another'], { device: 'one' });
      const line = { applicationId: own.application.id, behind };
      const order = [];
      for (let next = await begin(line); next; next = await begin(line)) order.push(next.transactionId);
      expect(order).toEqual(['many-000', 'of another', ...numbered('many', 5).slice(1)]);
    });
    const begin = (line: Line) => beginLookUp(service.database.pool, line);

    test('what another device uploads too comes forward, and its job with it, within the room of that device', async () => {
      const all = numbered('guessed', 100);
      await upload(service, all, { device: 'flood-2' });
      expect(await behind('guessed')).toEqual(all.slice(20));
      await upload(service, [all[99]!], { device: 'owner' });
      expect(await behind('guessed')).toEqual(all.slice(20, 99));
      expect(await placeOf(all[99]!)).toEqual(['in front', 0]);
      await upload(service, all, { device: 'accomplice' });
      expect(await behind('guessed')).toEqual(all.slice(40, 99));
    });

    test('what is final takes no room of the next device', async () => {
      const all = numbered('final', 60);
      await upload(service, all.slice(0, 40), { device: 'final' });
      expect(await behind('final')).toEqual(all.slice(20, 40));
      await finish('final');
      await upload(service, all.slice(20), { device: 'final-2' });
      expect(await behind('final')).toEqual([]);
    });

    test('one that came forward takes the room of the device that brought it, and not of the one before', async () => {
      const all = numbered('moved', 60);
      await upload(service, all.slice(0, 40), { device: 'moved' });
      await upload(service, all.slice(20, 40), { device: 'moved-2' });
      await upload(service, all.slice(40, 50), { device: 'moved-2' });
      expect(await behind('moved')).toEqual(all.slice(20, 30));
      await upload(service, all.slice(50), { device: 'moved' });
      expect(await behind('moved')).toEqual([...all.slice(0, 10), ...all.slice(20, 30)]);
    });

    test('one that is put off until later comes forward without being asked sooner', async () => {
      const all = numbered('later', 21);
      await upload(service, all, { device: 'later' });
      await service.database.prisma.storeTransaction.updateMany({
        where: { id: all[20]! },
        data: { reason: 'store_busy', lastLookedUpAt: new Date(), lookUpAt: new Date(Date.now() + 3_600_000) },
      });
      await upload(service, all, { device: 'later-2' });
      expect(await behind('later')).toEqual([]);
      const { lookUpAt } = await service.database.prisma.storeTransaction.findFirstOrThrow({ where: { id: all[20]! } });
      expect(lookUpAt!.getTime()).toBeGreaterThan(Date.now() + 3_000_000);
    });

    /** Somebody else begins and commits. */
    const stepByStep = (transaction: Transaction) =>
      Object.assign(transaction, {
        pipelined: <Found>(ask: (pipeline: Transaction) => Promise<Found>) => ask(transaction),
      }) as PipelinedTransaction;

    /** Stores each report in its own transaction, all of them open at once. */
    async function storeAtOnce(...reports: { device: string; name: string }[]): Promise<void> {
      const { application, database } = service;
      const clients = await Promise.all(reports.map(() => database.pool.connect()));
      try {
        for (const [at, { device, name }] of reports.entries()) {
          await clients[at]!.query('BEGIN');
          await storeTransactionReport(
            stepByStep(clients[at] as unknown as Transaction),
            {
              ...{ applicationId: application.id, deviceKey: deviceKey(application.id, device), deviceId: device },
              ...{ externalId: null, transactionIds: numbered(name, 20) },
            },
            new Date(),
          );
        }
        for (const client of clients) await client.query('COMMIT');
      } finally {
        for (const client of clients) client.release();
      }
    }

    test('many at once find no more room than one after the other', async () => {
      await storeAtOnce({ device: 'at-once', name: 'once-a' }, { device: 'at-once', name: 'once-b' });
      expect(await behind('once')).toEqual(numbered('once-b', 20));
    });

    test('the room of one device is there while another one uploads', async () => {
      await storeAtOnce({ device: 'beside-1', name: 'beside-a' }, { device: 'beside-2', name: 'beside-b' });
      expect(await behind('beside')).toEqual([]);
    });
  });
});

// Purchases: ids that strangers invent for the device of another, which they know: openapi.yaml, "Look-up in the store".
describe('purchases: hung', () => {
  const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

  describe('before any look-up', () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService();
      await prove(service, 'owner', 'busy');
    });
    afterAll(() => service.stop());

    /** How many are due in which line. */
    const due = async (transactionIds: string[]) => {
      const { rows } = await service.database.pool.query<{ behind: boolean; count: number }>(
        `SELECT behind, count(*)::int AS count FROM store_transactions
      WHERE id = ANY($1) AND look_up_at IS NOT NULL GROUP BY behind ORDER BY behind`,
        [transactionIds],
      );
      return rows.map(({ behind, count }) => [behind ? 'behind' : 'in front', count]);
    };

    test('a purchase waits in front although 500 ids were hung on its device, and 20 of the device do in all', async () => {
      const [invented, [id]] = [ids(500), ids(1)];
      await upload(service, invented, { device: 'owner' });
      expect(await due(invented)).toEqual([
        ['in front', 20],
        ['behind', 480],
      ]);
      await upload(service, [id!], { device: 'owner' });
      expect(await due([id!])).toEqual([['in front', 1]]);
      expect(await due(invented)).toEqual([
        ['in front', 19],
        ['behind', 481],
      ]);
    });

    test('at most 1,000 further ones have a job, and those beyond wait in line', async () => {
      expect(furtherOfOneDevice).toBe(1_000);
      const invented = ids(1_500);
      for (let from = 0; from < 1_500; from += 500) {
        await upload(service, invented.slice(from, from + 500), { device: 'busy' });
      }
      const { prisma } = service.database;
      const count = await prisma.storeTransaction.count({ where: { id: { in: invented }, reason: 'waiting_in_line' } });
      expect([count, await due(invented)]).toEqual([
        460,
        [
          ['in front', 20],
          ['behind', 1_020],
        ],
      ]);
    });
  });

  describe('with a store', () => {
    const callsPerSecond = 20;
    let purchases: PurchaseTest;
    beforeAll(async () => {
      purchases = await startPurchaseTest({ callsPerSecond });
    });
    afterAll(() => purchases.stop());

    test('the purchase is looked up within the next turns, and listed beside 100 of the others', async () => {
      const { service, store } = purchases;
      await prove(service, 'owner');
      const [earlier, id] = ids(2) as [string, string];
      store.sell(aPurchase({ transactionId: earlier }), aPurchase({ transactionId: id }));
      await upload(service, [earlier], { device: 'owner' });
      await settled(service, earlier, ['RESOLVED']);
      await upload(service, ids(500), { device: 'owner' });
      await upload(service, [id], { device: 'owner' });
      const before = store.calls.length;
      await settled(service, id, ['RESOLVED']);
      // 500 ids that the store does not know are 1,000 calls.
      expect(store.calls.findIndex((call) => call.id === id) - before).toBeLessThan(5 * callsPerSecond);
      const listed = await transactionsOf(service, 'owner');
      const resolved = listed.flatMap((one) => (one.state === 'RESOLVED' ? [one.id] : []));
      expect([listed.length, new Set(resolved)]).toEqual([102, new Set([earlier, id])]);
    });

    test('of those that are not resolved the latest are listed', async () => {
      const { service } = purchases;
      const latest = ids(60);
      await upload(service, ids(90), { device: 'watched' });
      await upload(service, latest, { device: 'watched' });
      const listed = new Set((await transactionsOf(service, 'watched')).map(({ id }) => id));
      expect([listed.size, latest.filter((id) => !listed.has(id))]).toEqual([100, []]);
    });
  });
});

// Purchases: what a look-up locks until its COMMIT, so that look-ups and uploads at one moment do not wait for each other.
describe('purchases: locks', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  test('look-ups of one product do not wait for each other', async () => {
    const { application, database } = service;
    const said = [{ productId: 'gold', kind: 'CONSUMABLE' as const }];
    await inTransaction(database.pool, (transaction) => nameProducts(transaction, application.id, said));
    await inTransaction(database.pool, async (first) => {
      await nameProducts(first, application.id, said);
      await inTransaction(database.pool, async (second) => {
        await second.query('SET LOCAL lock_timeout = 200');
        await nameProducts(second, application.id, said);
      });
    });
    expect(await database.prisma.storeProduct.count({ where: { applicationId: application.id } })).toBe(1);
  });

  describe('an upload of a known and a new id, and a look-up that stores both', () => {
    /** The look-up holds what comes before the row `between`; then the upload begins, and the row is let go. */
    async function meet(known: string, fresh: string, between: string): Promise<void> {
      const { application, database } = service;
      const { id: applicationId } = application;
      const upload = { applicationId, deviceKey: randomUUID() };
      const inserted = { ...upload, transactionIds: [known, between].sort() };
      await inTransaction(database.pool, (transaction) => nameTransactions(transaction, inserted));
      const row = 'SELECT FROM store_transactions WHERE id = $1 FOR UPDATE';
      const held = await holdLock(database.pool, row, between);
      const said = [known, between, fresh].sort().map(signedPurchase);
      const statement = { applicationId, environment: 'PRODUCTION', said } as const;
      const lookUp = inTransaction(database.pool, (transaction) => saveStatements(transaction, statement));
      await held.waiting(1);
      const named = { ...upload, transactionIds: [known, fresh].sort() };
      const report = inTransaction(database.pool, (transaction) => nameTransactions(transaction, named));
      await held.waiting(2);
      await held.release();
      await Promise.all([lookUp, report]);
    }

    test('do not wait for each other', async () => {
      const id = randomUUID();
      await expect(meet(`${id}-a`, `${id}-c`, `${id}-b`)).resolves.toBeUndefined();
    });

    test('ids are locked in the order of their bytes, also where JavaScript orders them otherwise', async () => {
      const id = randomUUID();
      // U+FFFD comes before U+1F600 in UTF-8, and after it in UTF-16.
      await expect(meet(`${id}-a`, `${id}-\u{1f600}`, `${id}-\ufffd`)).resolves.toBeUndefined();
    });
  });

  test('a line that is stored while its product gets a duration ends by that duration', async () => {
    const { application, database } = service;
    const [{ id: applicationId }, productId, lineId] = [application, `pass-${randomUUID()}`, randomUUID()];
    const purchase = { ...signedPurchase(lineId), productId, kind: 'NON_RENEWING' as const };
    const statement = { applicationId, environment: 'PRODUCTION' as const, transactions: [purchase], renewals: [] };
    const now = new Date(purchase.purchasedAt.getTime() + 1_000);
    const inPool = <Result>(run: Parameters<typeof inTransaction<Result>>[1]) => inTransaction(database.pool, run);
    await inPool((transaction) => nameProducts(transaction, applicationId, [purchase]));
    const told = await inPool(async (transaction) => {
      await storeStatement(transaction, statement, { now });
      await saveDuration(database, applicationId, { productId, durationDays: 30 });
      const end = retellProducts(database.pool, () => now);
      await setTimeout(300);
      return { end };
    });
    await told.end;
    const line = await database.prisma.storeEntitlement.findFirstOrThrow({ where: { lineId, applicationId } });
    expect(line.tellAt).toEqual(new Date(purchase.purchasedAt.getTime() + 30 * 86_400_000));
  });
});
