// Purchases: many uploads of the same transactions while they are looked up; none is lost, and none waits in a circle.
import { randomUUID } from 'node:crypto';
import type { FakePurchase } from '../tools/demo/fakeStore/signedData.ts';
import { captureLog } from '../support/capturedLog.ts';
import { eventually } from '../support/eventually.ts';
import { aPurchase } from '../support/fakeStore.ts';
import { entitlementsOf, startPurchaseTest, startTestWorker, upload, type PurchaseTest } from '../support/purchases.ts';
import { aMinuteLater } from '../support/storedPurchases.ts';
import { retried } from '../support/retried.ts';

let purchases: PurchaseTest;
let stopSecond: () => Promise<void>;
const captured = captureLog();
beforeAll(async () => {
  const foundation = { log: captured.log };
  purchases = await startPurchaseTest({ foundation });
  stopSecond = await startTestWorker(purchases, { foundation });
});
afterAll(async () => {
  captured.stop();
  await stopSecond();
  await purchases.stop();
});

const day = 86_400_000;

/** Five lines of four months each. */
function periods(): FakePurchase[] {
  return Array.from({ length: 5 }, () => randomUUID()).flatMap((line) =>
    [0, 1, 2, 3].map((month) =>
      aPurchase({
        ...{ transactionId: `${month}-${line}`, originalTransactionId: `0-${line}`, kind: 'AUTO_RENEWABLE' },
        purchasedAt: new Date(Date.now() + (month - 3) * 30 * day - day),
        expiresAt: new Date(Date.now() + (month - 2) * 30 * day - day),
      }),
    ),
  );
}

test('every device holds every line at the end, and every upload was accepted', async () => {
  const { service, store } = purchases;
  const sold = periods();
  store.sell(...sold);
  const ids = sold.map(({ transactionId }) => transactionId);
  const devices = Array.from({ length: 12 }, (_, number) => `device ${number}`);
  for (let round = 0; round < 4; round += 1) {
    const answers = await Promise.all(
      devices.map((device, number) => {
        const own = ids.filter((_, index) => (index + number + round) % 3 !== 0);
        const order = number % 2 === 0 ? own : own.toReversed();
        return retried(() => upload(service, order, { device }));
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    // One row at a time, so that the test itself waits for nobody in a circle.
    for (const id of ids) await aMinuteLater(service, id);
  }
  for (const device of devices) {
    const held = () => entitlementsOf(service, device);
    const lines = await eventually(held, ({ length }) => length === 5);
    expect(lines.map(({ active, storeTransactionIds }) => [active, storeTransactionIds.length])).toEqual(
      lines.map(() => [true, 4]),
    );
  }
  const failures = await service.database.pool.query<{ errors: number }>(
    'SELECT count(*)::int AS errors FROM graphile_worker._private_jobs WHERE last_error IS NOT NULL',
  );
  expect(failures.rows).toEqual([{ errors: 0 }]);
  expect(captured.text()).not.toContain('a look-up failed');
});
