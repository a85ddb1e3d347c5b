// The SQL of entitlements: the order of a device's transactions, and the time of a line's last change.
import { randomUUID } from 'node:crypto';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { upsertEntitlement } from '../../src/purchases/entitlementsStore.ts';
import type { Entitlement } from '../../src/purchases/entitlement.ts';
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

test('a line tells when it was changed last', async () => {
  const { application, database } = service;
  const bought: Entitlement = {
    ...{ lineId: 'line', productId: 'gold', kind: 'AUTO_RENEWABLE', environment: 'PRODUCTION' },
    ...{ purchasedAt: new Date('2026-01-01'), expiresAt: null, graceExpiresAt: null, revokedAt: null, autoRenew: null },
    signedAt: new Date('2026-01-02'),
  };
  const upsert = (entitlement: Entitlement) =>
    inTransaction(database.pool, (transaction) => upsertEntitlement(transaction, application.id, entitlement));
  const changedAt = async (signedAt: Date): Promise<Date> => {
    await upsert({ ...bought, signedAt });
    return (await database.prisma.storeEntitlement.findFirstOrThrow()).updatedAt;
  };
  await upsert(bought);
  const longAgo = new Date('2020-01-03');
  await database.prisma.storeEntitlement.updateMany({ data: { updatedAt: longAgo } });
  expect(await changedAt(bought.signedAt)).toEqual(longAgo);
  expect((await changedAt(new Date('2026-01-04'))).getTime()).toBeGreaterThan(longAgo.getTime());
});
