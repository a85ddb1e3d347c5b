-- Look-ups wait in their own table, and not as a job each: one job of an application takes its transactions in turns. A
-- transaction that waits as a job of an earlier version enters the line when that job runs.

ALTER TABLE store_transactions
  -- Its next look-up is due then. While one is under way: the end of the lease, as in looking_until.
  ADD COLUMN look_up_at timestamptz(6),
  -- Of two that are due, the one with the smaller number comes first: devices take turns.
  ADD COLUMN look_up_round integer NOT NULL DEFAULT 0,
  -- Look-ups in a row to which the store gave no answer that counts.
  ADD COLUMN look_up_attempt integer NOT NULL DEFAULT 0,
  -- Look-ups in a row that failed inside the service.
  ADD COLUMN look_up_failures integer NOT NULL DEFAULT 0,
  -- A period of its line has ended: status and history are read, and nothing else.
  ADD COLUMN look_up_ended boolean NOT NULL DEFAULT false;

-- The second column is the line: 0 in front, 1 behind.
CREATE INDEX store_transactions_look_up_idx ON store_transactions
  (application_id, (CASE WHEN behind OR look_up_ended THEN 1 ELSE 0 END), look_up_round, look_up_at)
  WHERE look_up_at IS NOT NULL;

-- Those without a place wait in turns too.
CREATE INDEX store_transactions_waiting_in_line_idx ON store_transactions (application_id, look_up_round, received_at, id)
  WHERE reason = 'waiting_in_line';
DROP INDEX store_transactions_reason_application_id_received_at_idx;
