// Purchases: ids that strangers with the public key invent wait for a place, and hold up no purchase of a proven device.
import { randomUUID } from 'node:crypto';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { queueWaiting, queueWaitingTransactions } from '../../src/purchases/queueDueLookUps.ts';
import { findVacancies, unprovenPlaces } from '../../src/purchases/uploadsStore.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { waitingForLocks } from '../support/heldLock.ts';
import { prove, settled, startPurchaseTest, transactionsOf, upload } from '../support/purchases.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aDevice, aReport, json } from '../support/uploads.ts';

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
    const { status } = await own.client.send('reportSessions', headers, json(aReport({ device: aDevice('invented') })));
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
