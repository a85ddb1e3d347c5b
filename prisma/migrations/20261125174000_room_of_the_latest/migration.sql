-- What a device has waiting is counted by what waits, and not by what is PENDING: a stranger may hang any number of ids on a
-- device, and each of them is PENDING for 24 hours.
CREATE INDEX store_transactions_uploaded_by_waits_behind_received_at_idx ON store_transactions (uploaded_by, waits, behind, received_at);
DROP INDEX store_transactions_uploaded_by_state_received_at_idx;
