-- The dashboard's side: few rows, real foreign keys.

CREATE TYPE user_role AS ENUM ('owner', 'admin', 'editor', 'viewer');
CREATE TYPE user_status AS ENUM ('active', 'invited', 'disabled');
CREATE TYPE platform AS ENUM ('iOS', 'Android');

CREATE TABLE organizations (
  id uuid NOT NULL,
  name text NOT NULL,
  logo text,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT organizations_pkey PRIMARY KEY (id)
);

CREATE TABLE users (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  role user_role NOT NULL,
  status user_status NOT NULL,
  avatar text,
  password_hash text,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX users_email_key ON users (email);
CREATE INDEX users_organization_id_idx ON users (organization_id);

CREATE TABLE projects (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  image text,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT projects_pkey PRIMARY KEY (id),
  CONSTRAINT projects_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX projects_organization_id_idx ON projects (organization_id);

CREATE TABLE applications (
  id uuid NOT NULL,
  project_id uuid NOT NULL,
  name text NOT NULL,
  bundle_id text NOT NULL,
  platform platform NOT NULL,
  image text NOT NULL DEFAULT '',
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deleted_at timestamptz(6),
  CONSTRAINT applications_pkey PRIMARY KEY (id),
  CONSTRAINT applications_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX applications_project_id_idx ON applications (project_id);

CREATE TABLE api_keys (
  id uuid NOT NULL,
  application_id uuid NOT NULL,
  public text NOT NULL,
  secret_encrypted bytea NOT NULL,
  last_used timestamptz(6),
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  revoked_at timestamptz(6),
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX api_keys_public_key ON api_keys (public);
CREATE INDEX api_keys_application_id_idx ON api_keys (application_id);

CREATE TABLE campaigns (
  id uuid NOT NULL,
  application_id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT campaigns_pkey PRIMARY KEY (id),
  CONSTRAINT campaigns_application_id_fkey FOREIGN KEY (application_id) REFERENCES applications (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX campaigns_application_id_idx ON campaigns (application_id);

CREATE TABLE campaign_counts (
  campaign_id uuid NOT NULL,
  outcome text NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT campaign_counts_pkey PRIMARY KEY (campaign_id, outcome)
);

-- Ingest: no foreign keys, every unique key holds the distribution column (device_key; nonces: nonce).

CREATE TABLE devices (
  key uuid NOT NULL,
  application_id uuid NOT NULL,
  id text NOT NULL,
  user_id text,
  properties jsonb NOT NULL,
  user_properties jsonb NOT NULL,
  dropped_properties text[],
  state_at timestamptz(6) NOT NULL,
  first_seen_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_seen_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT devices_pkey PRIMARY KEY (key)
);
CREATE INDEX devices_application_id_id_idx ON devices (application_id, id);

CREATE TABLE sessions (
  device_key uuid NOT NULL,
  id text NOT NULL,
  application_id uuid NOT NULL,
  ref bigserial NOT NULL,
  global_number bigint NOT NULL,
  version_number bigint NOT NULL,
  started_at timestamptz(6) NOT NULL,
  finished_at timestamptz(6),
  received_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT sessions_pkey PRIMARY KEY (device_key, id)
);
CREATE INDEX sessions_device_key_started_at_idx ON sessions (device_key, started_at DESC);

-- The key begins with the session's number, which only grows: new events land on the index's right edge, in cached
-- pages, however many rows there are.
CREATE TABLE events (
  session_ref bigint NOT NULL,
  occurred_at timestamptz(6) NOT NULL,
  received_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  anchored_on date NOT NULL,
  system boolean NOT NULL,
  device_key uuid NOT NULL,
  application_id uuid NOT NULL,
  id bytea NOT NULL,
  name text NOT NULL,
  params jsonb NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (session_ref, id, device_key, anchored_on)
) PARTITION BY RANGE (anchored_on);

CREATE TABLE nonces (
  nonce text NOT NULL,
  application_id uuid NOT NULL,
  body_hash bytea NOT NULL,
  received_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT nonces_pkey PRIMARY KEY (nonce, application_id)
);
CREATE INDEX nonces_received_at_idx ON nonces (received_at);

-- Creates the weekly partitions of events from this week to the given number of weeks ahead, and answers how many
-- were missing. Anchors are arrival dates by this server's clock, so nothing can fall outside while this runs daily.
CREATE FUNCTION ensure_event_partitions(weeks_ahead integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  monday date := date_trunc('week', now() AT TIME ZONE 'UTC')::date;
  partition_name text;
  created integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ensure_event_partitions'));
  FOR week IN 0..weeks_ahead LOOP
    partition_name := 'events_' || to_char(monday + week * 7, 'YYYYMMDD');
    -- Looked up first: CREATE … PARTITION OF takes a lock that stops every insert, even where the table exists.
    IF to_regclass(partition_name) IS NULL THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
        partition_name, monday + week * 7, monday + (week + 1) * 7);
      created := created + 1;
    END IF;
  END LOOP;
  RETURN created;
END
$$;
