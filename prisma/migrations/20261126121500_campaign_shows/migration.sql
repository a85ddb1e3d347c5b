-- Shows of a campaign with a frequency by one device on one UTC day of arrival. When the day is over, what is suspect of them is
-- added to campaign_counts and the row goes, so that the table holds the devices of a day or two.
CREATE TABLE campaign_shows (
  campaign_id uuid NOT NULL,
  -- The key of the device. The table is on the coordinator of a cluster, as the counts are.
  shown_by uuid NOT NULL,
  day date NOT NULL,
  shows bigint NOT NULL,
  -- Beyond what the frequency allowed when the last of them arrived.
  suspect bigint NOT NULL,
  -- The device's sessions that had first arrived on the day by then; null where no cap asked for them.
  sessions bigint,
  -- A show arrived in a session of an earlier day, which counts as one more session.
  continued boolean NOT NULL,
  -- The caps then: the smaller one of perDay and total, and perSession.
  most bigint,
  per_session bigint,
  CONSTRAINT campaign_shows_pkey PRIMARY KEY (campaign_id, shown_by, day)
);
CREATE INDEX campaign_shows_day_idx ON campaign_shows (day);
-- A read adds up these alone. Honest devices are not among them.
CREATE INDEX campaign_shows_suspect_idx ON campaign_shows (campaign_id) INCLUDE (suspect) WHERE suspect > 0;
