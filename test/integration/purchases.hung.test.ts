// Purchases: ids that strangers invent for the device of another, which they know: openapi.yaml, "Look-up in the store".
import { randomUUID } from 'node:crypto';
import { furtherOfOneDevice } from '../../src/purchases/uploadsStore.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { prove, settled, startPurchaseTest, transactionsOf, upload, type PurchaseTest } from '../support/purchases.ts';
import { startTestService, type TestService } from '../support/testService.ts';

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
