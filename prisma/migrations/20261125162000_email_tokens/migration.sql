-- The mailed tokens with which a user proves the mailbox of an address: the account's, or the one it changes to.

CREATE TYPE email_token_purpose AS ENUM ('confirmation', 'change');

CREATE TABLE email_tokens (
  hash bytea NOT NULL,
  user_id uuid NOT NULL,
  purpose email_token_purpose NOT NULL,
  email text NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(6) NOT NULL,
  mailed_at timestamptz(6),
  ended_at timestamptz(6),
  CONSTRAINT email_tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT email_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX email_tokens_user_id_idx ON email_tokens (user_id);
CREATE INDEX email_tokens_expires_at_idx ON email_tokens (expires_at);
