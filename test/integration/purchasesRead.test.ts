// `revenue`, `revenueCurrencies` and `subscriptions` three ways: each engine and the reference give the same figures.
import fc from 'fast-check';
import type { AnalyticsEngine } from '../../src/analytics/engine/engine.ts';
import type { RevenueQuestion } from '../../src/analytics/questions.ts';
import { readRevenueCurrencies } from '../../src/analytics/reads/revenueCurrenciesRead.ts';
import { readRevenue } from '../../src/analytics/reads/revenueRead.ts';
import { readSubscriptions } from '../../src/analytics/reads/subscriptionsRead.ts';
import { drawnPurchases, type DrawnPurchases } from '../support/analytics/drawnPurchases.ts';
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
async function compare<Asked, Answer>(
  { about, asked }: Case<Asked>,
  expected: Answer,
  read: (engine: AnalyticsEngine, question: Asked & { applicationId: string }) => Promise<Answer>,
): Promise<void> {
  const applicationId = await storePurchases(database, about);
  for (const { name: on, engine, follow } of engines) {
    await follow();
    expect({ on, answer: await read(engine, { ...asked, applicationId }) }).toEqual({ on, answer: expected });
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
