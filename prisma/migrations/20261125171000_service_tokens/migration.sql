-- Tokens with which programs call the admin API. Only the hash of a token is stored.

CREATE TABLE service_tokens (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  role user_role NOT NULL,
  hash bytea NOT NULL,
  application_ids uuid[],
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  created_by text NOT NULL,
  expires_at timestamptz(6),
  last_used_at timestamptz(6),
  revoked_at timestamptz(6),
  CONSTRAINT service_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT service_tokens_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX service_tokens_hash_key ON service_tokens (hash);
CREATE INDEX service_tokens_organization_id_idx ON service_tokens (organization_id);
