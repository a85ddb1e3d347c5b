-- The relations of src/analytics/engine/relations.md as views, and the table of what retention has removed.
CREATE TABLE analytics_firsts (
  application_id uuid NOT NULL,
  -- D: a device, U: a user, A: a device where its sessions have no user.
  kind text NOT NULL,
  -- The user's id, or the device's key.
  unit text NOT NULL,
  name text NOT NULL,
  system boolean NOT NULL,
  at bigint NOT NULL,
  CONSTRAINT analytics_firsts_pkey PRIMARY KEY (application_id, kind, unit, name, system)
);

-- A view computes microseconds in place: on Citus a function would have to be on each worker.
CREATE SCHEMA IF NOT EXISTS analytics;

-- Empty until the column applications.test_devices is there: the whole row has the columns of the present.
CREATE VIEW analytics.test_devices AS
  SELECT a.id AS application_id, listed.id
  FROM applications a
  CROSS JOIN LATERAL jsonb_array_elements_text(coalesce(to_jsonb(a) -> 'test_devices', '[]')) AS listed (id);

CREATE VIEW analytics.devices AS
  SELECT d.application_id, d.key AS device, d.id, d.user_id, d.properties, d.user_properties,
    (extract(epoch FROM d.first_seen_at) * 1000000)::bigint AS first_seen_at, (extract(epoch FROM d.last_seen_at) * 1000000)::bigint AS last_seen_at,
    t.id IS NOT NULL AS test
  FROM devices d
  JOIN applications a ON a.id = d.application_id AND a.deleted_at IS NULL
  LEFT JOIN analytics.test_devices t ON t.application_id = d.application_id AND t.id = d.id;

CREATE VIEW analytics.sessions AS
  SELECT s.application_id, s.device_key AS device, s.ref AS session, s.id, s.user_id AS unit_user,
    (extract(epoch FROM least(s.started_at, s.received_at)) * 1000000)::bigint AS at, (extract(epoch FROM s.received_at) * 1000000)::bigint AS arrived_at,
    (extract(epoch FROM s.started_at) * 1000000)::bigint AS started_at, (extract(epoch FROM s.finished_at) * 1000000)::bigint AS finished_at,
    t.id IS NOT NULL AS test
  FROM sessions s
  JOIN devices d ON d.key = s.device_key
  JOIN applications a ON a.id = s.application_id AND a.deleted_at IS NULL
  LEFT JOIN analytics.test_devices t ON t.application_id = d.application_id AND t.id = d.id;

CREATE VIEW analytics.events AS
  SELECT e.application_id, e.device_key AS device, e.session_ref AS session, s.user_id AS unit_user,
    (extract(epoch FROM least(e.occurred_at, e.received_at)) * 1000000)::bigint AS at, (extract(epoch FROM e.received_at) * 1000000)::bigint AS arrived_at,
    (extract(epoch FROM s.received_at) * 1000000)::bigint AS session_arrived_at, s.id AS session_id, coalesce(e.place, 0)::integer AS place,
    e.name, e.system, e.system AND e.name = 'EventTriggered' AS mirror, e.params, t.id IS NOT NULL AS test
  FROM events e
  JOIN sessions s ON s.device_key = e.device_key AND s.ref = e.session_ref
  JOIN devices d ON d.key = e.device_key
  JOIN applications a ON a.id = e.application_id AND a.deleted_at IS NULL
  LEFT JOIN analytics.test_devices t ON t.application_id = d.application_id AND t.id = d.id;

CREATE VIEW analytics.firsts AS
  SELECT f.application_id, CASE f.kind WHEN 'D' THEN 'DEVICE' ELSE 'USER' END AS unit,
    CASE f.kind WHEN 'U' THEN f.unit END AS user_id, CASE WHEN f.kind <> 'U' THEN f.unit::uuid END AS device,
    f.name, f.system, f.at, t.id IS NOT NULL AS test
  FROM analytics_firsts f
  JOIN applications a ON a.id = f.application_id AND a.deleted_at IS NULL
  LEFT JOIN devices d ON d.key = CASE WHEN f.kind <> 'U' THEN f.unit::uuid END
  LEFT JOIN analytics.test_devices t ON t.application_id = d.application_id AND t.id = d.id;

CREATE VIEW analytics.transactions AS
  SELECT t.application_id, t.id, coalesce(t.line_id, t.id) AS line, t.product_id, t.kind::text AS kind,
    t.environment::text AS environment, (extract(epoch FROM t.purchased_at) * 1000000)::bigint AS purchased_at,
    (extract(epoch FROM t.expires_at) * 1000000)::bigint AS expires_at, (extract(epoch FROM t.revoked_at) * 1000000)::bigint AS revoked_at,
    t.revocation_percent, t.revocation_type, t.price_milli, t.currency, t.quantity, t.ownership, t.offer, t.offer_mode,
    t.storefront,
    CASE
      WHEN e.owner_external_id IS NOT NULL THEN 'user:' || e.owner_external_id
      WHEN e.owner_device_id IS NOT NULL THEN 'device:' || e.owner_device_id
      ELSE 'line:' || coalesce(t.line_id, t.id) END AS payer,
    a.platform
  FROM store_transactions t
  JOIN applications a ON a.id = t.application_id AND a.deleted_at IS NULL
  LEFT JOIN store_entitlements e ON e.application_id = t.application_id AND e.line_id = coalesce(t.line_id, t.id)
  WHERE t.state = 'RESOLVED' AND t.purchased_at IS NOT NULL;

CREATE VIEW analytics.renewals AS
  SELECT c.application_id, c.line_id AS line, (extract(epoch FROM c.signed_at) * 1000000)::bigint AS signed_at, c.auto_renew,
    c.in_billing_retry, (extract(epoch FROM c.grace_expires_at) * 1000000)::bigint AS grace_expires_at
  FROM store_renewal_changes c JOIN applications a ON a.id = c.application_id AND a.deleted_at IS NULL
  UNION
  SELECT e.application_id, e.line_id, (extract(epoch FROM coalesce(e.renewal_signed_at, e.signed_at)) * 1000000)::bigint, e.auto_renew,
    e.in_billing_retry, (extract(epoch FROM e.grace_expires_at) * 1000000)::bigint
  FROM store_entitlements e JOIN applications a ON a.id = e.application_id AND a.deleted_at IS NULL;
