-- A time that cannot be true counts as the arrival: one before the application's creation less 400 days. A first time that
-- retention has kept counts as the creation, before which nothing can have arrived. One ahead of its arrival has always
-- counted as the arrival. src/analytics/engine/relations.md has the columns.
-- In hours: 400 days are an hour more or less where the session's time zone changes its clocks.
CREATE VIEW analytics.earliest_times AS
  SELECT id AS application_id, created_at, created_at - interval '9600 hours' AS earliest FROM applications;

-- The whole row as JSON, with the application's picture, was made for each look at the lists.
CREATE OR REPLACE VIEW analytics.test_devices AS
  SELECT a.id AS application_id, listed.id FROM applications a CROSS JOIN LATERAL unnest(a.test_devices) AS listed (id);

-- A finish has its own arrival (docs/decisions/session-dates.md): one that was possible at it is, however late it is.
CREATE OR REPLACE VIEW analytics.sessions AS
  WITH kept AS MATERIALIZED (
      SELECT a.id, t.earliest FROM applications a JOIN analytics.earliest_times t ON t.application_id = a.id WHERE a.deleted_at IS NULL),
    tests AS MATERIALIZED (SELECT application_id, id FROM analytics.test_devices)
  SELECT s.application_id, s.device_key AS device, s.ref AS session, s.id, s.user_id AS unit_user,
    (extract(epoch FROM CASE WHEN s.started_at < k.earliest THEN s.received_at ELSE least(s.started_at, s.received_at) END) * 1000000)::bigint AS at,
    (extract(epoch FROM s.received_at) * 1000000)::bigint AS arrived_at,
    (extract(epoch FROM s.started_at) * 1000000)::bigint AS started_at, (extract(epoch FROM s.finished_at) * 1000000)::bigint AS finished_at,
    t.id IS NOT NULL AS test,
    coalesce(s.started_at < k.earliest OR s.started_at - s.received_at > interval '1 day' OR s.finished_at < k.earliest
      OR s.finished_at < s.started_at OR (s.finished_at - s.received_at > interval '1 day' AND s.finish_possible IS NOT TRUE), false) AS suspect
  FROM sessions s
  JOIN devices d ON d.key = s.device_key
  JOIN kept k ON k.id = s.application_id
  LEFT JOIN tests t ON t.application_id = d.application_id AND t.id = d.id;

CREATE OR REPLACE VIEW analytics.events AS
  WITH kept AS MATERIALIZED (
      SELECT a.id, t.earliest FROM applications a JOIN analytics.earliest_times t ON t.application_id = a.id WHERE a.deleted_at IS NULL),
    tests AS MATERIALIZED (SELECT application_id, id FROM analytics.test_devices)
  SELECT e.application_id, e.device_key AS device, e.session_ref AS session, s.user_id AS unit_user,
    (extract(epoch FROM CASE WHEN e.occurred_at < k.earliest THEN e.received_at ELSE least(e.occurred_at, e.received_at) END) * 1000000)::bigint AS at,
    (extract(epoch FROM e.received_at) * 1000000)::bigint AS arrived_at,
    (extract(epoch FROM s.received_at) * 1000000)::bigint AS session_arrived_at, s.id AS session_id, coalesce(e.place, 0)::integer AS place,
    e.name, e.system, e.system AND e.name = 'EventTriggered' AS mirror, e.params, t.id IS NOT NULL AS test
  FROM events e
  JOIN sessions s ON s.device_key = e.device_key AND s.ref = e.session_ref
  JOIN devices d ON d.key = e.device_key
  JOIN kept k ON k.id = e.application_id
  LEFT JOIN tests t ON t.application_id = d.application_id AND t.id = d.id;

CREATE OR REPLACE VIEW analytics.firsts AS
  WITH listed AS MATERIALIZED (SELECT application_id, id FROM analytics.test_devices),
    tests AS MATERIALIZED (SELECT d.key FROM devices d JOIN listed l ON l.application_id = d.application_id AND l.id = d.id)
  SELECT f.application_id, CASE f.kind WHEN 'D' THEN 'DEVICE' ELSE 'USER' END AS unit,
    CASE f.kind WHEN 'U' THEN f.unit END AS user_id, CASE WHEN f.kind <> 'U' THEN f.unit::uuid END AS device,
    f.name, f.system,
    CASE WHEN f.at < (extract(epoch FROM k.earliest) * 1000000)::bigint
      THEN (extract(epoch FROM k.created_at) * 1000000)::bigint ELSE f.at END AS at,
    t.key IS NOT NULL AS test
  FROM analytics_firsts f
  JOIN applications a ON a.id = f.application_id AND a.deleted_at IS NULL
  JOIN analytics.earliest_times k ON k.application_id = f.application_id
  LEFT JOIN tests t ON t.key = CASE WHEN f.kind <> 'U' THEN f.unit::uuid END;
