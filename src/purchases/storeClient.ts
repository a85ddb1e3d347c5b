// The interface to a store in this service's own terms. The rest of the feature knows no vendor.

export type StoreEnvironment = 'PRODUCTION' | 'SANDBOX';
export type ProductKind = 'CONSUMABLE' | 'NON_CONSUMABLE' | 'AUTO_RENEWABLE' | 'NON_RENEWING';

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
  signedAt: Date;
}

/** The latest period of a subscription line and its renewal, verified in the same way. */
export interface SubscriptionStatus {
  latest: SignedTransaction;
  autoRenew: boolean | null;
  graceExpiresAt: Date | null;
}

export type StoreFailure =
  /** The store responded with an error. `code` is the store's own number, where it gave one. */
  | { kind: 'status'; status: number; code: number | null; retryAt: Date | null }
  /** No response in time, or an unreadable one. `detail` is for the log. */
  | { kind: 'unreachable'; detail: string }
  /** The signed data does not verify. `reason` is one word for programs. */
  | { kind: 'unverified'; reason: string };

export type StoreAnswer<Value> = { value: Value } | { failure: StoreFailure };

/** One application's access to the store. It throws nothing for a failure of the store. */
export interface StoreClient {
  /** Finds a transaction by its current or original id. */
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
