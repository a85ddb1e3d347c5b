-- A transaction is looked up as often as it can change. Each transaction keeps what the store said of it last, each line its
-- renewal and its owner, and each upload stays as a claim, from which the owner is decided.

CREATE TYPE entitlement_policy AS ENUM ('KEEP', 'TRANSFER', 'SHARE');
ALTER TABLE applications ADD COLUMN entitlement_policy entitlement_policy NOT NULL DEFAULT 'KEEP';

-- A device that a signed upload of sessions has reported is proven. Those from before are taken for proven: production has
-- required signatures.
ALTER TABLE devices ADD COLUMN signed boolean NOT NULL DEFAULT true;
ALTER TABLE devices ALTER COLUMN signed SET DEFAULT false;

ALTER TABLE store_transactions
  ADD COLUMN product_id text,
  ADD COLUMN original_id text,
  ADD COLUMN kind entitlement_kind,
  ADD COLUMN environment store_environment,
  ADD COLUMN purchased_at timestamptz(6),
  ADD COLUMN expires_at timestamptz(6),
  ADD COLUMN revoked_at timestamptz(6),
  ADD COLUMN revocation_reason text,
  ADD COLUMN revocation_type text,
  ADD COLUMN revocation_percent double precision,
  ADD COLUMN price_milli bigint,
  ADD COLUMN currency text,
  ADD COLUMN quantity integer,
  ADD COLUMN ownership text,
  ADD COLUMN offer text,
  ADD COLUMN offer_mode text,
  ADD COLUMN storefront text,
  ADD COLUMN account_token text,
  ADD COLUMN signed_at timestamptz(6),
  ADD COLUMN last_looked_up_at timestamptz(6),
  ADD COLUMN last_look_up_error text,
  ADD COLUMN not_known_since timestamptz(6),
  ADD COLUMN looking_until timestamptz(6),
  ADD COLUMN waits boolean NOT NULL DEFAULT false,
  ADD COLUMN takes_place boolean NOT NULL DEFAULT false;
CREATE INDEX store_transactions_line_id_application_id_idx ON store_transactions (line_id, application_id);
CREATE INDEX store_transactions_application_id_takes_place_idx ON store_transactions (application_id, takes_place);
CREATE INDEX store_transactions_reason_application_id_received_at_idx ON store_transactions (reason, application_id, received_at);
CREATE INDEX store_transactions_application_id_last_look_up_error_id_idx ON store_transactions (application_id, last_look_up_error, id);

-- A transaction without a subscription is its own line, so that its line has what the store said of it.
UPDATE store_transactions t SET product_id = e.product_id, original_id = t.id, kind = e.kind, environment = e.environment,
  purchased_at = e.purchased_at, expires_at = e.expires_at, revoked_at = e.revoked_at, signed_at = e.signed_at,
  last_looked_up_at = t.resolved_at
FROM store_entitlements e
WHERE e.line_id = t.line_id AND e.application_id = t.application_id AND e.kind <> 'AUTO_RENEWABLE' AND t.line_id = t.id;

ALTER TABLE store_entitlements
  ADD COLUMN transaction_id text,
  ADD COLUMN in_billing_retry boolean NOT NULL DEFAULT false,
  ADD COLUMN renewal_signed_at timestamptz(6),
  ADD COLUMN ownership text,
  ADD COLUMN quantity integer,
  ADD COLUMN price_milli bigint,
  ADD COLUMN currency text,
  ADD COLUMN account_token text,
  ADD COLUMN owner_external_id text,
  ADD COLUMN owner_device_id text,
  ADD COLUMN looked_up_at timestamptz(6),
  ADD COLUMN next_look_up_at timestamptz(6),
  ADD COLUMN history_revision text;
-- A line that a process of the release before stores while this one runs beside it is looked up soon.
ALTER TABLE store_entitlements ALTER COLUMN next_look_up_at SET DEFAULT CURRENT_TIMESTAMP;
CREATE INDEX store_entitlements_next_look_up_at_idx ON store_entitlements (next_look_up_at);

-- Lines whose renewals nobody has looked up since: at the end of their period, or now where it has passed.
UPDATE store_entitlements SET next_look_up_at = expires_at
WHERE kind = 'AUTO_RENEWABLE' AND auto_renew IS DISTINCT FROM false AND revoked_at IS NULL
  AND expires_at > now() - interval '60 days';

-- Each upload of a transaction by a device, under each external id that it named ('' for none), with its arrivals: the first
-- seven and the last.
CREATE TABLE store_claims (
  transaction_id text NOT NULL,
  application_id uuid NOT NULL,
  uploaded_by uuid NOT NULL,
  external_id text NOT NULL,
  device_id text NOT NULL,
  arrivals timestamptz(6)[] NOT NULL,
  CONSTRAINT store_claims_pkey PRIMARY KEY (transaction_id, application_id, uploaded_by, external_id)
);
CREATE INDEX store_claims_uploaded_by_idx ON store_claims (uploaded_by);
CREATE INDEX store_claims_application_id_idx ON store_claims (application_id);
INSERT INTO store_claims (transaction_id, application_id, uploaded_by, external_id, device_id, arrivals)
SELECT transaction_id, application_id, device_key, coalesce(external_id, ''), device_id, ARRAY[received_at]
FROM store_transaction_devices;

-- Which devices hold a line, and for which external id ('' for none).
CREATE TABLE store_holders (
  line_id text NOT NULL,
  application_id uuid NOT NULL,
  held_by uuid NOT NULL,
  external_id text NOT NULL,
  CONSTRAINT store_holders_pkey PRIMARY KEY (line_id, application_id, held_by, external_id)
);
CREATE INDEX store_holders_held_by_idx ON store_holders (held_by);
CREATE INDEX store_holders_application_id_external_id_idx ON store_holders (application_id, external_id);
INSERT INTO store_holders (line_id, application_id, held_by, external_id)
SELECT DISTINCT t.line_id, t.application_id, c.uploaded_by, c.external_id
FROM store_claims c JOIN store_transactions t ON t.id = c.transaction_id AND t.application_id = c.application_id
WHERE t.state = 'RESOLVED' AND t.line_id IS NOT NULL;

-- What the store said of a line's renewal, whenever it was another thing than before.
CREATE TABLE store_renewal_changes (
  line_id text NOT NULL,
  application_id uuid NOT NULL,
  signed_at timestamptz(6) NOT NULL,
  auto_renew boolean,
  in_billing_retry boolean NOT NULL,
  grace_expires_at timestamptz(6),
  CONSTRAINT store_renewal_changes_pkey PRIMARY KEY (line_id, application_id, signed_at)
);
CREATE INDEX store_renewal_changes_application_id_idx ON store_renewal_changes (application_id);

-- The products of an application, as the store or an admin has named them.
CREATE TABLE store_products (
  application_id uuid NOT NULL,
  product_id text NOT NULL,
  kind entitlement_kind,
  duration_days integer,
  CONSTRAINT store_products_pkey PRIMARY KEY (application_id, product_id)
);
INSERT INTO store_products (application_id, product_id, kind)
SELECT DISTINCT ON (application_id, product_id) application_id, product_id, kind FROM store_entitlements
ORDER BY application_id, product_id, signed_at DESC;
