-- The views read the coordinator's applications and test devices first, because Citus joins no local table with a
-- distributed one (docs/operating/cluster.md, "Rules for statements", rule 6). Each reads a few rows of them.
CREATE OR REPLACE VIEW analytics.devices AS
  WITH kept AS MATERIALIZED (SELECT id FROM applications WHERE deleted_at IS NULL),
    tests AS MATERIALIZED (SELECT application_id, id FROM analytics.test_devices)
  SELECT d.application_id, d.key AS device, d.id, d.user_id, d.properties, d.user_properties,
    (extract(epoch FROM d.first_seen_at) * 1000000)::bigint AS first_seen_at, (extract(epoch FROM d.last_seen_at) * 1000000)::bigint AS last_seen_at,
    t.id IS NOT NULL AS test
  FROM devices d
  JOIN kept k ON k.id = d.application_id
  LEFT JOIN tests t ON t.application_id = d.application_id AND t.id = d.id;

CREATE OR REPLACE VIEW analytics.sessions AS
  WITH kept AS MATERIALIZED (SELECT id FROM applications WHERE deleted_at IS NULL),
    tests AS MATERIALIZED (SELECT application_id, id FROM analytics.test_devices)
  SELECT s.application_id, s.device_key AS device, s.ref AS session, s.id, s.user_id AS unit_user,
    (extract(epoch FROM least(s.started_at, s.received_at)) * 1000000)::bigint AS at, (extract(epoch FROM s.received_at) * 1000000)::bigint AS arrived_at,
    (extract(epoch FROM s.started_at) * 1000000)::bigint AS started_at, (extract(epoch FROM s.finished_at) * 1000000)::bigint AS finished_at,
    t.id IS NOT NULL AS test
  FROM sessions s
  JOIN devices d ON d.key = s.device_key
  JOIN kept k ON k.id = s.application_id
  LEFT JOIN tests t ON t.application_id = d.application_id AND t.id = d.id;

CREATE OR REPLACE VIEW analytics.events AS
  WITH kept AS MATERIALIZED (SELECT id FROM applications WHERE deleted_at IS NULL),
    tests AS MATERIALIZED (SELECT application_id, id FROM analytics.test_devices)
  SELECT e.application_id, e.device_key AS device, e.session_ref AS session, s.user_id AS unit_user,
    (extract(epoch FROM least(e.occurred_at, e.received_at)) * 1000000)::bigint AS at, (extract(epoch FROM e.received_at) * 1000000)::bigint AS arrived_at,
    (extract(epoch FROM s.received_at) * 1000000)::bigint AS session_arrived_at, s.id AS session_id, coalesce(e.place, 0)::integer AS place,
    e.name, e.system, e.system AND e.name = 'EventTriggered' AS mirror, e.params, t.id IS NOT NULL AS test
  FROM events e
  JOIN sessions s ON s.device_key = e.device_key AND s.ref = e.session_ref
  JOIN devices d ON d.key = e.device_key
  JOIN kept k ON k.id = e.application_id
  LEFT JOIN tests t ON t.application_id = d.application_id AND t.id = d.id;

-- Only the keys of test devices are read from the devices.
CREATE OR REPLACE VIEW analytics.firsts AS
  WITH listed AS MATERIALIZED (SELECT application_id, id FROM analytics.test_devices),
    tests AS MATERIALIZED (SELECT d.key FROM devices d JOIN listed l ON l.application_id = d.application_id AND l.id = d.id)
  SELECT f.application_id, CASE f.kind WHEN 'D' THEN 'DEVICE' ELSE 'USER' END AS unit,
    CASE f.kind WHEN 'U' THEN f.unit END AS user_id, CASE WHEN f.kind <> 'U' THEN f.unit::uuid END AS device,
    f.name, f.system, f.at, t.key IS NOT NULL AS test
  FROM analytics_firsts f
  JOIN applications a ON a.id = f.application_id AND a.deleted_at IS NULL
  LEFT JOIN tests t ON t.key = CASE WHEN f.kind <> 'U' THEN f.unit::uuid END;
