-- Campaigns: the whole record.

CREATE TYPE campaign_state AS ENUM ('DRAFT', 'SCHEDULED', 'ACTIVE', 'PAUSED', 'FINISHED', 'ARCHIVED');
ALTER TABLE campaigns
  ADD COLUMN description text,
  ADD COLUMN state campaign_state NOT NULL DEFAULT 'DRAFT',
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN priority integer NOT NULL DEFAULT 0,
  ADD COLUMN trigger jsonb,
  ADD COLUMN targeting jsonb,
  ADD COLUMN frequency jsonb,
  ADD COLUMN action jsonb,
  ADD COLUMN start_at timestamptz(6),
  ADD COLUMN end_at timestamptz(6),
  ADD COLUMN updated_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- Logins of the dashboard.

ALTER TABLE users ALTER COLUMN name DROP NOT NULL;

CREATE TABLE login_sessions (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(6) NOT NULL,
  revoked_at timestamptz(6),
  CONSTRAINT login_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT login_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX login_sessions_user_id_idx ON login_sessions (user_id);

CREATE TABLE refresh_tokens (
  hash bytea NOT NULL,
  session_id uuid NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(6) NOT NULL,
  used_at timestamptz(6),
  CONSTRAINT refresh_tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES login_sessions (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX refresh_tokens_session_id_idx ON refresh_tokens (session_id);

CREATE TABLE attempts (
  key bytea NOT NULL,
  count integer NOT NULL,
  expires_at timestamptz(6) NOT NULL,
  CONSTRAINT attempts_pkey PRIMARY KEY (key)
);
CREATE INDEX attempts_expires_at_idx ON attempts (expires_at);

ALTER TABLE projects ADD COLUMN deleted_at timestamptz(6);

-- Attribution: distributable by device_key.

CREATE TABLE attribution_reports (
  device_key uuid NOT NULL,
  body_hash bytea NOT NULL,
  application_id uuid NOT NULL,
  device_id text NOT NULL,
  external_id text,
  os_version text NOT NULL,
  provider_a json,
  store_search_ads json,
  provider_b json,
  custom json,
  received_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT attribution_reports_pkey PRIMARY KEY (device_key, body_hash)
);
CREATE INDEX attribution_reports_device_key_received_at_idx ON attribution_reports (device_key, received_at DESC);

-- Store transactions: unique within an application, so distributable by id; their devices by device_key.

CREATE TYPE store_transaction_state AS ENUM ('PENDING', 'RESOLVED', 'NOT_FOUND', 'FAILED');
CREATE TYPE entitlement_kind AS ENUM ('CONSUMABLE', 'NON_CONSUMABLE', 'AUTO_RENEWABLE', 'NON_RENEWING');
CREATE TYPE store_environment AS ENUM ('PRODUCTION', 'SANDBOX');

CREATE TABLE store_transactions (
  id text NOT NULL,
  application_id uuid NOT NULL,
  state store_transaction_state NOT NULL DEFAULT 'PENDING',
  reason text,
  line_id text,
  received_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  resolved_at timestamptz(6),
  CONSTRAINT store_transactions_pkey PRIMARY KEY (id, application_id)
);
CREATE INDEX store_transactions_application_id_state_idx ON store_transactions (application_id, state);

CREATE TABLE store_transaction_devices (
  device_key uuid NOT NULL,
  transaction_id text NOT NULL,
  application_id uuid NOT NULL,
  device_id text NOT NULL,
  external_id text,
  received_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT store_transaction_devices_pkey PRIMARY KEY (device_key, transaction_id)
);

CREATE TABLE store_entitlements (
  line_id text NOT NULL,
  application_id uuid NOT NULL,
  product_id text NOT NULL,
  kind entitlement_kind NOT NULL,
  environment store_environment NOT NULL,
  purchased_at timestamptz(6) NOT NULL,
  expires_at timestamptz(6),
  grace_expires_at timestamptz(6),
  revoked_at timestamptz(6),
  auto_renew boolean,
  signed_at timestamptz(6) NOT NULL,
  updated_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT store_entitlements_pkey PRIMARY KEY (line_id, application_id)
);

CREATE TABLE store_credentials (
  application_id uuid NOT NULL,
  issuer_id text NOT NULL,
  key_id text NOT NULL,
  private_key_encrypted bytea NOT NULL,
  bundle_id text,
  updated_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT store_credentials_pkey PRIMARY KEY (application_id),
  CONSTRAINT store_credentials_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications (id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE store_call_slots (
  application_id uuid NOT NULL,
  next_at timestamptz(6) NOT NULL,
  queue_end_at timestamptz(6) NOT NULL,
  CONSTRAINT store_call_slots_pkey PRIMARY KEY (application_id)
);

-- Takes the next call to the store when it is due within `patience`; otherwise hands out a place in the queue of calls,
-- one step behind the last, so that a backlog of one application waits in the job queue and not in the workers. Who
-- comes back `queued` is served before newcomers. The wall clock, because the row lock may have been waited for.
CREATE FUNCTION take_store_call(application uuid, step interval, patience interval, queued boolean)
RETURNS TABLE (granted boolean, due_at timestamptz, wait_millis float8) LANGUAGE plpgsql AS $$
DECLARE
  slot store_call_slots;
  present timestamptz;
BEGIN
  INSERT INTO store_call_slots VALUES (application, clock_timestamp(), clock_timestamp()) ON CONFLICT DO NOTHING;
  SELECT * INTO slot FROM store_call_slots WHERE application_id = application FOR UPDATE;
  present := clock_timestamp();
  granted := slot.next_at <= present + patience AND (queued OR slot.queue_end_at <= present + patience);
  IF granted THEN
    due_at := greatest(slot.next_at, present);
    UPDATE store_call_slots SET next_at = take_store_call.due_at + step WHERE application_id = application;
  ELSE
    due_at := greatest(slot.next_at, slot.queue_end_at);
    UPDATE store_call_slots SET queue_end_at = take_store_call.due_at + step WHERE application_id = application;
  END IF;
  wait_millis := extract(epoch FROM due_at - present) * 1000;
  RETURN NEXT;
END $$;

-- Processes that run jobs: one that has not been seen for a while is dead, and its jobs go to the others.

CREATE TABLE job_workers (
  id text NOT NULL,
  seen_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT job_workers_pkey PRIMARY KEY (id)
);
