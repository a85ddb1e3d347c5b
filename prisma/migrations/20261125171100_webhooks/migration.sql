-- Webhooks: the outbox of events that the service delivers to an application's own server.

CREATE TYPE webhook_delivery_state AS ENUM ('PENDING', 'DELIVERED', 'PARKED');

CREATE TABLE webhooks (
  id uuid NOT NULL,
  application_id uuid NOT NULL,
  url text NOT NULL,
  events text[],
  enabled boolean NOT NULL,
  gone boolean NOT NULL DEFAULT false,
  secret_encrypted bytea NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  created_by text NOT NULL,
  updated_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_by text NOT NULL,
  CONSTRAINT webhooks_pkey PRIMARY KEY (id),
  CONSTRAINT webhooks_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX webhooks_application_id_idx ON webhooks (application_id);

-- `sequence` orders the deliveries of one order_key: its writers hold a lock in common. While next_attempt_at lies ahead,
-- a delivery waits, or a worker is sending it.
CREATE TABLE webhook_deliveries (
  id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  sequence bigserial NOT NULL,
  order_key text NOT NULL,
  type text NOT NULL,
  body text NOT NULL,
  state webhook_delivery_state NOT NULL DEFAULT 'PENDING',
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz(6) NOT NULL,
  first_attempt_at timestamptz(6),
  last_attempt_at timestamptz(6),
  next_attempt_at timestamptz(6) NOT NULL,
  ended_at timestamptz(6),
  last_status integer,
  last_error text,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX webhook_deliveries_webhook_id_sequence_idx ON webhook_deliveries (webhook_id, sequence);
CREATE INDEX webhook_deliveries_waiting_idx ON webhook_deliveries (webhook_id, order_key, sequence) WHERE state = 'PENDING';
CREATE INDEX webhook_deliveries_ended_at_idx ON webhook_deliveries (ended_at);

-- The state of each campaign that the last event told, and when the clock changes it next.
CREATE TABLE campaign_clocks (
  campaign_id uuid NOT NULL,
  state campaign_state NOT NULL,
  next_at timestamptz(6),
  CONSTRAINT campaign_clocks_pkey PRIMARY KEY (campaign_id),
  CONSTRAINT campaign_clocks_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX campaign_clocks_next_at_idx ON campaign_clocks (next_at);

-- The campaigns before this table, by the rules of campaignState.ts.
INSERT INTO campaign_clocks (campaign_id, state, next_at)
  SELECT id,
    CASE WHEN state NOT IN ('SCHEDULED', 'ACTIVE') THEN state
      WHEN end_at <= now() THEN 'FINISHED' WHEN start_at <= now() THEN 'ACTIVE' ELSE state END,
    CASE WHEN state NOT IN ('SCHEDULED', 'ACTIVE') OR end_at <= now() THEN NULL
      WHEN state = 'SCHEDULED' AND start_at > now() THEN least(start_at, end_at) ELSE end_at END
  FROM campaigns;
