-- Whether a user has proved the mailbox of the account's address, and the mailed tokens that prove it. An account from
-- before has proved nothing that is recorded: it counts as never confirmed.

ALTER TABLE users ADD COLUMN IF NOT EXISTS email_verified_at timestamptz(6);

CREATE TYPE email_token_purpose AS ENUM ('confirmation', 'change');

CREATE TABLE email_tokens (
  hash bytea NOT NULL,
  user_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  purpose email_token_purpose NOT NULL,
  email text NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(6) NOT NULL,
  mailed_at timestamptz(6),
  ended_at timestamptz(6),
  CONSTRAINT email_tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT email_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT email_tokens_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX email_tokens_user_id_idx ON email_tokens (user_id);
CREATE INDEX email_tokens_organization_id_idx ON email_tokens (organization_id);
CREATE INDEX email_tokens_expires_at_idx ON email_tokens (expires_at);
