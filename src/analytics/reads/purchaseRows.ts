// Which rows of the purchases' relations a question is about, and their exact amounts as SQL.
import { raw, sql, type Sql } from '../engine/question.ts';

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
