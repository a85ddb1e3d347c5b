-- The removal of a deleted application's data, which a job does in small batches: when it has ended, and the ways to the
-- rows that have no device row to be found by. Sessions and events are reached from their devices by their keys.

ALTER TABLE applications ADD COLUMN removed_at timestamptz(6);

CREATE INDEX attribution_reports_application_id_idx ON attribution_reports (application_id);
CREATE INDEX store_transaction_devices_application_id_idx ON store_transaction_devices (application_id);
CREATE INDEX store_entitlements_application_id_idx ON store_entitlements (application_id);
