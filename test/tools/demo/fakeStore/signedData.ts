// The fake store's data about a purchase, in the store's form and signed in the store's way.
import { sign } from 'node:crypto';
import type { Chain } from './certificates.ts';

export type FakeEnvironment = 'production' | 'sandbox';

export interface FakePurchase {
  transactionId: string;
  /** Default: `transactionId`. */
  originalTransactionId?: string;
  kind: 'CONSUMABLE' | 'NON_CONSUMABLE' | 'AUTO_RENEWABLE' | 'NON_RENEWING';
  productId: string;
  purchasedAt: Date;
  expiresAt?: Date;
  revokedAt?: Date;
  /** Default: now. */
  signedAt?: Date;
  /** Default: the bundle id of the request's token. */
  bundleId?: string;
  /** Default: the environment of the request. */
  environment?: string;
  /** Fields of the signed payload under their names on the wire. They replace those above; undefined omits a field. */
  payload?: Record<string, unknown>;
  /** Default: 1. */
  quantity?: number;
  familyShared?: boolean;
  /** In thousandths of the currency's unit. */
  price?: number;
  currency?: string;
  offer?: 'INTRODUCTORY' | 'PROMOTIONAL' | 'CODE' | 'WIN_BACK';
  offerMode?: 'FREE_TRIAL' | 'PAY_AS_YOU_GO' | 'PAY_UP_FRONT' | 'ONE_TIME';
  accountToken?: string;
  /** A country of ISO 3166-1, alpha-3. */
  storefront?: string;
  /** The next three are those of the line. */
  autoRenew?: boolean;
  inBillingRetry?: boolean;
  graceExpiresAt?: Date;
  /** The store's number of the subscription's state. Default: 1, active. */
  status?: number;
}

const offerTypes = { INTRODUCTORY: 1, PROMOTIONAL: 2, CODE: 3, WIN_BACK: 4 };

const types = {
  CONSUMABLE: 'Consumable',
  NON_CONSUMABLE: 'Non-Consumable',
  AUTO_RENEWABLE: 'Auto-Renewable Subscription',
  NON_RENEWING: 'Non-Renewing Subscription',
};

export interface Signing {
  chain: Chain;
  environment: FakeEnvironment;
  bundleId: string;
}

export function signedTransaction(purchase: FakePurchase, { chain, environment, bundleId }: Signing): string {
  return jws(chain, {
    transactionId: purchase.transactionId,
    originalTransactionId: originalId(purchase),
    bundleId: purchase.bundleId ?? bundleId,
    productId: purchase.productId,
    type: types[purchase.kind],
    purchaseDate: purchase.purchasedAt.getTime(),
    expiresDate: purchase.expiresAt?.getTime(),
    revocationDate: purchase.revokedAt?.getTime(),
    signedDate: (purchase.signedAt ?? new Date()).getTime(),
    environment: purchase.environment ?? wireEnvironment(environment),
    quantity: purchase.quantity ?? 1,
    inAppOwnershipType: purchase.familyShared ? 'FAMILY_SHARED' : 'PURCHASED',
    price: purchase.price,
    currency: purchase.currency,
    offerType: purchase.offer && offerTypes[purchase.offer],
    offerDiscountType: purchase.offerMode,
    appAccountToken: purchase.accountToken,
    storefront: purchase.storefront,
    ...purchase.payload,
  });
}

export function signedRenewal(purchase: FakePurchase, { chain, environment }: Signing): string {
  return jws(chain, {
    originalTransactionId: originalId(purchase),
    productId: purchase.productId,
    autoRenewProductId: purchase.productId,
    autoRenewStatus: purchase.autoRenew === false ? 0 : 1,
    isInBillingRetryPeriod: purchase.inBillingRetry ?? false,
    gracePeriodExpiresDate: purchase.graceExpiresAt?.getTime(),
    signedDate: (purchase.signedAt ?? new Date()).getTime(),
    environment: purchase.environment ?? wireEnvironment(environment),
  });
}

export function originalId({ originalTransactionId, transactionId }: FakePurchase): string {
  return originalTransactionId ?? transactionId;
}

export function wireEnvironment(environment: FakeEnvironment): string {
  return environment === 'production' ? 'Production' : 'Sandbox';
}

export function jws({ x5c, leafKey }: Chain, payload: Record<string, unknown>): string {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'ES256', x5c })}.${encode(payload)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: leafKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
