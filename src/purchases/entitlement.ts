// The entitlement that a look-up grants, and whether it is active now (pure).
import type { ProductKind, SignedTransaction, StoreEnvironment, SubscriptionStatus } from './storeClient.ts';

export interface Entitlement {
  /** The subscription line, or the transaction when there is no subscription. */
  lineId: string;
  productId: string;
  kind: ProductKind;
  environment: StoreEnvironment;
  purchasedAt: Date;
  expiresAt: Date | null;
  graceExpiresAt: Date | null;
  revokedAt: Date | null;
  autoRenew: boolean | null;
  signedAt: Date;
}

export interface FoundTransaction {
  environment: StoreEnvironment;
  transaction: SignedTransaction;
  /** Null where there is no subscription, or the store lists none. */
  subscription: SubscriptionStatus | null;
}

/** The dates are those of the latest period in the store's response. */
export function entitlementOf({ environment, transaction, subscription }: FoundTransaction): Entitlement {
  const latest =
    subscription && subscription.latest.purchasedAt >= transaction.purchasedAt ? subscription.latest : transaction;
  const { productId, kind, purchasedAt, expiresAt, revokedAt, signedAt } = latest;
  return {
    lineId: lineIdOf(transaction),
    ...{ productId, kind, environment, purchasedAt, expiresAt, revokedAt, signedAt },
    graceExpiresAt: subscription?.graceExpiresAt ?? null,
    autoRenew: subscription?.autoRenew ?? null,
  };
}

export function lineIdOf({ kind, transactionId, originalTransactionId }: SignedTransaction): string {
  return kind === 'AUTO_RENEWABLE' ? originalTransactionId : transactionId;
}

/** Active: not revoked, and not expired or still in billing grace. */
export function isActive(
  { revokedAt, expiresAt, graceExpiresAt }: Pick<Entitlement, 'revokedAt' | 'expiresAt' | 'graceExpiresAt'>,
  now: Date,
): boolean {
  if (revokedAt !== null) return false;
  if (expiresAt === null) return true;
  return Math.max(expiresAt.getTime(), graceExpiresAt?.getTime() ?? 0) > now.getTime();
}
