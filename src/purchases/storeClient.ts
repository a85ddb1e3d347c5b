// What this service asks of a store, in its own words: the rest of the feature knows no vendor.

export type StoreEnvironment = 'PRODUCTION' | 'SANDBOX';
export type ProductKind = 'CONSUMABLE' | 'NON_CONSUMABLE' | 'AUTO_RENEWABLE' | 'NON_RENEWING';

/** As the store signed it, verified: certificate chain, bundle id, environment. */
export interface SignedTransaction {
  transactionId: string;
  /** The first transaction of the same subscription line or purchase. */
  originalTransactionId: string;
  productId: string;
  kind: ProductKind;
  purchasedAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  signedAt: Date;
}

/** The latest period of a subscription line and what follows it, verified likewise. */
export interface SubscriptionStatus {
  latest: SignedTransaction;
  autoRenew: boolean | null;
  graceExpiresAt: Date | null;
}

export type StoreFailure =
  /** The store answered with an error; `code` is its own number, where it gave one. */
  | { kind: 'status'; status: number; code: number | null; retryAt: Date | null }
  /** No answer in time, or none that can be read; `detail` is for the log. */
  | { kind: 'unreachable'; detail: string }
  /** Signed data that does not hold; `reason` is one word for programs. */
  | { kind: 'unverified'; reason: string };

export type StoreAnswer<Value> = { value: Value } | { failure: StoreFailure };

/** One application's access to the store. Nothing is thrown for what the store does. */
export interface StoreClient {
  /** By current or original id. */
  transaction(environment: StoreEnvironment, id: string): Promise<StoreAnswer<SignedTransaction>>;
  /** Null when the store lists no such line. */
  subscription(environment: StoreEnvironment, lineId: string): Promise<StoreAnswer<SubscriptionStatus | null>>;
}

export interface StoreAccess {
  issuerId: string;
  keyId: string;
  /** PKCS#8 PEM of a P-256 key. */
  privateKey: string;
  bundleId: string;
}
