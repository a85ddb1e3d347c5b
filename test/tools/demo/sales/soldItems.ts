// Counts what the fake store has sold, for the closing table: its transactions, and the lines as they stand at the end.
import { originalId, type FakePurchase } from '../fakeStore/signedData.ts';
import { datesText, transactionItems, type Item } from './item.ts';

const [minute, day] = [60_000, 86_400_000];

export interface Sold {
  purchases: FakePurchase[];
  /** Ids that apps report and the store does not know. */
  unknown: string[];
  /** The days that a product without an end at the store lasts. */
  durationDays: Record<string, number>;
  now: Date;
}

export function soldItems({ purchases, unknown, durationDays, now }: Sold): Item[] {
  const periods = purchases.map((purchase) => ({
    ...{ id: purchase.transactionId, lineId: lineOf(purchase), productId: purchase.productId },
    ...{ purchasedAt: purchase.purchasedAt, expiresAt: purchase.expiresAt ?? null },
    ...{ revokedAt: purchase.revokedAt ?? null, familyShared: purchase.familyShared ?? false },
    ...{ introductory: purchase.offer === 'INTRODUCTORY', sandbox: purchase.environment === 'Sandbox' },
    ...{ quantity: purchase.quantity ?? 1, currency: purchase.currency ?? null, priceMilli: purchase.price ?? 0 },
  }));
  const latest = new Map<string, FakePurchase>();
  // A renewal that the store has booked early holds a minute before it begins. Every line has a period that has begun.
  for (const purchase of purchases.filter(({ purchasedAt }) => purchasedAt.getTime() - minute <= now.getTime())) {
    const other = latest.get(lineOf(purchase));
    if (!other || other.purchasedAt < purchase.purchasedAt) latest.set(lineOf(purchase), purchase);
  }
  const lines = [...latest].map(([id, purchase]) => lineItem(id, purchase, { durationDays, now }));
  const notKnown = unknown.map((id) => unpriced('transactions', id, 'not_known_yet'));
  return [...transactionItems(periods), ...notKnown, ...lines];
}

/** Without a product. */
export function unpriced(list: Item['list'], id: string, state: string): Item {
  return { list, id, state, productId: '(unknown)', quantity: 1, currency: null, priceMilli: 0, dates: '' };
}

function lineItem(id: string, latest: FakePurchase, { durationDays, now }: Pick<Sold, 'durationDays' | 'now'>): Item {
  const { productId, purchasedAt, expiresAt, graceExpiresAt, revokedAt, quantity = 1 } = latest;
  const days = durationDays[productId];
  const lasting = days === undefined ? null : new Date(purchasedAt.getTime() + days * day);
  const end = expiresAt ?? lasting;
  const dates = datesText(purchasedAt, end, graceExpiresAt ?? null, revokedAt ?? null);
  return { ...unpriced('entitlements', id, stateOf(latest, end, now)), productId, quantity, dates };
}

function lineOf(purchase: FakePurchase): string {
  return purchase.kind === 'AUTO_RENEWABLE' ? originalId(purchase) : purchase.transactionId;
}

function stateOf(
  { familyShared, revokedAt, graceExpiresAt, inBillingRetry }: FakePurchase,
  end: Date | null,
  now: Date,
) {
  if (revokedAt) return familyShared ? 'family share revoked' : 'refunded';
  if (!end || now < end) return familyShared ? 'family share' : 'active';
  if (graceExpiresAt && now < graceExpiresAt) return 'in grace';
  return inBillingRetry ? 'in billing retry' : 'expired';
}
