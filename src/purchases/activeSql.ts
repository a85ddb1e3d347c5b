// `isActive` of entitlement.ts as conditions of SQL; a test compares them over drawn lines.
import { raw, sql, type Sql } from '../platform/database/sql.ts';

/**
 * Until when the line `e` is active, as an index has it, so that a page reads only lines that fit. Null where the product's
 * duration decides. `AT TIME ZONE` twice: an index takes no sum of a timestamptz. `greatest` ignores nulls.
 */
const endsAt = raw(`CASE WHEN e.revoked_at IS NOT NULL THEN '-infinity'::timestamptz
  WHEN e.expires_at IS NULL THEN CASE WHEN e.kind <> 'NON_RENEWING' THEN 'infinity'::timestamptz END
  ELSE greatest(e.expires_at, e.grace_expires_at, CASE WHEN e.kind = 'AUTO_RENEWABLE' AND e.auto_renew
    AND NOT e.in_billing_retry AND NOT e.ended
    AND e.looked_up_at < (e.expires_at AT TIME ZONE 'UTC' + interval '60 seconds') AT TIME ZONE 'UTC'
    THEN (e.expires_at AT TIME ZONE 'UTC' + interval '1 hour') AT TIME ZONE 'UTC' END) END`);

/** Lines for which `endsAt` is null, as an index has them. */
export const isByDuration = raw(`e.kind = 'NON_RENEWING' AND e.expires_at IS NULL AND e.revoked_at IS NULL`);

/** True or false, null where the product's duration decides. */
export const endsAfter = (now: Date, active: boolean): Sql =>
  active ? sql`${endsAt} > ${now}::timestamptz` : sql`${endsAt} <= ${now}::timestamptz`;

/**
 * Of a line for which the product `p` decides, which is known by then (`nameProducts`): without a duration it does not end.
 * A day has 24 hours, as in `withDuration`.
 */
export const lasts = (now: Date, active: boolean): Sql => {
  const begun = sql`coalesce(${now}::timestamptz - p.duration_days * interval '24 hours', '-infinity')`;
  return active ? sql`e.purchased_at > ${begun}` : sql`e.purchased_at <= ${begun}`;
};

/** Of any line; for few of them, because no index serves it. */
export const isActiveAt = (now: Date, active: boolean): Sql =>
  sql`coalesce(${endsAfter(now, active)}, (SELECT ${lasts(now, active)} FROM store_products p
    WHERE p.application_id = e.application_id AND p.product_id = e.product_id))`;
