-- The device that first brought a line: the payer where the line has no owner, and the platform of its revenue.
ALTER TABLE store_entitlements ADD COLUMN first_device_id text;

-- As before, and with the new column.
CREATE OR REPLACE FUNCTION log_line_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO session_changes (purchases_of, lines)
      SELECT application_id, array_agg(line_id) FROM before GROUP BY application_id;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO session_changes (purchases_of, lines)
      SELECT application_id, array_agg(line_id) FROM after GROUP BY application_id;
  ELSE
    INSERT INTO session_changes (purchases_of, lines)
      SELECT n.application_id, array_agg(n.line_id) FROM after n JOIN before o USING (line_id, application_id)
      WHERE (n.owner_external_id, n.owner_device_id, n.first_device_id, n.auto_renew, n.in_billing_retry, n.grace_expires_at, n.signed_at,
          n.renewal_signed_at) IS DISTINCT FROM
          (o.owner_external_id, o.owner_device_id, o.first_device_id, o.auto_renew, o.in_billing_retry, o.grace_expires_at, o.signed_at,
          o.renewal_signed_at)
      GROUP BY n.application_id;
  END IF;
  RETURN NULL;
END
$$;

-- With device_id in place of the application's platform.
DROP VIEW analytics.transactions;
CREATE VIEW analytics.transactions AS
  SELECT t.application_id, t.id, coalesce(t.line_id, t.id) AS line, t.product_id, t.kind::text AS kind,
    t.environment::text AS environment, (extract(epoch FROM t.purchased_at) * 1000000)::bigint AS purchased_at,
    (extract(epoch FROM t.expires_at) * 1000000)::bigint AS expires_at, (extract(epoch FROM t.revoked_at) * 1000000)::bigint AS revoked_at,
    t.revocation_percent, t.revocation_type, t.price_milli, t.currency, t.quantity, t.ownership, t.offer, t.offer_mode,
    t.storefront,
    CASE
      WHEN e.owner_external_id IS NOT NULL THEN 'user:' || e.owner_external_id
      WHEN e.first_device_id IS NOT NULL THEN 'device:' || e.first_device_id
      ELSE 'line:' || coalesce(t.line_id, t.id) END AS payer,
    e.first_device_id AS device_id
  FROM store_transactions t
  JOIN applications a ON a.id = t.application_id AND a.deleted_at IS NULL
  LEFT JOIN store_entitlements e ON e.application_id = t.application_id AND e.line_id = coalesce(t.line_id, t.id)
  WHERE t.state = 'RESOLVED' AND t.purchased_at IS NOT NULL;
