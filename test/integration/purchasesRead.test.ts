// `revenue`, `revenueCurrencies` and `subscriptions` three ways: each engine and the reference give the same figures.
import fc from 'fast-check';
import type { AnalyticsEngine } from '../../src/analytics/engine/engine.ts';
import type { RevenueQuestion } from '../../src/analytics/questions.ts';
import { readRevenueCurrencies } from '../../src/analytics/revenueCurrencies.ts';
import { readRevenue } from '../../src/analytics/revenue.ts';
import { readSubscriptions } from '../../src/analytics/subscriptions.ts';
import { drawnPurchases, type DrawnPurchase, type DrawnPurchases } from '../support/analytics/drawnPurchases.ts';
import { askedAround, reportIntervals } from '../support/analytics/drawnQuestions.ts';
import { openEngines, type TestEngine } from '../support/analytics/engines.ts';
import { currenciesOf, revenueOf, subscriptionsOf } from '../support/analytics/purchasesReference.ts';
import { storePurchases } from '../support/analytics/storePurchases.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

const numRuns = Number(process.env['ANALYTICS_RUNS'] ?? 60);
const timeout = 60_000 + numRuns * 1_000;
/** A counterexample that is not yet short is better than none. */
const runs = { numRuns, interruptAfterTimeLimit: timeout - 20_000 };

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

interface Case<Asked> {
  about: DrawnPurchases;
  asked: Asked;
}

/** Stores what was drawn and compares each engine with what is expected. */
async function compare<Asked, Result>(
  { about, asked }: Case<Asked>,
  expected: Result,
  read: (engine: AnalyticsEngine, question: Asked & { applicationId: string }) => Promise<Result>,
): Promise<void> {
  const applicationId = await storePurchases(database, about);
  for (const { name: on, engine, follow } of engines) {
    await follow();
    expect({ on, response: await read(engine, { ...asked, applicationId }) }).toEqual({ on, response: expected });
  }
}

test(
  'revenue: every engine gives what the definitions say',
  async () => {
    const questionAbout = (about: DrawnPurchases) =>
      fc
        .record({
          asked: askedAround(about),
          interval: reportIntervals,
          currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'JPY', 'USD', 'CHF'),
          breakdown: fc.constantFrom(
            'PRODUCT' as const,
            'COUNTRY' as const,
            'COUNTRY' as const,
            'PLATFORM' as const,
            'NONE' as const,
          ),
        })
        .map(({ asked, ...rest }) => ({ about, asked: { ...asked, ...rest } }));
    const property = fc.asyncProperty(drawnPurchases.chain(questionAbout), async (each) => {
      const { about, asked } = each;
      const inMicros = <Point extends { start: Date }>(points: readonly Point[]) =>
        points.map((point) => ({ ...point, start: point.start.getTime() * 1_000 }));
      await compare(each, revenueOf(about, asked as RevenueQuestion), async (engine, question) => {
        const { points, totals, breakdown } = await readRevenue(engine, question, new Date(about.now / 1_000));
        const lines = breakdown?.map((line) => ({ ...line, points: inMicros(line.points) })) ?? null;
        return { points: inMicros(points), totals, breakdown: lines };
      });
    });
    await fc.assert(property, runs);
  },
  timeout,
);

/** Instants at which something changes, in whole milliseconds: each list is as likely as the others. */
function turnsOf({ asked, now }: DrawnPurchases): number[][] {
  const purchases = asked.flatMap((line) => line.purchases);
  const renewals = asked.flatMap((line) => line.renewals);
  const lists = [
    ...[purchases.map(({ purchasedAt }) => purchasedAt), purchases.map(({ expiresAt }) => expiresAt)],
    ...[purchases.map(({ revokedAt }) => revokedAt), renewals.map(({ signedAt }) => signedAt)],
    ...[renewals.map(({ graceExpiresAt }) => graceExpiresAt), [now]],
  ];
  const known = lists.map((list) => list.flatMap((time) => (time === null ? [] : [Math.floor(time / 1_000) * 1_000])));
  return known.filter((list) => list.length > 0);
}

