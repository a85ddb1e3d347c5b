// What the fake store counts of its sales in one currency: loops over what it sold.
import type { FakePurchase } from '../fakeStore/signedData.ts';
import { dayOf, daysOf, rangeOf, type Range } from './days.ts';
import type { Figure, Figures } from './figures.ts';

interface Move {
  day: number;
  milli: number;
}

export function countedRevenue(purchases: FakePurchase[], currency: string, range: Range): Figures {
  const paid = paidIn(purchases).filter((purchase) => purchase.currency === currency);
  const bought = paid.map((purchase) => ({ purchase, ...moveOf(purchase, purchase.purchasedAt) }));
  const isRenewal = ({ purchase }: { purchase: FakePurchase }): boolean =>
    (purchase.originalTransactionId ?? purchase.transactionId) !== purchase.transactionId;
  const refunds = paid.flatMap((purchase) => (isRefunded(purchase) ? [moveOf(purchase, purchase.revokedAt)] : []));
  const number = (moves: Move[]): number => moves.length;
  return new Map<string, Figure>([
    [`Revenue: gross, ${currency}`, byDay(bought, range, textOf)],
    [`Revenue: refunds, ${currency}`, byDay(refunds, range, textOf)],
    [
      'Revenue: purchases',
      byDay(
        bought.filter((move) => !isRenewal(move)),
        range,
        number,
      ),
    ],
    ['Revenue: renewals', byDay(bought.filter(isRenewal), range, number)],
  ]);
}

export function revenueRange(purchases: FakePurchase[]): Range {
  return rangeOf(purchases.flatMap(({ purchasedAt, revokedAt }) => [+purchasedAt, ...(revokedAt ? [+revokedAt] : [])]));
}

/** Family members pay for no share. Money of the sandbox is not real. */
function paidIn(purchases: FakePurchase[]): FakePurchase[] {
  return purchases.filter(
    ({ familyShared, environment, price }) => !familyShared && environment !== 'Sandbox' && price !== undefined,
  );
}

/** The store of the demo takes back all of a price, or a member's share, which costs nothing. */
function isRefunded(purchase: FakePurchase): purchase is FakePurchase & { revokedAt: Date } {
  return purchase.revokedAt !== undefined && purchase.payload?.['revocationType'] !== 'FAMILY_REVOKE';
}

function moveOf({ price = 0, quantity = 1 }: FakePurchase, at: Date): Move {
  return { day: dayOf(at.getTime()), milli: price * quantity };
}

function byDay<Item extends Move, Value>(moves: Item[], range: Range, count: (moves: Item[]) => Value) {
  const points = daysOf(range).map((day) => count(moves.filter((move) => move.day === day)));
  return { total: count(moves), points };
}

function textOf(moves: Move[]): string {
  return (moves.reduce((sum, { milli }) => sum + milli, 0) / 1_000).toFixed(2);
}
