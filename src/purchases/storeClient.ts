// The interface to a store in this service's own terms. The rest of the feature knows no vendor.
import type { Backoff } from '../platform/outboundCalls.ts';

export type StoreEnvironment = 'PRODUCTION' | 'SANDBOX';
export type ProductKind = 'CONSUMABLE' | 'NON_CONSUMABLE' | 'AUTO_RENEWABLE' | 'NON_RENEWING';
export type Ownership = 'PURCHASED' | 'FAMILY_SHARED';
export type Offer = 'NONE' | 'INTRODUCTORY' | 'PROMOTIONAL' | 'CODE' | 'WIN_BACK';
export type OfferMode = 'FREE_TRIAL' | 'PAY_AS_YOU_GO' | 'PAY_UP_FRONT' | 'ONE_TIME';
export type RevocationReason = 'APP_ISSUE' | 'OTHER';
export type RevocationType = 'REFUND_FULL' | 'REFUND_PRORATED' | 'FAMILY_REVOKE';

/** A transaction that the store signed. Certificate chain, bundle id and environment are verified. */
export interface SignedTransaction {
  transactionId: string;
  /** The first transaction of the same subscription line or purchase. */
  originalTransactionId: string;
  productId: string;
  kind: ProductKind;
  purchasedAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  revocationReason: RevocationReason | null;
  revocationType: RevocationType | null;
  revocationPercent: number | null;
  /** In thousandths of the currency's unit. */
  priceMilli: number | null;
  /** ISO 4217. */
  currency: string | null;
  quantity: number;
  ownership: Ownership;
  offer: Offer;
  offerMode: OfferMode | null;
  /** ISO 3166-1 alpha-2. */
  storefront: string | null;
  /** Given to the store by the app at the purchase; it proves the owner. */
  accountToken: string | null;
  /** The user has changed to another product: another period replaces this one. */
  upgraded: boolean;
  signedAt: Date;
}

/** What the store signed of a line's renewal, verified in the same way. */
export interface SignedRenewal {
  lineId: string;
  autoRenew: boolean | null;
  inBillingRetry: boolean;
  graceExpiresAt: Date | null;
  /** Whether the store says that the line has ended. Absent: no. */
  expired?: boolean;
  signedAt: Date;
}

/** The latest period of a subscription line and its renewal. */
export interface SubscriptionStatus {
  latest: SignedTransaction;
  renewal: SignedRenewal | null;
}

/** One page of the transactions of the customer's subscriptions that changed since a revision, those of other lines too. */
export interface HistoryPage {
  transactions: SignedTransaction[];
  /** Where the next page begins; null where the store names none. */
  revision: string | null;
  hasMore: boolean;
}

/** What the store tells unasked, verified in the same way. */
export interface StoreNotification {
  /** Unique for ever. */
  id: string;
  environment: StoreEnvironment;
  /** The store's own words, also those that this release does not know. */
  type: string;
  subtype: string | null;
  signedAt: Date;
  /** At most one, and its renewal; none where the store tells of something else. */
  transactions: SignedTransaction[];
  renewals: SignedRenewal[];
}

/** A page of the notifications that the store has made. */
export interface NotificationPage {
  /** `unverified` gives the reason. */
  notifications: (StoreNotification | { unverified: string })[];
  /** Where the next page begins; null after the last one. */
  token: string | null;
}

export interface NotificationSpan {
  from: Date;
  until: Date;
  /** Null for the first page. */
  token: string | null;
}

export type StoreFailure =
  /** The store responded with an error. `code` is the store's own number, where it gave one. */
  | { kind: 'status'; status: number; code: number | null; retryAt: Date | null }
  /** No response in time, or an unreadable one. `detail` is for the log. */
  | { kind: 'unreachable'; detail: string }
  /** The signed data does not verify. `reason` is one word for programs. */
  | { kind: 'unverified'; reason: string };

export type StoreResponse<Value> = { value: Value } | { failure: StoreFailure };

