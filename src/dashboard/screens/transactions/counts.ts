// Whether and as what a transaction counts in the revenue of a currency: schema.graphql (revenue).
import type { StoreTransactionsQuery } from '../../../../generated/screens/transactions/graphql.ts';

export type Transaction = StoreTransactionsQuery['storeTransactions']['nodes'][number];

interface Revenue {
  currency: string;
  includeTest: boolean;
}

export function countsAs(transaction: Transaction, { currency, includeTest }: Revenue): string {
  const reason = notCounted(transaction, { currency, includeTest });
  if (reason !== null) return `no: ${reason}`;
  return isRenewal(transaction) ? 'renewal' : 'purchase';
}

/** A later period of a subscription. */
export function isRenewal({ id, originalId, kind }: Transaction): boolean {
  return kind === 'AUTO_RENEWABLE' && originalId !== null && originalId !== id;
}

function notCounted(transaction: Transaction, { currency, includeTest }: Revenue): string | null {
  if (transaction.state !== 'RESOLVED') return 'not verified';
  if (transaction.environment === 'SANDBOX' && !includeTest) return 'sandbox';
  if (transaction.ownership === 'FAMILY_SHARED') return 'shared by the family';
  if (transaction.price == null) return 'no price';
  // A renewal that the store has booked early.
  if (transaction.purchasedAt != null && new Date(transaction.purchasedAt) > new Date()) return 'not begun yet';
  return transaction.currency === currency ? null : 'another currency';
}
