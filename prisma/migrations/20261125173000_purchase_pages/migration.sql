-- Pages of an application's store transactions and entitlements, newest first (schema.graphql: storeTransactions, entitlements).

CREATE INDEX store_transactions_page_idx
  ON store_transactions (application_id, coalesce(purchased_at, 'infinity'::timestamptz), received_at, id);
CREATE INDEX store_transactions_state_page_idx
  ON store_transactions (application_id, state, coalesce(purchased_at, 'infinity'::timestamptz), received_at, id);
CREATE INDEX store_transactions_product_page_idx
  ON store_transactions (application_id, product_id, coalesce(purchased_at, 'infinity'::timestamptz), received_at, id)
  WHERE product_id IS NOT NULL;
-- The index above begins with the same columns.
DROP INDEX store_transactions_application_id_state_idx;

-- The last column is `endsAt` of src/purchases/activeSql.ts: until when the line is active.
CREATE INDEX store_entitlements_page_idx ON store_entitlements (application_id, purchased_at, line_id, (
  CASE WHEN revoked_at IS NOT NULL THEN '-infinity'::timestamptz
    WHEN expires_at IS NULL THEN CASE WHEN kind <> 'NON_RENEWING' THEN 'infinity'::timestamptz END
    ELSE greatest(expires_at, grace_expires_at, CASE WHEN kind = 'AUTO_RENEWABLE' AND auto_renew
      AND NOT in_billing_retry AND looked_up_at < expires_at
      THEN (expires_at AT TIME ZONE 'UTC' + interval '1 hour') AT TIME ZONE 'UTC' END) END));
-- Lines whose end is the duration of their product.
CREATE INDEX store_entitlements_duration_idx ON store_entitlements (application_id, product_id, purchased_at, line_id)
  WHERE kind = 'NON_RENEWING' AND expires_at IS NULL AND revoked_at IS NULL;
DROP INDEX store_entitlements_application_id_idx;

-- Owners by an account token are compared without case.
CREATE INDEX store_entitlements_owner_idx ON store_entitlements (application_id, lower(owner_external_id))
  WHERE account_token IS NOT NULL;

CREATE INDEX store_claims_application_id_external_id_transaction_id_idx
  ON store_claims (application_id, external_id, transaction_id);
DROP INDEX store_claims_application_id_idx;
