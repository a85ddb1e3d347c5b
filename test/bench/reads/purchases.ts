// The purchases of the bench of reads: subscriptions of four months, as look-ups would have left them.
import type pg from 'pg';

export interface Purchases {
  applicationId: string;
  /** Each is four transactions. */
  lines: number;
  until: Date;
}

/** A tenth began with a free trial, a fiftieth of the periods was taken back, and a third of the lines goes on. */
export async function loadPurchases(client: pg.Client, { applicationId, lines, until }: Purchases): Promise<void> {
  await client.query(transactionRows, [applicationId, lines, until]);
  await client.query(entitlementRows, [applicationId]);
  await client.query('VACUUM ANALYZE store_transactions, store_entitlements');
}

const transactionRows = `INSERT INTO store_transactions (id, application_id, state, line_id, product_id, original_id, kind,
    environment, purchased_at, received_at, expires_at, revoked_at, revocation_type, revocation_percent, price_milli,
    currency, quantity, ownership, offer_mode, storefront, signed_at)
  SELECT line || '-' || period, $1::uuid, 'RESOLVED', 'line-' || line, 'product ' || line % 30, 'line-' || line,
    'AUTO_RENEWABLE', 'PRODUCTION', at, at, at + interval '30 days',
    CASE WHEN (line + period) % 50 = 0 THEN at + interval '2 days' END,
    CASE WHEN (line + period) % 50 = 0 THEN 'REFUND_PRORATED' END,
    CASE WHEN (line + period) % 50 = 0 THEN 100 END, 990 * (1 + line % 10), (ARRAY['EUR', 'USD'])[1 + line % 2], 1,
    'PURCHASED', CASE WHEN period = 0 AND line % 10 = 0 THEN 'FREE_TRIAL' END, 'DEU', at
  FROM (
    SELECT line, period, $3::timestamptz - interval '150 days'
      + line % 60 * interval '1 day' + line % 86000 * interval '1 s' + period * interval '30 days' AS at
    FROM generate_series(0, $2::int - 1) AS line CROSS JOIN generate_series(0, 3) AS period) AS periods
  WHERE at < $3::timestamptz`;

const entitlementRows = `INSERT INTO store_entitlements (line_id, application_id, product_id, kind, environment,
    purchased_at, expires_at, grace_expires_at, in_billing_retry, signed_at, auto_renew, owner_external_id)
  SELECT DISTINCT ON (line_id) line_id, application_id, product_id, kind, environment, purchased_at, expires_at,
    CASE WHEN right(line_id, 1) = '7' THEN expires_at + interval '16 days' END, right(line_id, 1) IN ('7', '8'),
    purchased_at, true, CASE WHEN right(line_id, 1) < '5' THEN 'customer of ' || line_id END
  FROM store_transactions WHERE application_id = $1::uuid ORDER BY line_id, purchased_at DESC`;
