-- The user of a session, from the latest upload that contains the session, and the UTC offset of its start. Sessions
-- stored before this migration have neither: both columns stay null until an upload sends the session again.
ALTER TABLE sessions
  ADD COLUMN utc_offset_minutes smallint,
  ADD COLUMN user_id text,
  ADD COLUMN user_at timestamptz(6);
