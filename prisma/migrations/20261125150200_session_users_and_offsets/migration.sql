-- The user of a session, by the latest upload that brought it, and the offset from UTC of its start. A session from before
-- has neither: both stay null until the session comes again.
ALTER TABLE sessions
  ADD COLUMN utc_offset_minutes smallint,
  ADD COLUMN user_id text,
  ADD COLUMN user_at timestamptz(6);
