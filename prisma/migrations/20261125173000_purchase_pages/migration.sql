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

CREATE INDEX store_entitlements_application_id_purchased_at_line_id_idx
  ON store_entitlements (application_id, purchased_at, line_id);
DROP INDEX store_entitlements_application_id_idx;

-- Owners by an account token are compared without case.
CREATE INDEX store_entitlements_owner_idx ON store_entitlements (application_id, lower(owner_external_id))
  WHERE owner_external_id IS NOT NULL;

CREATE INDEX store_claims_application_id_external_id_transaction_id_idx
  ON store_claims (application_id, external_id, transaction_id);
DROP INDEX store_claims_application_id_idx;
