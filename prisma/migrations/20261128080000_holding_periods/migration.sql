-- Which period of a line holds (src/purchases/periods.ts), and what is needed to say it.

ALTER TABLE store_transactions
  -- The store says that another period has replaced this one.
  ADD COLUMN upgraded boolean NOT NULL DEFAULT false,
  -- The end that was paid for: an extension moves expires_at alone.
  ADD COLUMN paid_until timestamptz(6),
  -- Uploads from then on bring the transaction; null: from purchased_at on.
  ADD COLUMN counts_from timestamptz(6);

ALTER TABLE store_entitlements
  -- When the next period begins, so that another one holds.
  ADD COLUMN begins_at timestamptz(6),
  -- The store has said that the period has ended without a renewal.
  ADD COLUMN ended boolean NOT NULL DEFAULT false;

-- The last column is `endsAt` of src/purchases/activeSql.ts: until when the line is active.
DROP INDEX store_entitlements_page_idx;
CREATE INDEX store_entitlements_page_idx ON store_entitlements (application_id, purchased_at, line_id, (
  CASE WHEN revoked_at IS NOT NULL THEN '-infinity'::timestamptz
    WHEN expires_at IS NULL THEN CASE WHEN kind <> 'NON_RENEWING' THEN 'infinity'::timestamptz END
    ELSE greatest(expires_at, grace_expires_at, CASE WHEN kind = 'AUTO_RENEWABLE' AND auto_renew
      AND NOT in_billing_retry AND NOT ended
      AND looked_up_at < (expires_at AT TIME ZONE 'UTC' + interval '60 seconds') AT TIME ZONE 'UTC'
      THEN (expires_at AT TIME ZONE 'UTC' + interval '1 hour') AT TIME ZONE 'UTC' END) END));

-- Lines for which a period may stand that does not hold: one that was revoked beside another, or that has not begun. Each is
-- decided anew by the clock, and the store is asked for its whole history, because nobody has kept what was upgraded.
UPDATE store_entitlements e SET begins_at = now(), tell_at = now(), next_look_up_at = now(), history_revision = NULL
WHERE e.kind = 'AUTO_RENEWABLE' AND (e.purchased_at > now() OR e.revoked_at IS NOT NULL AND EXISTS (
  SELECT FROM store_transactions t WHERE t.line_id = e.line_id AND t.application_id = e.application_id
    AND t.state = 'RESOLVED' AND t.revoked_at IS NULL AND t.expires_at > now()));

-- As before, and with the two columns that a read of analytics uses.
CREATE OR REPLACE FUNCTION log_transaction_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO session_changes (purchases_of, transactions)
      SELECT application_id, array_agg(id) FROM before WHERE state = 'RESOLVED' GROUP BY application_id;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO session_changes (purchases_of, transactions)
      SELECT application_id, array_agg(id) FROM after WHERE state = 'RESOLVED' GROUP BY application_id;
  ELSE
    INSERT INTO session_changes (purchases_of, transactions)
      SELECT n.application_id, array_agg(n.id) FROM after n JOIN before o USING (id, application_id)
      WHERE (n.state = 'RESOLVED' OR o.state = 'RESOLVED')
        AND (n.state, n.line_id, n.product_id, n.kind, n.environment, n.purchased_at, n.expires_at, n.revoked_at,
          n.revocation_type, n.revocation_percent, n.price_milli, n.currency, n.quantity, n.ownership, n.offer,
          n.offer_mode, n.storefront, n.uploaded_by, n.upgraded, n.paid_until) IS DISTINCT FROM
          (o.state, o.line_id, o.product_id, o.kind, o.environment, o.purchased_at, o.expires_at, o.revoked_at,
          o.revocation_type, o.revocation_percent, o.price_milli, o.currency, o.quantity, o.ownership, o.offer,
          o.offer_mode, o.storefront, o.uploaded_by, o.upgraded, o.paid_until)
      GROUP BY n.application_id;
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE VIEW analytics.transactions AS
  SELECT t.application_id, t.id, coalesce(t.line_id, t.id) AS line, t.product_id, t.kind::text AS kind,
    t.environment::text AS environment, (extract(epoch FROM t.purchased_at) * 1000000)::bigint AS purchased_at,
    (extract(epoch FROM t.expires_at) * 1000000)::bigint AS expires_at, (extract(epoch FROM t.revoked_at) * 1000000)::bigint AS revoked_at,
    t.revocation_percent, t.revocation_type, t.price_milli, t.currency, t.quantity, t.ownership, t.offer, t.offer_mode,
    t.storefront,
    CASE
      WHEN e.owner_external_id IS NOT NULL THEN 'user:' || e.owner_external_id
      WHEN e.first_device_id IS NOT NULL THEN 'device:' || e.first_device_id
      ELSE 'line:' || coalesce(t.line_id, t.id) END AS payer,
    e.first_device_id AS device_id, t.upgraded,
    (extract(epoch FROM t.paid_until) * 1000000)::bigint AS paid_until
  FROM store_transactions t
  JOIN applications a ON a.id = t.application_id AND a.deleted_at IS NULL
  LEFT JOIN store_entitlements e ON e.application_id = t.application_id AND e.line_id = coalesce(t.line_id, t.id)
  WHERE t.state = 'RESOLVED' AND t.purchased_at IS NOT NULL;
