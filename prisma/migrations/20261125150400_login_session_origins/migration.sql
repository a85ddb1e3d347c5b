-- Where a login came from and when it was last used, so that its user can recognize it in a list and end it. A login from
-- before counts as used at this migration: its true last use is not known, and it may live on.

ALTER TABLE login_sessions
  ADD COLUMN last_used_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ADD COLUMN user_agent text,
  ADD COLUMN address text;
