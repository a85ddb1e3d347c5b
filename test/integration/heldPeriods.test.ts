// The period of a line that holds: replaced, taken back, booked early and booked late, in any order of the store's statements.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { latestStatements } from '../../src/purchases/entitlement.ts';
import { aheadMillis, holdingPeriod } from '../../src/purchases/periods.ts';
import type { SignedRenewal, SignedTransaction } from '../../src/purchases/storeClient.ts';
import { storeStatement } from '../../src/purchases/storeStatement.ts';
import { day, dayOf, eventsOf, minute, startEventTest, subscribe, tick } from '../support/entitlementEvents.ts';
import type { EventTest } from '../support/entitlementEvents.ts';
import { signedPurchase } from '../support/signedPurchase.ts';

let events: EventTest;
beforeAll(async () => {
  events = await startEventTest();
});
afterAll(() => events.stop());
beforeEach(() => events.at(0));

const renewing = { autoRenew: true, inBillingRetry: false, graceExpiresAt: null };

/** The store says this, at the time of the clock. */
async function say(transactions: SignedTransaction[], renewals: SignedRenewal[] = []): Promise<void> {
  const applicationId = events.service.application.id;
  const statement = { applicationId, environment: 'PRODUCTION', transactions, renewals } as const;
  await inTransaction(events.service.database.pool, (transaction) =>
    storeStatement(transaction, statement, { now: events.now() }),
  );
}

/** A period of the line from one day to another. */
function period(line: string, id: string, [from, to]: [number, number], fields: Partial<SignedTransaction> = {}) {
  const dates = { purchasedAt: dayOf(from), expiresAt: dayOf(to), signedAt: dayOf(from) };
  return {
    ...signedPurchase(`${line}${id}`),
    kind: 'AUTO_RENEWABLE',
    originalTransactionId: line,
    ...dates,
    ...fields,
  } as const;
}

const rowOf = (lineId: string) =>
  events.service.database.prisma.storeEntitlement.findFirstOrThrow({ where: { lineId } });
const typesOf = async (line: string) =>
  (await eventsOf(events, line)).map(({ type }) => type.replace('entitlement.', ''));

/** Every order of these. */
const orders = <Each>(all: Each[]): Each[][] =>
  all.length < 2 ? [all] : all.flatMap((one, index) => orders(all.toSpliced(index, 1)).map((rest) => [one, ...rest]));

/** Before the end of the monthly period. */
const bought = 30 - 2.7 / 24;

test.each([30 - 1 / 24, 31])(
  'an upgrade holds, whatever is said first of the renewal that it has replaced: on day %d',
  async (now) => {
    for (const order of orders([0, 1, 2, 3])) {
      events.at(now);
      const line = randomUUID();
      const renewal = period(line, '-1', [30, 60], { signedAt: dayOf(29) });
      const taken = { upgraded: true, revokedAt: dayOf(bought), signedAt: dayOf(bought) };
      const statements = [
        period(line, '', [0, 30]),
        renewal,
        { ...renewal, ...taken },
        period(line, '-2', [bought, bought + 365], { productId: 'yearly' }),
      ];
      for (const index of order) {
        const said = statements[index]!;
        await say([said], [{ lineId: line, ...renewing, signedAt: said.signedAt }]);
      }
      events.at(40);
      await tick(events);
      expect(await rowOf(line)).toMatchObject({ productId: 'yearly', revokedAt: null, toldActive: true });
      expect(await typesOf(line)).not.toContain('revoked');
    }
  },
);

test('a renewal that was taken back before it begins leaves the present period, which ends by itself', async () => {
  const line = randomUUID();
  const stops = [{ lineId: line, ...renewing, autoRenew: false, signedAt: dayOf(29) }];
  events.at(29.5);
  await say([period(line, '', [0, 30])], stops);
  await say([period(line, '-1', [30, 60], { revokedAt: dayOf(29.6), signedAt: dayOf(29.6) })]);
  events.at(30 - 1 / 24);
  await tick(events);
  expect(await rowOf(line)).toMatchObject({ transactionId: line, revokedAt: null });
  expect(await typesOf(line)).toEqual(['activated']);
  events.at(30);
  await tick(events);
  events.at(31);
  await tick(events);
  expect(await rowOf(line)).toMatchObject({ transactionId: line, revokedAt: null });
  expect(await typesOf(line)).toEqual(['activated', 'expired']);
});

