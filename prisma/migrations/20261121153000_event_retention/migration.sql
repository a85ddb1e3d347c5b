-- Old events are dropped as whole weekly partitions, and the sessions that they hung on are deleted in batches.

-- Grows at its right edge only, and finishing a session does not touch it.
CREATE INDEX sessions_received_at_idx ON sessions (received_at);

-- The first day of the oldest partition of events: what is anchored before is gone. Null without any partition.
CREATE FUNCTION events_kept_from() RETURNS date LANGUAGE sql STABLE AS $$
  SELECT min(to_date(right(c.relname, 8), 'YYYYMMDD'))
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_[0-9]{8}$'
$$;

-- Drops the oldest partition of events when all of it is older than that many days, and answers its name; null when
-- nothing is to be dropped or another process is at it. One for each call: dropping locks out every insert, so nothing
-- else belongs into its transaction. Does not wait for a busy table for long: the inserts behind it would wait, too.
CREATE FUNCTION drop_oldest_event_partition(days_kept integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  oldest date;
  partition_name text;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('drop_oldest_event_partition')) THEN RETURN NULL; END IF;
  oldest := events_kept_from();
  IF oldest IS NULL OR oldest + 7 > (now() AT TIME ZONE 'UTC')::date - days_kept THEN RETURN NULL; END IF;
  partition_name := 'events_' || to_char(oldest, 'YYYYMMDD');
  PERFORM set_config('lock_timeout', '200ms', true);
  EXECUTE format('DROP TABLE %I', partition_name);
  RETURN partition_name;
END
$$;
