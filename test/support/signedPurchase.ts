// A purchase as the store's client gives it, verified: for tests that need no store.
import type { SignedTransaction } from '../../src/purchases/storeClient.ts';

export function signedPurchase(transactionId: string): SignedTransaction {
  const [purchasedAt, signedAt] = [new Date('2026-09-10T00:00:00Z'), new Date('2026-09-10T00:00:01Z')];
  return {
    ...{ transactionId, originalTransactionId: transactionId, productId: 'com.example.test.gold' },
    ...{ kind: 'NON_CONSUMABLE', purchasedAt, signedAt, expiresAt: null, revokedAt: null, revocationReason: null },
    ...{ revocationType: null, revocationPercent: null, priceMilli: null, currency: null, quantity: 1 },
    ...{
      ownership: 'PURCHASED',
      offer: 'NONE',
      offerMode: null,
      storefront: null,
      accountToken: null,
      upgraded: false,
    },
  };
}
