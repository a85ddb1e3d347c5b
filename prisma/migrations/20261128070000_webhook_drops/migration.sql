-- The events that a webhook did not get because too many of its deliveries waited. A table of its own: writers of events
-- share the lock of the webhook's row. `counted` says how many a process has added to its metric.
CREATE TABLE webhook_drops (
  webhook_id uuid NOT NULL,
  dropped bigint NOT NULL,
  counted bigint NOT NULL DEFAULT 0,
  last_at timestamptz(6) NOT NULL,
  CONSTRAINT webhook_drops_pkey PRIMARY KEY (webhook_id),
  CONSTRAINT webhook_drops_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
