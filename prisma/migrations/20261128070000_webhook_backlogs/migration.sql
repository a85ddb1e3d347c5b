-- How many further deliveries a webhook may get before those that wait are counted again, and the events that it has lost.
-- A table of its own: writers of events share the lock of the webhook's row. `counted` says how many lost events a process
-- has added to its metric.
CREATE TABLE webhook_backlogs (
  webhook_id uuid NOT NULL,
  room integer NOT NULL,
  looked_at timestamptz(6),
  dropped bigint NOT NULL DEFAULT 0,
  counted bigint NOT NULL DEFAULT 0,
  last_dropped_at timestamptz(6),
  CONSTRAINT webhook_backlogs_pkey PRIMARY KEY (webhook_id),
  CONSTRAINT webhook_backlogs_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
