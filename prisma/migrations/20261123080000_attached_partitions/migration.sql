-- The partitions of events are made aside and attached: CREATE … PARTITION OF locks out every reader and insert of
-- `events`, and waits for each of them, a pg_dump of hours among them. ATTACH PARTITION waits for neither.
CREATE OR REPLACE FUNCTION ensure_event_partitions(weeks_ahead integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  monday date := date_trunc('week', now() AT TIME ZONE 'UTC')::date;
  partition_name text;
  created integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('ensure_event_partitions'));
  FOR week IN 0..weeks_ahead LOOP
    partition_name := 'events_' || to_char(monday + week * 7, 'YYYYMMDD');
    IF to_regclass(partition_name) IS NULL THEN
      EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING ALL)', partition_name);
      EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
        partition_name, monday + week * 7, monday + (week + 1) * 7);
      created := created + 1;
    END IF;
  END LOOP;
  RETURN created;
END
$$;
