-- What the store notifies: each notification once for ever, and how far the store's history of them was read.

ALTER TABLE applications ADD COLUMN store_app_id text;

CREATE TABLE store_notifications (
  id uuid NOT NULL,
  application_id uuid NOT NULL,
  environment store_environment NOT NULL,
  type text NOT NULL,
  subtype text,
  signed_at timestamptz(6) NOT NULL,
  received_at timestamptz(6) NOT NULL,
  fetched boolean NOT NULL DEFAULT false,
  CONSTRAINT store_notifications_pkey PRIMARY KEY (id, application_id)
);
CREATE INDEX store_notifications_application_id_environment_signed_at_idx
  ON store_notifications (application_id, environment, signed_at);

CREATE TABLE store_notification_reads (
  application_id uuid NOT NULL,
  environment store_environment NOT NULL,
  due_at timestamptz(6) NOT NULL,
  read_until timestamptz(6),
  reading_from timestamptz(6),
  reading_until timestamptz(6),
  page_token text,
  CONSTRAINT store_notification_reads_pkey PRIMARY KEY (application_id, environment)
);
CREATE INDEX store_notification_reads_due_at_idx ON store_notification_reads (due_at);

CREATE TABLE store_watch (
  one boolean NOT NULL DEFAULT true,
  seen_at timestamptz(6) NOT NULL,
  CONSTRAINT store_watch_pkey PRIMARY KEY (one),
  CONSTRAINT store_watch_one_check CHECK (one)
);
