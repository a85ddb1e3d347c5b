// Counts what the API says, for the closing table: the nodes of `storeTransactions` and `entitlements`.
import { datesText, transactionItems, type Item } from './item.ts';
import { milliOf } from './money.ts';
import { unpriced } from './soldItems.ts';

export interface SaidTransaction {
  id: string;
  state: string;
  reason: string | null;
  originalId: string | null;
  productId: string | null;
  kind: string | null;
  environment: string | null;
  purchasedAt: string | null;
  expiresAt: string | null;
  revokedAt: string | null;
  ownership: string | null;
  offer: string | null;
  quantity: number | null;
  price: string | null;
  currency: string | null;
}

export interface SaidEntitlement {
  id: string;
  productId: string;
  purchasedAt: string;
  expiresAt: string | null;
  graceExpiresAt: string | null;
  revokedAt: string | null;
  inBillingRetry: boolean;
  ownership: string | null;
  quantity: number | null;
  active: boolean;
}

export interface Said {
  transactions: SaidTransaction[];
  entitlements: SaidEntitlement[];
}

export function saidItems({ transactions, entitlements }: Said): Item[] {
  const resolved = transactions.filter(({ state }) => state === 'RESOLVED');
  const others = transactions.filter(({ state }) => state !== 'RESOLVED');
  return [
    ...transactionItems(resolved.map(periodOf)),
    ...others.map(({ id, state, reason }) => unpriced('transactions', id, reason ?? state)),
    ...entitlements.map(lineItem),
  ];
}

function periodOf(said: SaidTransaction) {
  const { id, originalId, productId, kind, purchasedAt, expiresAt, revokedAt, ownership, offer, price } = said;
  return {
    ...{ id, lineId: kind === 'AUTO_RENEWABLE' ? (originalId ?? id) : id },
    ...{ productId: productId ?? '(unknown)', sandbox: said.environment === 'SANDBOX' },
    ...{ purchasedAt: new Date(purchasedAt ?? 0), expiresAt: date(expiresAt), revokedAt: date(revokedAt) },
    ...{ familyShared: ownership === 'FAMILY_SHARED', introductory: offer === 'INTRODUCTORY' },
    ...{ quantity: said.quantity ?? 0, currency: said.currency, priceMilli: price === null ? 0 : milliOf(price) },
  };
}

function date(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

function lineItem(said: SaidEntitlement): Item {
  const { id, productId, quantity, purchasedAt, expiresAt, graceExpiresAt, revokedAt } = said;
  const dates = datesText(...[purchasedAt, expiresAt, graceExpiresAt, revokedAt].map(date));
  return { ...unpriced('entitlements', id, stateOf(said)), productId, quantity: quantity ?? 0, dates };
}

function stateOf({ ownership, revokedAt, active, inBillingRetry }: SaidEntitlement): string {
  const family = ownership === 'FAMILY_SHARED';
  if (revokedAt !== null) return `${family ? 'family share revoked' : 'refunded'}${active ? ', yet active' : ''}`;
  if (inBillingRetry) return active ? 'in grace' : 'in billing retry';
  if (!active) return 'expired';
  return family ? 'family share' : 'active';
}
