-- What the service refused of requests with a valid key, counted by line and day of the application: never a value.
CREATE TABLE ingest_issues (
  application_id uuid NOT NULL,
  day date NOT NULL,
  -- A digest of operation, status, reason, path and versions; 'other' for what goes beyond the lines of a day.
  line text NOT NULL,
  operation text NOT NULL,
  status integer NOT NULL,
  reason text NOT NULL,
  path text NOT NULL,
  sdk_version double precision,
  app_version double precision,
  count bigint NOT NULL,
  first_at timestamptz(6) NOT NULL,
  last_at timestamptz(6) NOT NULL,
  sample_path text NOT NULL,
  sample_message text NOT NULL,
  CONSTRAINT ingest_issues_pkey PRIMARY KEY (application_id, day, line)
);
CREATE INDEX ingest_issues_day_idx ON ingest_issues (day);
