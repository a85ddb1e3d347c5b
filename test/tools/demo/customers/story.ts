// One customer's story at the fake store, as data: what is bought, which phones report it, and what happens later.
import type { FakeResponses } from '../fakeStore/fakeStore.ts';
import { originalId, type FakePurchase } from '../fakeStore/signedData.ts';

/** One stay in the app, which reports purchases, new or restored. */
export interface Visit {
  /** The phone's name within the story. */
  phone: string;
  /** The user that the app names. */
  externalId: string;
  ids: string[];
  /** Whether the phone holds the purchases at the end of the run, by the policy KEEP. */
  holds: boolean;
  /** For the closing table. */
  role: 'first phone' | 'second phone' | "stranger's phone";
}

export interface Change {
  sells: FakePurchase[];
  /** The store notifies the service. Without, a look-up has to find the change. */
  notice?: { type: string; subtype?: string };
}

export interface Story {
  name: string;
  sold: FakePurchase[];
  /** What the store responds in place of what it has sold, by transaction id. */
  results?: Record<string, FakeResponses>;
  /** In this order. */
  visits: Visit[];
  /** What happens after the service has looked up all that the visits reported. */
  later?: { changes: Change[]; visits?: Visit[] };
}

export interface Setting {
  /** Begins every id, so that two runs have none in common. */
  runId: string;
  startedAt: Date;
  /** A moment in the run at which periods end. */
  periodEnd: Date;
}

const day = 86_400_000;

/** The date so many days after `date`. */
export function after(date: Date, days: number): Date {
  return new Date(date.getTime() + days * day);
}

export const products = {
  monthly: { productId: 'demo.monthly', kind: 'AUTO_RENEWABLE', price: 9_990, currency: 'EUR' },
  yen: { productId: 'demo.monthly', kind: 'AUTO_RENEWABLE', price: 1_500_000, currency: 'JPY' },
  basic: { productId: 'demo.basic', kind: 'AUTO_RENEWABLE', price: 4_990, currency: 'EUR' },
  family: { productId: 'demo.family', kind: 'AUTO_RENEWABLE', price: 14_990, currency: 'EUR' },
  coins: { productId: 'demo.coins', kind: 'CONSUMABLE', price: 990, currency: 'EUR' },
  fullVersion: { productId: 'demo.full_version', kind: 'NON_CONSUMABLE', price: 19_990, currency: 'EUR' },
  /** The store gives it no end. */
  pass: { productId: 'demo.pass', kind: 'NON_RENEWING', price: 7_990, currency: 'EUR' },
} as const satisfies Record<string, Partial<FakePurchase>>;

/** The days that an admin gives to products without an end at the store. */
export const durationDays: Record<string, number> = { [products.pass.productId]: 30 };

/** The periods of 30 days of one line, one after the other. The last one ends at `end`; the first has the line's id. */
export function periods(
  lineId: string,
  { product, end, count = 1 }: { product: Partial<FakePurchase>; end: Date; count?: number },
): FakePurchase[] {
  return Array.from({ length: count }, (_, number) => ({
    ...(product as Pick<FakePurchase, 'productId' | 'kind'>),
    ...{ transactionId: number === 0 ? lineId : `${lineId}-${number + 1}`, originalTransactionId: lineId },
    ...{ purchasedAt: after(end, 30 * (number - count)), expiresAt: after(end, 30 * (number - count + 1)) },
  }));
}

/** The period that follows `last`, at the full price. */
export function renewalOf(last: FakePurchase, product: Partial<FakePurchase> = {}): FakePurchase {
  const purchasedAt = last.expiresAt!;
  return {
    ...{ ...last, ...product, purchasedAt, expiresAt: after(purchasedAt, 30), offer: undefined, offerMode: undefined },
    transactionId: `${originalId(last)}-renewed`,
  };
}

export function firstPhone(externalId: string, ...ids: string[]): Visit {
  return { phone: 'first', externalId, ids, holds: true, role: 'first phone' };
}

/** The same customer restores the purchases on another phone. */
export function secondPhone(externalId: string, ...ids: string[]): Visit {
  return { phone: 'second', externalId, ids, holds: true, role: 'second phone' };
}

/** Another customer reports the ids of this one's purchases. */
export function strangersPhone(externalId: string, ...ids: string[]): Visit {
  return { phone: 'stranger', externalId: `${externalId}-stranger`, ids, holds: false, role: "stranger's phone" };
}
