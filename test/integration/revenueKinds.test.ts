// What figures of revenue often get wrong, each by a named test on every engine.
import type { RevenueQuestion } from '../../src/analytics/questions.ts';
import { readRevenue, type RevenueResult } from '../../src/analytics/reads/revenueRead.ts';
import type { DrawnLine, DrawnPurchase } from '../support/analytics/drawnPurchases.ts';
import { openEngines, type TestEngine } from '../support/analytics/engines.ts';
import { micros } from '../support/analytics/onEngines.ts';
import { storePurchases } from '../support/analytics/storePurchases.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
let engines: TestEngine[];
beforeAll(async () => {
  database = await createTestDatabase();
  engines = openEngines(database);
});
afterAll(async () => {
  for (const { engine } of engines) await engine.close();
  await database.drop();
});

const purchase = (id: string, time: string, changed: Partial<DrawnPurchase> = {}): DrawnPurchase => ({
  ...{ id, productId: 'p', purchasedAt: micros(time), expiresAt: null, revokedAt: null, revocationType: null },
  ...{ revocationPercent: null, priceMilli: 9_990n, currency: 'EUR', quantity: 1, ownership: 'PURCHASED' },
  ...{ offerMode: null, storefront: 'DE', upgraded: false, paidUntil: null, ...changed },
});

const line = (id: string, purchases: DrawnPurchase[], changed: Partial<DrawnLine> = {}): DrawnLine => ({
  ...{ id, kind: 'CONSUMABLE', environment: 'PRODUCTION', owner: 'ann', device: 'd1', purchases, renewals: [] },
  ...changed,
});

const question: Omit<RevenueQuestion, 'applicationId'> = {
  ...{ from: '2026-03-28', to: '2026-03-30', timeZone: 'Europe/Berlin', includeTest: false },
  ...{ interval: 'DAY', currency: 'EUR', breakdown: 'NONE' },
};
const now = '2026-03-30T12:00:00Z';

/** The other application has the same lines. */
async function eachResult(lines: DrawnLine[], check: (found: RevenueResult) => void): Promise<void> {
  const about = { asked: lines, other: lines, platforms: {}, timeZone: 'UTC', around: '2026-03-28', now: micros(now) };
  const applicationId = await storePurchases(database, about);
  for (const { engine, follow } of engines) {
    await follow();
    check(await readRevenue(engine, { ...question, applicationId }, new Date(now)));
  }
}

test('the total counts a payer of two days once', () =>
  eachResult(
    [line('1', [purchase('1', '2026-03-28T12:00:00Z')]), line('2', [purchase('2', '2026-03-29T12:00:00Z')])],
    ({ points, totals }) => {
      expect(points.map(({ payers }) => payers)).toEqual([1, 1, 0]);
      expect(totals).toEqual({ gross: '19.98', refunds: '0.00', purchases: 2, payers: 1, renewals: 0 });
    },
  ));

test('a user whose id is that of a device is another payer', () =>
  eachResult(
    [
      line('1', [purchase('1', '2026-03-28T12:00:00Z')], { owner: 'd1', device: 'd2' }),
      line('2', [purchase('2', '2026-03-28T12:00:00Z')], { owner: null, device: 'd1' }),
    ],
    ({ totals }) => expect(totals.payers).toBe(2),
  ));

test('a day of 23 hours is there once, and the point of today is not complete', () =>
  eachResult([line('1', [purchase('1', '2026-03-29T21:59:59Z')])], ({ points }) => {
    expect(points.map(({ start, complete, purchases }) => [start.toISOString(), complete, purchases])).toEqual([
      ['2026-03-27T23:00:00.000Z', true, 0],
      ['2026-03-28T23:00:00.000Z', true, 1],
      ['2026-03-29T22:00:00.000Z', false, 0],
    ]);
  }));

test('a renewal is a renewal where the first purchase is before the range, and no purchase', () =>
  eachResult(
    [
      line('1', [purchase('1', '2026-02-28T12:00:00Z'), purchase('1-b', '2026-03-28T12:00:00Z')], {
        kind: 'AUTO_RENEWABLE',
      }),
    ],
    ({ totals }) => expect(totals).toMatchObject({ gross: '9.99', purchases: 0, renewals: 1, payers: 1 }),
  ));

test('a refund counts when it was made, of 0 percent nothing and without a percentage all, and the end of family sharing is none', () => {
  const revoked = (id: string, changed: Partial<DrawnPurchase>) =>
    line(id, [purchase(id, '2026-03-28T12:00:00Z', { revokedAt: micros('2026-03-29T12:00:00Z'), ...changed })]);
  return eachResult(
    [
      revoked('1', { revocationPercent: 0 }),
      revoked('2', {}),
      revoked('3', { revocationPercent: 50 }),
      revoked('4', { revocationType: 'FAMILY_REVOKE' }),
    ],
    ({ points, totals }) => {
      expect(points.map(({ gross, refunds }) => [gross, refunds])).toEqual([
        ['39.96', '0.00'],
        ['0.00', '14.985'],
        ['0.00', '0.00'],
      ]);
      expect(totals).toMatchObject({ gross: '39.96', refunds: '14.985' });
    },
  );
});
