-- The last arrival of a repeated report. `received_at` stays its first arrival, which tells when a device was first
-- seen. Rows stored before this migration have null here: their first arrival counts.
ALTER TABLE attribution_reports ADD COLUMN last_received_at timestamptz(6);
