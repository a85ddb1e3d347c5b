-- Events about entitlements: each line keeps what the last event told of it, and when the clock changes that.

ALTER TABLE store_entitlements
  ADD COLUMN told_active boolean NOT NULL DEFAULT false,
  ADD COLUMN tell_at timestamptz(6);
-- A line that a process of the release before stores while this one runs beside it is told soon.
ALTER TABLE store_entitlements ALTER COLUMN tell_at SET DEFAULT CURRENT_TIMESTAMP;

-- The lines before these events, by the rules of entitlement.ts: no event tells what they were. One that ends by the clock
-- is read again at that time, which is the first that it can end.
UPDATE store_entitlements e SET told_active = true, tell_at = ended.at
FROM (
  SELECT l.line_id, l.application_id, greatest(
    coalesce(l.expires_at, CASE WHEN l.kind = 'NON_RENEWING' THEN l.purchased_at + p.duration_days * interval '24 hours' END),
    l.grace_expires_at) AS at
  FROM store_entitlements l
  LEFT JOIN store_products p ON p.application_id = l.application_id AND p.product_id = l.product_id
  WHERE l.revoked_at IS NULL) ended
WHERE ended.line_id = e.line_id AND ended.application_id = e.application_id
  AND (ended.at IS NULL OR ended.at > now() - CASE WHEN e.kind = 'AUTO_RENEWABLE' AND e.auto_renew
    AND NOT e.in_billing_retry AND e.looked_up_at < e.expires_at THEN interval '1 hour' ELSE interval '0' END);
CREATE INDEX store_entitlements_tell_at_idx ON store_entitlements (tell_at);

-- After an edit of the duration the lines of the product are told in batches.
ALTER TABLE store_products ADD COLUMN retold_to text;
CREATE INDEX store_products_retold_to_idx ON store_products (retold_to);
CREATE INDEX store_entitlements_application_id_product_id_line_id_idx
  ON store_entitlements (application_id, product_id, line_id);
