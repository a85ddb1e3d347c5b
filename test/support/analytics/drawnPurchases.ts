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

const amounts = fc.constantFrom<bigint | null>(9_990n, 10n, 1_005n, 0n, null, 9_007_199_254_740_991n);
/** Enough products for more than a breakdown shows. */
const products = fc.constantFrom(...Array.from({ length: 23 }, (_, index) => `p${index}`), 'P', 'ä', '\u{1f600}');

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
      revokedAfter: fc.option(fc.constantFrom(0, day, 20 * day), { freq: 2 }),
      revocationType: fc.constantFrom(null, 'REFUND_FULL', 'REFUND_PRORATED', 'FAMILY_REVOKE'),
      revocationPercent: fc.constantFrom(null, 100, 50, 33.333, 0.001, 0),
      productId: products,
      priceMilli: amounts,
      currency: fc.constantFrom('EUR', 'EUR', 'USD', 'JPY', null),
      quantity: fc.constantFrom(1, 1, 3, 2_147_483_647),
      ownership: fc.constantFrom('PURCHASED' as const, 'PURCHASED' as const, 'FAMILY_SHARED' as const),
      offerMode: fc.constantFrom(null, null, 'FREE_TRIAL', 'PAY_UP_FRONT'),
      storefront: fc.constantFrom('DE', 'FR', null),
    })
    .map(({ length, revokedAfter, ...rest }) => ({
      id,
      ...rest,
      expiresAt: length === null ? null : rest.purchasedAt + length,
      revokedAt: revokedAfter === null ? null : rest.purchasedAt + revokedAfter,
    }));
}

function renewalNear(at: Place): fc.Arbitrary<DrawnRenewal> {
  return fc.record({
    signedAt: instantNear(at, daysAround),
    inBillingRetry: fc.boolean(),
    graceExpiresAt: fc.option(instantNear(at, daysAround)),
  });
}

/** Ids sort differently as texts and as numbers. */
function lineNear(at: Place, number: number): fc.Arbitrary<DrawnLine> {
  const idOf = (index: number) => `${number}${['', '-b', '-B', '-9', '-10'][index]}`;
  return fc
    .record({
      kind: fc.constantFrom('AUTO_RENEWABLE' as const, 'AUTO_RENEWABLE' as const, 'CONSUMABLE' as const),
      environment: fc.constantFrom('PRODUCTION' as const, 'PRODUCTION' as const, 'SANDBOX' as const),
      owner: fc.constantFrom(null, 'ann', 'ben', 'd1'),
      device: fc.constantFrom(null, 'd1', 'd2', 'ann', 'd3'),
      length: fc.integer({ min: 1, max: 4 }),
      // A line whose first transaction the service never saw.
      first: fc.constantFrom(0, 0, 1),
      renewals: fc.uniqueArray(renewalNear(at), { maxLength: 3, selector: ({ signedAt }) => signedAt }),
    })
    .chain(({ length, first, ...line }) => {
      const subscribes = line.kind === 'AUTO_RENEWABLE';
      const indexes = subscribes ? Array.from({ length }, (_, index) => index + first) : [0];
      return fc
        .tuple(...indexes.map((index) => purchaseNear(at, idOf(index))))
        .map((purchases) => ({ ...line, id: idOf(0), purchases, renewals: subscribes ? line.renewals : [] }));
    });
}

const linesNear = (at: Place, maxLength: number): fc.Arbitrary<DrawnLine[]> =>
  fc
    .integer({ min: 0, max: maxLength })
    .chain((length) => fc.tuple(...Array.from({ length }, (_, index) => lineNear(at, index + 1))));

export const drawnPurchases: fc.Arbitrary<DrawnPurchases> = place.chain((at) =>
  fc.record({
    asked: fc.oneof({ weight: 5, arbitrary: linesNear(at, 6) }, { weight: 1, arbitrary: linesNear(at, 30) }),
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
