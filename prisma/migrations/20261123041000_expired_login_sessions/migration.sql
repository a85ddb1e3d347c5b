-- The hourly removal of expired logins looks for them by their end, and read the whole table.

CREATE INDEX login_sessions_expires_at_idx ON login_sessions (expires_at);
