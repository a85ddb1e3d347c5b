// Counts who holds what on the customers' phones, for the closing table: by the policy KEEP, and by `Device`.
import type { PhoneVisit } from '../customers/liveStories.ts';
import type { FakePurchase } from '../fakeStore/signedData.ts';
import type { Item } from './item.ts';
import type { SaidPhone } from './salesReads.ts';
import { unpriced } from './soldItems.ts';

export function policyItems(visits: PhoneVisit[], purchases: FakePurchase[]): Item[] {
  const products = new Map(purchases.map(({ transactionId, productId }) => [transactionId, productId]));
  return itemsOf(
    visits,
    (_, id) => products.get(id),
    (visit) => (visit.holds ? 'holds' : 'owned_by_another'),
  );
}

/** `phones` is by device id. */
export function phoneItems(visits: PhoneVisit[], phones: Map<string, SaidPhone>): Item[] {
  const listed = ({ deviceId }: PhoneVisit, id: string) =>
    phones.get(deviceId)?.transactions.find((transaction) => transaction.id === id);
  return itemsOf(
    visits,
    (visit, id) => listed(visit, id)?.productId ?? undefined,
    (visit, id) => {
      const transaction = listed(visit, id);
      if (!transaction) return 'missing';
      const holds = phones.get(visit.deviceId)!.entitlements.some((line) => line.storeTransactionIds.includes(id));
      if (holds) return transaction.reason === null ? 'holds' : `holds, yet ${transaction.reason}`;
      return transaction.reason ?? 'holds nothing';
    },
  );
}

type Of<Value> = (visit: PhoneVisit, id: string) => Value;

function itemsOf(visits: PhoneVisit[], productOf: Of<string | undefined>, stateOf: Of<string>): Item[] {
  return visits.flatMap((visit) =>
    visit.ids.map((id) => {
      const item = unpriced('phones', `${visit.deviceId} ${id}`, `${visit.role}: ${stateOf(visit, id)}`);
      return { ...item, productId: productOf(visit, id) ?? item.productId };
    }),
  );
}
