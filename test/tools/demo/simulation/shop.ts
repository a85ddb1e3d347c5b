// Sells purchases: it sets the fake store's response to each, and keeps the state that the service must show at the end.
import type { FakeAnswer, FakeAnswers } from '../fakeStore/fakeStore.ts';
import type { FakePurchase } from '../fakeStore/signedData.ts';
import type { RandomSource } from './randomSource.ts';

export interface ExpectedEntitlement {
  productId: string;
  kind: FakePurchase['kind'];
  environment: 'PRODUCTION' | 'SANDBOX';
  purchasedAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  autoRenew: boolean | null;
  active: boolean;
}

/** One purchase of one device. */
export interface Sale {
  transactionId: string;
  /** PENDING: the store does not know the transaction, and is asked again for a day. */
  state: 'RESOLVED' | 'PENDING';
  /** Renewals of which the store tells; the app reports none of them. */
  renewals: number;
  /** Null when the store does not know the transaction. */
  entitlement: ExpectedEntitlement | null;
}

interface Offer {
  answers: FakeAnswers;
  /** The purchase in its latest state; null when the store does not know it. */
  latest: FakePurchase | null;
  environment?: 'SANDBOX';
}

export interface Buyer {
  deviceId: string;
  random: RandomSource;
  /** The simulated time of the purchase. */
  at: Date;
}

const day = 86_400_000;
const elsewhere: FakeAnswer = { status: 404, code: 4_040_010 };

export class Shop {
  readonly #tell: (id: string, answers: FakeAnswers) => void;
  readonly #sales = new Map<string, Sale[]>();

  constructor(tell: (id: string, answers: FakeAnswers) => void) {
    this.#tell = tell;
  }

  /** Returns the transaction's id, which the app reports. */
  sell({ deviceId, random, at }: Buyer): string {
    const sales = this.#sales.get(deviceId) ?? [];
    this.#sales.set(deviceId, sales);
    const transactionId = `${deviceId}-${sales.length + 1}`;
    const { answers, latest, environment } = random.pick(offers)({ transactionId, purchasedAt: at });
    this.#tell(transactionId, random.chance(0.1) ? withTrouble(answers, random) : answers);
    const entitlement = latest && expectedOf(latest, environment ?? 'PRODUCTION');
    const renewals = latest && latest.transactionId !== transactionId ? 1 : 0;
    sales.push({ transactionId, state: latest ? 'RESOLVED' : 'PENDING', renewals, entitlement });
    return transactionId;
  }

  salesTo(deviceId: string): Sale[] {
    return this.#sales.get(deviceId) ?? [];
  }
}

type Bought = Pick<FakePurchase, 'transactionId' | 'purchasedAt'>;

const offers: [(bought: Bought) => Offer, ...((bought: Bought) => Offer)[]] = [
  (bought) => inProduction({ ...bought, kind: 'CONSUMABLE', productId: 'demo.coins' }),
  (bought) => inProduction({ ...bought, kind: 'NON_CONSUMABLE', productId: 'demo.full_version' }),
  (bought) =>
    inProduction({
      ...{ ...bought, kind: 'NON_RENEWING', productId: 'demo.season' },
      expiresAt: new Date(bought.purchasedAt.getTime() + 90 * day),
    }),
  (bought) =>
    inProduction({
      ...{ ...bought, kind: 'NON_CONSUMABLE', productId: 'demo.refunded' },
      revokedAt: new Date(bought.purchasedAt.getTime() + day / 24),
    }),
  (bought) => subscription({ ...bought, kind: 'AUTO_RENEWABLE', productId: 'demo.monthly' }),
  (bought) => {
    const purchase: FakePurchase = { ...bought, kind: 'NON_CONSUMABLE', productId: 'demo.tester' };
    return { answers: { production: [elsewhere], sandbox: [{ purchase }] }, latest: purchase, environment: 'SANDBOX' };
  },
  () => ({ answers: { production: [elsewhere], sandbox: [elsewhere] }, latest: null }),
];

function inProduction(purchase: FakePurchase): Offer {
  return { answers: { production: [{ purchase }] }, latest: purchase };
}

/** Bought 30 days ago, renewed now. The app reports the first period's id; the entitlement has the second's dates. */
function subscription(bought: FakePurchase): Offer {
  const renewedAt = bought.purchasedAt;
  const first = { ...bought, purchasedAt: new Date(renewedAt.getTime() - 30 * day), expiresAt: renewedAt };
  const latest: FakePurchase = {
    ...bought,
    transactionId: `${bought.transactionId}-renewal`,
    originalTransactionId: bought.transactionId,
    purchasedAt: renewedAt,
    expiresAt: new Date(renewedAt.getTime() + 90 * day),
  };
  return { answers: { production: [{ purchase: first }], subscription: [{ purchase: latest }] }, latest };
}

/** Adds one 429 or 500 of the store before its real response. */
function withTrouble(answers: FakeAnswers, random: RandomSource): FakeAnswers {
  const trouble: FakeAnswer = random.chance(0.5) ? { status: 429, retryAfter: '1' } : { status: 500 };
  return { ...answers, production: [trouble, ...(answers.production ?? [])] };
}

function expectedOf(purchase: FakePurchase, environment: ExpectedEntitlement['environment']): ExpectedEntitlement {
  const { productId, kind, purchasedAt, expiresAt = null, revokedAt = null } = purchase;
  const autoRenew = kind === 'AUTO_RENEWABLE' ? true : null;
  return { productId, kind, environment, purchasedAt, expiresAt, revokedAt, autoRenew, active: revokedAt === null };
}
