-- How far a walk of retention over a table of any size has come. The processes share one walk, so a restart repeats nothing.
CREATE TABLE retention_walks (
  name text NOT NULL,
  -- Null at the begin of a walk.
  position jsonb,
  due_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT retention_walks_pkey PRIMARY KEY (name)
);
INSERT INTO retention_walks (name) VALUES ('attribution');

-- The reports of a device, the last arrival first: the order of the walk, and that in which a read looks for the latest payload.
CREATE INDEX attribution_reports_arrivals_idx ON attribution_reports (device_key, (coalesce(last_received_at, received_at)) DESC);
DROP INDEX attribution_reports_device_key_received_at_idx;

-- Retention looks for these alone; most transactions are RESOLVED.
CREATE INDEX store_transactions_unresolved_idx ON store_transactions (received_at, id, application_id)
  WHERE state IN ('NOT_FOUND', 'FAILED');