test('a renewal that was booked early is told a minute before it begins, and nothing ends between', async () => {
  const line = randomUUID();
  const stops = [{ lineId: line, ...renewing, autoRenew: false, signedAt: dayOf(29) }];
  events.at(29.5);
  await say([period(line, '', [0, 30]), period(line, '-1', [30, 60])], stops);
  expect(await rowOf(line)).toMatchObject({ transactionId: line, expiresAt: dayOf(30), beginsAt: dayOf(30) });
  events.at(30 - (minute + 1) / day);
  expect(await tick(events)).toBe(0);
  events.at(30 - minute / day);
  await Promise.all([tick(events), tick(events)]);
  expect(await rowOf(line)).toMatchObject({ transactionId: `${line}-1`, expiresAt: dayOf(60), beginsAt: null });
  events.at(30);
  await tick(events);
  expect(await typesOf(line)).toEqual(['activated', 'renewed']);
});

describe('the store books a renewal after the end', () => {
  const second = 1_000 / day;

  test('within a minute, while it says that the subscription is active: it is told alone', async () => {
    const { sell, lookUpEnd, types, shown } = await subscribe(events);
    events.at(30 + second);
    await lookUpEnd();
    await tick(events);
    events.at(30 + 59 * second);
    await tick(events);
    expect([await types(), (await shown()).active]).toEqual([['activated'], true]);
    sell(1);
    events.at(30 + 61 * second);
    await lookUpEnd();
    await tick(events);
    expect([await types(), (await shown()).active]).toEqual([['activated', 'renewed'], true]);
  });

  test('later: the end is told after a minute', async () => {
    const { lookUpEnd, types } = await subscribe(events);
    events.at(30 + second);
    await lookUpEnd();
    events.at(30 + 61 * second);
    await lookUpEnd();
    await tick(events);
    expect(await types()).toEqual(['activated', 'expired']);
  });

  test('the end is told at once where the store says so', async () => {
    const { sell, lookUpEnd, types } = await subscribe(events);
    events.at(30 + second);
    sell(0, { status: 2 });
    await lookUpEnd();
    expect(await types()).toEqual(['activated', 'expired']);
  });
});

test('an extension moves the end, and not the end that was paid for, in any order', async () => {
  const line = randomUUID();
  const paid = period(line, '', [0, 30]);
  const extended = { ...paid, expiresAt: dayOf(90), signedAt: dayOf(10) };
  const { prisma } = events.service.database;
  for (const order of [[[paid], [extended]], [[extended], [paid]], [[extended, paid]]]) {
    await prisma.storeTransaction.deleteMany({ where: { id: line } });
    for (const said of order) await say(said);
    const stored = await prisma.storeTransaction.findFirstOrThrow({ where: { id: line } });
    expect([stored.expiresAt, stored.paidUntil]).toEqual([dayOf(90), dayOf(30)]);
  }
});

test('what is stored of a line is what the rule says of all statements, in any order of arrival', async () => {
  const drawnPeriod = fc.record({
    from: fc.integer({ min: 0, max: 6 }),
    said: fc.array(
      fc.record({
        revoked: fc.option(fc.integer({ min: 0, max: 6 })),
        upgraded: fc.boolean(),
        days: fc.integer({ min: 1, max: 3 }),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  });
  const scenes = fc.array(drawnPeriod, { minLength: 1, maxLength: 5 }).chain((periods) => {
    const statements = periods.flatMap(({ from, said }, number) =>
      said.map(({ revoked, upgraded, days }, version) => ({
        ...{ number, from, to: from + days, version, upgraded, revoked },
      })),
    );
    const order = fc.shuffledSubarray(statements, { minLength: statements.length });
    return fc.tuple(order, fc.array(fc.integer({ min: 0, max: 8 }), { minLength: statements.length, maxLength: 10 }));
  });
  const property = fc.asyncProperty(scenes, async ([order, times]) => {
    const line = randomUUID();
    const ascending = [...times].sort((one, other) => one - other);
    const all = order.map(({ number, from, to, version, upgraded, revoked }) =>
      period(line, `-${number}`, [from, to], {
        ...{ upgraded, revokedAt: revoked === null ? null : dayOf(revoked), signedAt: dayOf(from + version / 24) },
      }),
    );
    for (const [index, statement] of all.entries()) {
      events.at(ascending[index]!);
      await say([statement]);
    }
    events.at(ascending.at(-1)!);
    await tick(events);
    const holds = holdingPeriod(latestStatements(all), new Date(events.now().getTime() + aheadMillis))!;
    expect((await rowOf(line)).transactionId).toBe(holds.transactionId);
  });
  await fc.assert(property, { numRuns: 60, interruptAfterTimeLimit: 200_000 });
}, 300_000);
