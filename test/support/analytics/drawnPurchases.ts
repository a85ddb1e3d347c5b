// What the property tests of purchases draw: lines with their periods, refunds and renewals, and the devices that brought them.
import fc from 'fast-check';
import { dateOf, dayNumber } from '../../../src/analytics/reportDays.ts';
import type { Micros } from './drawn.ts';
import { instantNear, place, startOfDay, type Place } from './drawnDays.ts';

export interface DrawnPurchase {
  /** Unique in an application. */
  id: string;
  productId: string;
  purchasedAt: Micros;
  expiresAt: Micros | null;
  revokedAt: Micros | null;
  /** Another period has replaced it. */
  upgraded: boolean;
  /** The end before an extension; null where an older release stored it. */
  paidUntil: Micros | null;
  revocationType: string | null;
  revocationPercent: number | null;
  priceMilli: bigint | null;
  currency: string | null;
  quantity: number;
  ownership: 'PURCHASED' | 'FAMILY_SHARED';
  offerMode: string | null;
  storefront: string | null;
}

export interface DrawnRenewal {
  /** Unique in a line. */
  signedAt: Micros;
  inBillingRetry: boolean;
  graceExpiresAt: Micros | null;
}

export interface DrawnLine {
  /** The id of its first transaction, which need not be here. */
  id: string;
  kind: 'AUTO_RENEWABLE' | 'CONSUMABLE';
  environment: 'PRODUCTION' | 'SANDBOX';
  owner: string | null;
  /** The device that first brought it. */
  device: string | null;
  /** One, but for a subscription. */
  purchases: DrawnPurchase[];
  renewals: DrawnRenewal[];
}

export interface DrawnPurchases {
  asked: DrawnLine[];
  /** Of another application, with equal ids. */
  other: DrawnLine[];
  /** By the id of the device; one that has not uploaded sessions is missing. */
  platforms: Record<string, string>;
  timeZone: string;
  around: string;
  now: Micros;
}

const day = 86_400_000_000;
const daysAround = 12;

/** Few of them, so that values of a breakdown have equal sums. */
const amounts = fc.oneof(
  { weight: 2, arbitrary: fc.constant(9_990n) },
  { weight: 1, arbitrary: fc.constantFrom<bigint | null>(9_990n, 10n, 1_005n, 0n, null, 9_007_199_254_740_991n) },
);
/** Enough products for more than a breakdown shows. */
const productIds = [...Array.from({ length: 23 }, (_, index) => `p${index}`), 'P', 'ä', '\u{1f600}'];
const products = fc.oneof(fc.constantFrom('p1', 'p10', 'p2', 'P'), fc.constantFrom(...productIds));

function purchaseNear(at: Place, id: string): fc.Arbitrary<DrawnPurchase> {
  return fc
    .record({
      purchasedAt: instantNear(at, daysAround),
      length: fc.constantFrom(
        null,
        day,
        2 * day,
        7 * day,
        30 * day,
        31 * day,
        31 * day - 3_600_000_000,
        365 * day,
        1,
        0,
      ),
      revokedAfter: fc.option(fc.constantFrom(-day, 0, day, 20 * day), { freq: 2 }),
      upgraded: fc.constantFrom(false, false, true),
      extended: fc.constantFrom(null, 0, 0, 3 * day),
      revocationType: fc.constantFrom(null, 'REFUND_FULL', 'REFUND_PRORATED', 'FAMILY_REVOKE'),
      revocationPercent: fc.constantFrom(null, null, 100, 50, 33.333, 0.001, 0, 0),
      productId: products,
      priceMilli: amounts,
      currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'EUR', 'USD', 'JPY', null),
      quantity: fc.constantFrom(1, 1, 1, 3, 2_147_483_647),
      ownership: fc.constantFrom('PURCHASED', 'PURCHASED', 'PURCHASED', 'FAMILY_SHARED'),
      offerMode: fc.constantFrom(null, null, 'FREE_TRIAL', 'PAY_UP_FRONT'),
      storefront: fc.constantFrom('DE', 'FR', null, null),
    })
    .map(({ length, revokedAfter, extended, ...rest }) => ({
      id,
      ...rest,
      expiresAt: length === null ? null : rest.purchasedAt + length + (extended ?? 0),
      paidUntil: length === null || extended === null ? null : rest.purchasedAt + length,
      revokedAt: revokedAfter === null ? null : rest.purchasedAt + revokedAfter,
    }));
}

function renewalNear(at: Place): fc.Arbitrary<DrawnRenewal> {
  return fc
    .record({
      signedAt: instantNear(at, daysAround),
      inBillingRetry: fc.boolean(),
      graceAfter: fc.option(fc.constantFrom(0, day, 3 * day, 16 * day)),
    })
    .map(({ graceAfter, ...rest }) => ({
      ...rest,
      graceExpiresAt: graceAfter === null ? null : rest.signedAt + graceAfter,
    }));
}

