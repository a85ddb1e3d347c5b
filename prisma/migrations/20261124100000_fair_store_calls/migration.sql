-- One device may upload ids without end, and the store takes few calls a second: what a device uploads while it has many
-- PENDING already waits behind the transactions of others. `uploaded_by` is the device's key, by which they are counted.
-- Rows from before count for nobody and wait as they did.

ALTER TABLE store_transactions
  ADD COLUMN uploaded_by uuid,
  ADD COLUMN behind boolean NOT NULL DEFAULT false;
CREATE INDEX store_transactions_uploaded_by_state_received_at_idx ON store_transactions (uploaded_by, state, received_at);

-- The end of a second queue, of those behind.
ALTER TABLE store_call_slots ADD COLUMN behind_end_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- As before, and who is `behind` takes a call only when the queue of the others ends within `patience`, and otherwise a
-- place after both queues. Processes of an earlier version call it without `behind`.
DROP FUNCTION take_store_call(uuid, interval, interval, boolean);
CREATE FUNCTION take_store_call(application uuid, step interval, patience interval, queued boolean, behind boolean DEFAULT false)
RETURNS TABLE (granted boolean, due_at timestamptz, wait_millis float8) LANGUAGE plpgsql AS $$
DECLARE
  slot store_call_slots;
  present timestamptz;
  latest timestamptz;
BEGIN
  INSERT INTO store_call_slots (application_id, next_at, queue_end_at, behind_end_at)
  VALUES (application, clock_timestamp(), clock_timestamp(), clock_timestamp()) ON CONFLICT DO NOTHING;
  SELECT * INTO slot FROM store_call_slots WHERE application_id = application FOR UPDATE;
  present := clock_timestamp();
  latest := present + patience;
  granted := slot.next_at <= latest AND CASE
    WHEN behind THEN slot.queue_end_at <= latest AND (queued OR slot.behind_end_at <= latest)
    ELSE queued OR slot.queue_end_at <= latest END;
  IF granted THEN
    due_at := greatest(slot.next_at, present);
    UPDATE store_call_slots SET next_at = take_store_call.due_at + step WHERE application_id = application;
  ELSIF behind THEN
    due_at := greatest(slot.next_at, slot.queue_end_at, slot.behind_end_at);
    UPDATE store_call_slots SET behind_end_at = take_store_call.due_at + step WHERE application_id = application;
  ELSE
    due_at := greatest(slot.next_at, slot.queue_end_at);
    UPDATE store_call_slots SET queue_end_at = take_store_call.due_at + step WHERE application_id = application;
  END IF;
  wait_millis := extract(epoch FROM due_at - present) * 1000;
  RETURN NEXT;
END $$;
