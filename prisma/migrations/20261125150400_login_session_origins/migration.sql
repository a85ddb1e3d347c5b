-- The origin and the last use of a login, so that its user can recognize it in a list and end it. The last use of
-- logins before this migration is unknown. They may still be in use, so they count as used now.

ALTER TABLE login_sessions
  ADD COLUMN last_used_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN user_agent text,
  ADD COLUMN address text;
