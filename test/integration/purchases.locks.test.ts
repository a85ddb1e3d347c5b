// Purchases: what a look-up locks until its COMMIT, so that look-ups and uploads at one moment do not wait for each other.
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { nameProducts } from '../../src/purchases/statementsStore.ts';
import { startTestService, type TestService } from '../support/testService.ts';

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
