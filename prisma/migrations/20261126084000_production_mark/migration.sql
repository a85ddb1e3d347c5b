-- A production start leaves one row. A process outside production refuses a database with this row, because it would
-- migrate the schema and add a login whose password is published (docs/operating/production-settings.md, "When a start is refused").
CREATE TABLE production_mark (
  one boolean NOT NULL DEFAULT true CHECK (one),
  marked_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT production_mark_pkey PRIMARY KEY (one)
);