test(
  'subscriptions and revenueCurrencies: every engine gives what the definitions say',
  async () => {
    const cases = fc.record({ about: drawnPurchases, includeTest: fc.boolean() }).chain(({ about, includeTest }) => {
      const at = fc
        .constantFrom(...turnsOf(about))
        .chain((times) => fc.constantFrom(...times))
        .chain((time) => fc.constantFrom(time, time, time + 1_000, time - 1_000));
      return at.map((each) => ({ about, asked: { at: each, includeTest } }));
    });
    const property = fc.asyncProperty(cases, async (each) => {
      const { about, asked } = each;
      const expected = { ...subscriptionsOf(about, asked), currencies: currenciesOf(about, asked.includeTest) };
      await compare(each, expected, async (engine, question) => {
        const { asOf, ...found } = await readSubscriptions(engine, { ...question, at: new Date(question.at / 1_000) });
        expect(asOf).toBeInstanceOf(Date);
        return { ...found, currencies: await readRevenueCurrencies(engine, question) };
      });
    });
    await fc.assert(property, runs);
  },
  timeout,
);

const day = 86_400_000_000;
const begin = Date.parse('2026-03-01T00:00:00Z') * 1_000;
const at = (days: number): Date => new Date((begin + days * day) / 1_000);

const paid: DrawnPurchase = {
  ...{ id: '1', productId: 'monthly', purchasedAt: begin, expiresAt: begin + 31 * day, paidUntil: begin + 31 * day },
  ...{ revokedAt: null, revocationType: null, revocationPercent: null, upgraded: false, priceMilli: 9_990n },
  ...{ currency: 'EUR', quantity: 1, ownership: 'PURCHASED', offerMode: null, storefront: null },
};
const free: DrawnPurchase = {
  ...{ ...paid, id: '2', purchasedAt: begin + 31 * day, expiresAt: begin + 123 * day, paidUntil: begin + 123 * day },
  ...{ priceMilli: 0n, offerMode: 'FREE_TRIAL' },
};
const yearly = { ...paid, id: '3', productId: 'yearly', priceMilli: 99_990n, expiresAt: begin + 365 * day };
const refunded = { ...paid, revokedAt: begin + 20 * day, revocationType: 'REFUND_FULL' };

test.each<[string, DrawnPurchase[], number, { active: number; trials: number; mrr: string[] }]>([
  ['a period that was paid for', [paid], 1, { active: 1, trials: 0, mrr: ['9.80'] }],
  ['a free period after it', [paid, free], 60, { active: 1, trials: 0, mrr: ['9.80'] }],
  ['a free period that is no offer', [paid, { ...free, offerMode: null }], 60, { active: 1, trials: 0, mrr: ['9.80'] }],
  ['an extension of it', [{ ...paid, expiresAt: begin + 93 * day }], 60, { active: 1, trials: 0, mrr: ['9.80'] }],
  ['a trial', [free], 60, { active: 1, trials: 1, mrr: [] }],
  ['a trial after a refund', [refunded, free], 60, { active: 1, trials: 1, mrr: [] }],
  [
    'a free period after an upgrade has replaced the paid one',
    [
      { ...refunded, upgraded: true, revocationType: null },
      { ...free, purchasedAt: begin + 20 * day },
    ],
    60,
    { active: 1, trials: 0, mrr: ['9.80'] },
  ],
  [
    'an upgrade before a renewal that it has replaced',
    [
      paid,
      { ...free, priceMilli: 9_990n, offerMode: null, upgraded: true, revokedAt: begin + 30 * day },
      { ...yearly, purchasedAt: begin + 30 * day, paidUntil: begin + 365 * day },
    ],
    60,
    { active: 1, trials: 0, mrr: ['9.07'] },
  ],
  [
    'a renewal that was taken back before it began',
    [paid, { ...free, priceMilli: 9_990n, offerMode: null, revokedAt: begin + 30 * day }],
    30.5,
    { active: 1, trials: 0, mrr: ['9.80'] },
  ],
])('subscriptions: %s', async (_, purchases, days, expected) => {
  const line = { id: '1', kind: 'AUTO_RENEWABLE', environment: 'PRODUCTION', owner: 'ann', device: 'd1' } as const;
  const lines = [{ ...line, purchases, renewals: [] }];
  const about = {
    asked: lines,
    other: [],
    platforms: {},
    timeZone: 'UTC',
    around: '2026-03-01',
    now: begin + 200 * day,
  };
  await compare({ about, asked: { at: at(days), includeTest: false } }, expected, async (engine, question) => {
    const { active, trials, mrr } = await readSubscriptions(engine, question);
    return { active, trials, mrr: mrr.map(({ amount }) => amount) };
  });
});
