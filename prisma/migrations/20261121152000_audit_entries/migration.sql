-- The audit log: who did what to which object, and when. No foreign key: a line outlives what it is about.

CREATE TABLE audit_entries (
  organization_id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  id bigserial NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  object_type text NOT NULL,
  object_id text NOT NULL,
  details jsonb NOT NULL,
  CONSTRAINT audit_entries_pkey PRIMARY KEY (organization_id, at, id)
);

-- Nothing removes a line: there is no retention, and no operation deletes an organization. Who owns the table can still
-- take this trigger away, by name and on purpose.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit_entries is append-only' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- Appends the lines of one change, [{action, objectType, objectId, details}], in the caller's transaction. The lock,
-- held until its end, makes the order of `at` the order of the commits, and no two transactions of an organization share
-- an instant: whoever pages back by `before` misses none, not even one that was still uncommitted at the first page.
CREATE FUNCTION append_audit_entries(organization uuid, actor text, entries jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz(3);
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('audit_entries'), hashtext(organization::text));
  SELECT greatest(date_trunc('milliseconds', clock_timestamp()), max(e.at) + interval '1 millisecond') INTO moment
    FROM audit_entries e WHERE e.organization_id = organization;
  INSERT INTO audit_entries (organization_id, at, actor, action, object_type, object_id, details)
    SELECT organization, moment, append_audit_entries.actor, line ->> 'action', line ->> 'objectType',
      line ->> 'objectId', line -> 'details'
    FROM jsonb_array_elements(entries) WITH ORDINALITY AS t (line, place) ORDER BY place;
END
$$;
