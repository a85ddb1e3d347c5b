-- The last arrival of a report that comes again. `received_at` stays its first arrival, from which a device was first seen.
-- Null in rows from before, whose first arrival counts.
ALTER TABLE attribution_reports ADD COLUMN last_received_at timestamptz(6);
