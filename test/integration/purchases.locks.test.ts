// Purchases: what a look-up locks until its COMMIT, so that look-ups and uploads at one moment do not wait for each other.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { saveDuration } from '../../src/purchases/productsStore.ts';
import { nameProducts, saveStatements } from '../../src/purchases/statementsStore.ts';
import { storeStatement } from '../../src/purchases/storeStatement.ts';
import { retellProducts } from '../../src/purchases/tellEndsByClock.ts';
import { nameTransactions } from '../../src/purchases/uploadsStore.ts';
import { holdLock } from '../support/heldLock.ts';
import { signedPurchase } from '../support/signedPurchase.ts';
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
    await inPool((edit) => saveDuration(edit, applicationId, { productId, kind: null, durationDays: 30 }));
    const end = retellProducts(database.pool, () => now);
    await setTimeout(300);
    return { end };
  });
  await told.end;
  const line = await database.prisma.storeEntitlement.findFirstOrThrow({ where: { lineId, applicationId } });
  expect(line.tellAt).toEqual(new Date(purchase.purchasedAt.getTime() + 30 * 86_400_000));
});
