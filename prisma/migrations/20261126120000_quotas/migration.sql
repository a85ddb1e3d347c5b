-- What unsigned requests of unknown devices have used of an application's quotas in one clock hour (openapi.yaml, "Quotas").
-- Each process adds its use every two seconds, and reads what all processes have used.
CREATE TABLE quota_uses (
  application_id uuid NOT NULL,
  operation text NOT NULL,
  hour timestamptz(0) NOT NULL,
  bytes bigint NOT NULL,
  devices bigint NOT NULL,
  refused bigint NOT NULL,
  CONSTRAINT quota_uses_pkey PRIMARY KEY (application_id, operation, hour)
);
CREATE INDEX quota_uses_hour_idx ON quota_uses (hour);