/** Ids sort differently as texts and as numbers. */
function lineNear(at: Place, number: number): fc.Arbitrary<DrawnLine> {
  const idOf = (index: number) => `${number}${['', '-b', '-B', '-9', '-10'][index]}`;
  return fc
    .record({
      kind: fc.constantFrom('AUTO_RENEWABLE' as const, 'AUTO_RENEWABLE' as const, 'CONSUMABLE' as const),
      environment: fc.constantFrom('PRODUCTION', 'PRODUCTION', 'PRODUCTION', 'SANDBOX'),
      owner: fc.constantFrom(null, 'ann', 'ben', 'd1'),
      device: fc.constantFrom(null, 'd1', 'd2', 'ann', 'd3'),
      length: fc.integer({ min: 1, max: 4 }),
      // A line whose first transaction the service never saw.
      first: fc.constantFrom(0, 0, 1),
      renewals: fc.uniqueArray(renewalNear(at), { maxLength: 3, selector: ({ signedAt }) => signedAt }),
      // All its periods begin at one instant: the last id decides.
      atOnce: fc.constantFrom(false, false, true),
      // The store says of the renewal when a period ends.
      atEnd: fc.boolean(),
    })
    .chain(({ length, first, atOnce, atEnd, ...line }) => {
      const subscribes = line.kind === 'AUTO_RENEWABLE';
      const indexes = subscribes ? Array.from({ length }, (_, index) => index + first) : [0];
      return fc
        .tuple(...indexes.map((index) => purchaseNear(at, idOf(index))))
        .map((each) => (atOnce ? each.map((purchase) => movedTo(purchase, each[0]!.purchasedAt)) : each))
        .map((purchases) => {
          const renewals = atEnd ? renewalsAtEnd(line.renewals, purchases) : line.renewals;
          return { ...line, id: idOf(0), purchases, renewals: subscribes ? renewals : [] };
        });
    });
}

function renewalsAtEnd(renewals: readonly DrawnRenewal[], purchases: readonly DrawnPurchase[]): DrawnRenewal[] {
  const ends = [...new Set(purchases.flatMap(({ expiresAt }) => expiresAt ?? []))];
  return renewals.slice(0, ends.length).map(({ signedAt, graceExpiresAt, ...rest }, index) => ({
    ...rest,
    signedAt: ends[index]!,
    graceExpiresAt: graceExpiresAt === null ? null : ends[index]! + graceExpiresAt - signedAt,
  }));
}

function movedTo(purchase: DrawnPurchase, purchasedAt: Micros): DrawnPurchase {
  const moved = (time: Micros | null) => time && time + purchasedAt - purchase.purchasedAt;
  const { expiresAt, paidUntil, revokedAt } = purchase;
  return {
    ...purchase,
    purchasedAt,
    expiresAt: moved(expiresAt),
    paidUntil: moved(paidUntil),
    revokedAt: moved(revokedAt),
  };
}

/** One of each product in one currency: more than a breakdown shows. */
const manyProducts = (at: Place): fc.Arbitrary<DrawnLine[]> =>
  fc.tuple(...productIds.map((_, index) => lineNear(at, index + 1))).map((lines) =>
    lines.map((line, index) => ({
      ...line,
      environment: 'PRODUCTION',
      purchases: line.purchases.map((purchase) => ({
        ...{ ...purchase, productId: productIds[index]!, currency: 'EUR', ownership: 'PURCHASED' },
        priceMilli: purchase.priceMilli ?? 10n,
      })),
    })),
  );

const linesNear = (at: Place, maxLength: number): fc.Arbitrary<DrawnLine[]> =>
  fc
    .integer({ min: 0, max: maxLength })
    .chain((length) => fc.tuple(...Array.from({ length }, (_, index) => lineNear(at, index + 1))));

export const drawnPurchases: fc.Arbitrary<DrawnPurchases> = place.chain((at) =>
  fc.record({
    asked: fc.oneof(
      { weight: 3, arbitrary: linesNear(at, 6) },
      { weight: 2, arbitrary: linesNear(at, 16) },
      { weight: 1, arbitrary: manyProducts(at) },
    ),
    other: linesNear(at, 2),
    platforms: fc.constantFrom<Record<string, string>>(
      { d1: 'iOS', d2: 'Android' },
      { d1: 'iOS', d2: 'iOS', ann: 'iOS' },
    ),
    timeZone: fc.constant(at.timeZone),
    around: fc.constant(at.around),
    now: fc
      .integer({ min: -2, max: daysAround + 5 })
      .map((days) => startOfDay(at, dateOf(dayNumber(at.around) + days))),
  }),
);