/** One application's access to the store. It throws nothing for a failure of the store. */
export interface StoreClient {
  /** Finds a transaction by its current or original id. */
  transaction(environment: StoreEnvironment, id: string): Promise<StoreResponse<SignedTransaction>>;
  /** Null when the store lists no such line. */
  subscription(environment: StoreEnvironment, lineId: string): Promise<StoreResponse<SubscriptionStatus | null>>;
  /** `revision`: null for the first page. */
  history(environment: StoreEnvironment, lineId: string, revision: string | null): Promise<StoreResponse<HistoryPage>>;
  /** The notifications that the store made in this span. */
  notifications(environment: StoreEnvironment, span: NotificationSpan): Promise<StoreResponse<NotificationPage>>;
}

/** The app for which the store must have signed. */
export interface StoreApp {
  bundleId: string;
  /** The store's number of the app. Null or absent accepts the number that the signed data names. */
  appId?: number | null;
}

export interface StoreAccess extends StoreApp {
  issuerId: string;
  keyId: string;
  /** PKCS#8 PEM of a P-256 key. */
  privateKey: string;
}

// Decides the result of a look-up from an error of the store (pure): docs/operating/troubleshooting.md explains the states.

export type StoreVerdict =
  /** The store does not know the transaction in this environment. */
  | { verdict: 'elsewhere' }
  | { verdict: 'credentials_refused' }
  | {
      verdict: 'retry';
      reason: 'store_busy' | 'store_unavailable';
      /** For the log: the status and the store's own code, or why there was no response. */
      cause: string;
      retryAt: Date | null;
    }
  | { verdict: 'failed'; reason: string };

/** "Retryable" in the store's own list of errors: an account, app or original transaction that may appear later. */
const retryableNotFound = new Set([4_040_002, 4_040_004, 4_040_006]);

export function storeVerdict(failure: StoreFailure): StoreVerdict {
  if (failure.kind === 'unverified') return { verdict: 'failed', reason: failure.reason };
  if (failure.kind === 'unreachable')
    return { verdict: 'retry', reason: 'store_unavailable', cause: failure.detail, retryAt: null };
  const { status, code, retryAt } = failure;
  const cause = `status ${status}${code === null ? '' : `, ${code}`}`;
  if (status === 401) return { verdict: 'credentials_refused' };
  if (status === 429) return { verdict: 'retry', reason: 'store_busy', cause, retryAt };
  // 408 is a timeout. A 404 without a code comes from a proxy: the store itself always gives a code.
  const passing = status >= 500 || status === 408 || (status === 404 && (code === null || retryableNotFound.has(code)));
  if (passing) return { verdict: 'retry', reason: 'store_unavailable', cause, retryAt };
  if (status === 404) return { verdict: 'elsewhere' };
  return { verdict: 'failed', reason: `store_refused_${code ?? status}` };
}

// When to ask the store again (pure).

const day = 86_400_000;

/** Delays of 5 s, 10 s, 20 s, … up to 6 h. The attempts end after five days. */
export const defaultBackoff: Backoff = { firstMillis: 5_000, longestMillis: 6 * 3_600_000, attempts: 30 };

/** After refused credentials: likewise, up to an hour, without an end. */
export const refusedBackoff: Backoff = { firstMillis: 5_000, longestMillis: 3_600_000, attempts: Infinity };

/** So long the store is asked for a transaction that it does not know. */
export const notKnownForMillis = day;

/** Reads `Retry-After`: this store sends Unix milliseconds; seconds to wait and HTTP dates are read too. At most a day ahead. */
export function parseRetryAfter(header: string | null, now: Date): Date | null {
  if (header === null || header.trim() === '') return null;
  const number = Number(header);
  const at = Number.isNaN(number) ? Date.parse(header) : number > 1e11 ? number : now.getTime() + number * 1_000;
  if (Number.isNaN(at) || at <= now.getTime()) return null;
  return new Date(Math.min(at, now.getTime() + day));
}
