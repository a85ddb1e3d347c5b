// Purchases: which transactions are looked up first when one device uploads ids without end.
import { randomUUID } from 'node:crypto';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import type { PipelinedTransaction, Transaction } from '../../src/platform/database/transaction.ts';
import type { Line } from '../../src/purchases/storeJobs.ts';
import { storeTransactionReport } from '../../src/purchases/storeTransactionReport.ts';
import { beginLookUp } from '../../src/purchases/storeTransactionsStore.ts';
import { eventually } from '../support/eventually.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { expectPaced, prove, settled, startPurchaseTest, startTestWorker, upload } from '../support/purchases.ts';
import { startTestService, type TestService } from '../support/testService.ts';

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
    store.answer(id, { production: [{ purchase: aPurchase({ transactionId: id }) }] });
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
    service.database.prisma.storeTransaction.findMany({ where: { id: { startsWith: name } }, orderBy: { id: 'asc' } });
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
      pipelined: <Answer>(ask: (pipeline: Transaction) => Promise<Answer>) => ask(transaction),
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
