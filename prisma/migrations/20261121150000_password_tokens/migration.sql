-- Reset and invitation tokens: what was mailed to whom, and whether it still opens an account.

CREATE TYPE password_token_purpose AS ENUM ('reset', 'invitation');

CREATE TABLE password_tokens (
  hash bytea NOT NULL,
  user_id uuid NOT NULL,
  purpose password_token_purpose NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at timestamptz(6) NOT NULL,
  mailed_at timestamptz(6),
  ended_at timestamptz(6),
  CONSTRAINT password_tokens_pkey PRIMARY KEY (hash),
  CONSTRAINT password_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX password_tokens_user_id_idx ON password_tokens (user_id);
CREATE INDEX password_tokens_expires_at_idx ON password_tokens (expires_at);
