// Which rows of the purchases' relations a question is about, which period of a line holds, and exact amounts, as SQL.
import { digitsOf } from '../../platform/currencyDigits.ts';
import { type Dialect, raw, sql, type Sql } from '../engine/dialect.ts';

interface Asked {
  applicationId: string;
  includeTest: boolean;
}

/** `t` is a row of `analytics.transactions`. The sandbox is left out unless it is asked for. */
export function isAskedPurchase({ applicationId, includeTest }: Asked, row = 't'): Sql {
  const own = sql`${raw(row)}.application_id = ${applicationId}::uuid`;
  return includeTest ? own : sql`${own} AND ${raw(row)}.environment = 'PRODUCTION'`;
}

/** What the customer bought; family members share some purchases and pay for none. */
export const isPaid: Sql = sql`t.ownership = 'PURCHASED' AND t.price_milli IS NOT NULL`;

/** In thousandths. A product of bigints may pass 2^63, and a double is not exact. */
export const amountOf: Sql = sql`CAST(t.price_milli AS numeric(19, 0)) * CAST(t.quantity AS numeric(10, 0))`;

/**
 * `holdingPeriod` of src/purchases/entitlement.ts as an order, for periods that have begun by the instant: the first one holds. A
 * test compares the two over drawn lines.
 */
export const holdsFirst = (dialect: Dialect, instant: Sql): Sql => sql`
  coalesce(t.revoked_at < t.purchased_at, false), t.upgraded AND coalesce(t.revoked_at, t.purchased_at) <= ${instant},
  t.purchased_at DESC, t.revoked_at IS NOT NULL, length(t.id) DESC, ${dialect.ordered(sql`t.id`)} DESC`;

/** When it was taken back, as `takenBackAt` has it: one that was replaced was not. */
export const takenBackAt: Sql = sql`CASE WHEN NOT t.upgraded THEN t.revoked_at END`;

/** Microseconds that the price of the period is for; an extension does not count. */
export const paidLength: Sql = sql`(least(t.expires_at, coalesce(t.paid_until, t.expires_at)) - t.purchased_at)`;

// An exact amount as decimal text in units of its currency (pure).

/** `amount` × 10^-`places`, with the digits that the currency has after the point, or more where the amount has more. */
export function amountText(amount: bigint, places: number, currency: string): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(places + 1, '0');
  const [whole, fraction] = [digits.slice(0, digits.length - places), digits.slice(digits.length - places)];
  const least = Math.min(digitsOf(currency), places);
  const shown = fraction.slice(0, least) + fraction.slice(least).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${whole}${shown === '' ? '' : '.'}${shown}`;
}
