// The SQL of a device's transactions and entitlements: their order.
import { randomUUID } from 'node:crypto';
import { transactionsOf, upload } from '../support/purchases.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('transactions of a device that arrived at one moment come in the order of their ids', async () => {
  const device = randomUUID();
  const ids = Array.from({ length: 20 }, (_, index) => `t${String(index).padStart(2, '0')}`);
  for (const id of [...ids].reverse()) await upload(service, [id], { device });
  await service.database.pool.query(`UPDATE store_transactions SET received_at = '2020-09-10T00:00:00Z'`);
  await upload(service, ['a', 'z'], { device });
  expect((await transactionsOf(service, device)).map(({ id }) => id)).toEqual(['a', 'z', ...ids]);
});
