// Sells purchases to the simulated devices at the fake store, and keeps the state that the service must show at the end.
import { notFound, type FakeResponse, type FakeStore } from '../fakeStore/fakeStore.ts';
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

/** The transactions of one line, the latest last. Empty when the store does not know the purchase. */
type Offer = FakePurchase[];

export interface Buyer {
  deviceId: string;
  random: RandomSource;
  /** The simulated time of the purchase. */
  at: Date;
}

const day = 86_400_000;

export class Shop {
  readonly #store: Pick<FakeStore, 'sell' | 'respondWith'>;
  readonly #sales = new Map<string, Sale[]>();

  constructor(store: Pick<FakeStore, 'sell' | 'respondWith'>) {
    this.#store = store;
  }

  /** Returns the transaction's id, which the app reports. */
  sell({ deviceId, random, at }: Buyer): string {
    const sales = this.#sales.get(deviceId) ?? [];
    this.#sales.set(deviceId, sales);
    const transactionId = `${deviceId}-${sales.length + 1}`;
    const offer = random.pick(offers)({ transactionId, purchasedAt: at });
    this.#store.sell(...offer);
    if (random.chance(0.1)) this.#store.respondWith(transactionId, { production: withTrouble(offer[0], random) });
    const latest = offer.at(-1);
    const entitlement = latest ? expectedOf(latest) : null;
    sales.push({
      transactionId,
      state: latest ? 'RESOLVED' : 'PENDING',
      renewals: Math.max(0, offer.length - 1),
      entitlement,
    });
    return transactionId;
  }

  salesTo(deviceId: string): Sale[] {
    return this.#sales.get(deviceId) ?? [];
  }

  /** The ids that the store does not know. */
  unknown(): string[] {
    const sales = [...this.#sales.values()].flat();
    return sales.filter(({ entitlement }) => entitlement === null).map(({ transactionId }) => transactionId);
  }
}

type Bought = Pick<FakePurchase, 'transactionId' | 'purchasedAt'>;

const offers: [(bought: Bought) => Offer, ...((bought: Bought) => Offer)[]] = [
  (bought) => [{ ...bought, ...inEuro(990), kind: 'CONSUMABLE', productId: 'demo.coins' }],
  (bought) => [{ ...bought, ...inEuro(19_990), kind: 'NON_CONSUMABLE', productId: 'demo.full_version' }],
  (bought) => [
    {
      ...{ ...bought, ...inEuro(24_990), kind: 'NON_RENEWING', productId: 'demo.season' },
      expiresAt: new Date(bought.purchasedAt.getTime() + 90 * day),
    },
  ],
  (bought) => [
    {
      ...{ ...bought, ...inEuro(2_990), kind: 'NON_CONSUMABLE', productId: 'demo.refunded' },
      revokedAt: new Date(bought.purchasedAt.getTime() + day / 24),
    },
  ],
  (bought) => subscription({ ...bought, ...inEuro(9_990), kind: 'AUTO_RENEWABLE', productId: 'demo.monthly' }),
  (bought) => [{ ...bought, ...inEuro(990), kind: 'NON_CONSUMABLE', productId: 'demo.tester', environment: 'Sandbox' }],
  () => [],
];

function inEuro(price: number): Pick<FakePurchase, 'price' | 'currency'> {
  return { price, currency: 'EUR' };
}

/** Bought 30 days ago, renewed now. The app reports the first period's id; the entitlement has the second's dates. */
function subscription(bought: FakePurchase): Offer {
  const renewedAt = bought.purchasedAt;
  const first = { ...bought, purchasedAt: new Date(renewedAt.getTime() - 30 * day), expiresAt: renewedAt };
  const renewal: FakePurchase = {
    ...bought,
    transactionId: `${bought.transactionId}-renewal`,
    originalTransactionId: bought.transactionId,
    purchasedAt: renewedAt,
    expiresAt: new Date(renewedAt.getTime() + 90 * day),
  };
  return [first, renewal];
}

/** One 429 or 500 of the store before its real response in production. */
function withTrouble(purchase: FakePurchase | undefined, random: RandomSource): FakeResponse[] {
  const trouble: FakeResponse = random.chance(0.5) ? { status: 429, retryAfter: '1' } : { status: 500 };
  return [trouble, purchase && purchase.environment === undefined ? { purchase } : notFound];
}

function expectedOf(purchase: FakePurchase): ExpectedEntitlement {
  const { productId, kind, purchasedAt, expiresAt = null, revokedAt = null } = purchase;
  const environment = purchase.environment === 'Sandbox' ? 'SANDBOX' : 'PRODUCTION';
  const autoRenew = kind === 'AUTO_RENEWABLE' ? true : null;
  return { productId, kind, environment, purchasedAt, expiresAt, revokedAt, autoRenew, active: revokedAt === null };
}
