// `isActive` of entitlement.ts as a condition of SQL; a test compares the two over drawn lines.
import { raw, sql, type Sql } from '../platform/database/sql.ts';

/** As `withDuration`. Only a NON_RENEWING product without an end is looked for among the products. */
const paidEnd = raw(`CASE WHEN e.expires_at IS NOT NULL OR e.kind <> 'NON_RENEWING' THEN e.expires_at
  ELSE e.purchased_at + interval '24 hours' * (SELECT p.duration_days FROM store_products p
    WHERE p.application_id = e.application_id AND p.product_id = e.product_id) END`);

/** As `awaitsLookUp`. Null where no look-up has succeeded. */
const awaitsLookUp = raw(`e.kind = 'AUTO_RENEWABLE' AND e.auto_renew AND NOT e.in_billing_retry
  AND e.looked_up_at < e.expires_at`);

/** Of `store_entitlements e`: true or false, never null. `greatest` ignores nulls. */
export function activeAt(now: Date): Sql {
  return sql`(e.revoked_at IS NULL AND coalesce(${now}::timestamptz < CASE WHEN ${paidEnd} IS NOT NULL THEN
    greatest(${paidEnd}, e.grace_expires_at, CASE WHEN ${awaitsLookUp} THEN e.expires_at + interval '1 hour' END) END, true))`;
}
