// Puts drawn purchases into PostgreSQL, as look-ups would have left them, with exact times.
import { randomUUID } from 'node:crypto';
import { deviceKey } from '../../../src/devices/deviceKey.ts';
import type { TestDatabase } from '../testDatabase.ts';
import type { DrawnLine, DrawnPurchases } from './drawnPurchases.ts';

type Pool = TestDatabase['pool'];

/** Returns the application that is asked about. Each call stores into two applications of its own. */
export async function storePurchases({ pool }: Pick<TestDatabase, 'pool'>, drawn: DrawnPurchases): Promise<string> {
  const { timeZone, platforms } = drawn;
  const applicationId = await storeApplication(pool, timeZone);
  await storeLines(pool, applicationId, drawn.asked);
  await storeDevices(pool, applicationId, platforms);
  const other = await storeApplication(pool, timeZone);
  await storeLines(pool, other, drawn.other);
  // Equal ids of devices with another platform: nothing of it may show.
  await storeDevices(pool, other, Object.fromEntries(Object.keys(platforms).map((id) => [id, 'other'])));
  return applicationId;
}

async function storeApplication(pool: Pool, timeZone: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `WITH o AS (INSERT INTO organizations (id, name) VALUES (gen_random_uuid(), 'Drawn') RETURNING id),
       p AS (INSERT INTO projects (id, organization_id, name) SELECT gen_random_uuid(), id, 'Drawn' FROM o RETURNING id)
     INSERT INTO applications (id, project_id, name, bundle_id, platform, time_zone)
     SELECT $1, id, 'Drawn', 'com.example.drawn', 'iOS', $2 FROM p RETURNING id`,
    [randomUUID(), timeZone],
  );
  return rows[0]!.id;
}

async function storeDevices(pool: Pool, applicationId: string, platforms: Record<string, string>): Promise<void> {
  const rows = Object.entries(platforms).map(([id, platform]) => ({ key: deviceKey(applicationId, id), id, platform }));
  // As the writer logs them, which a copy follows.
  await pool.query(
    `WITH stored AS (
       INSERT INTO devices (key, application_id, id, properties, user_properties, state_at)
       SELECT key, $1, id, jsonb_build_object('platform', platform), '{}', now()
       FROM jsonb_to_recordset($2) AS r (key uuid, id text, platform text) RETURNING key)
     INSERT INTO session_changes (refs, device_keys, sessions, events) SELECT '{}', coalesce(array_agg(key), '{}'), 0, 0 FROM stored`,
    [applicationId, JSON.stringify(rows)],
  );
}

const instant = (micros: string) => `'epoch'::timestamptz + ${micros} * interval '1 microsecond'`;

export async function storeLines(pool: Pool, applicationId: string, lines: readonly DrawnLine[]): Promise<void> {
  const purchases = lines.flatMap(({ id: line, kind, environment, purchases: own }) =>
    own.map((each) => ({ ...each, priceMilli: each.priceMilli?.toString(), line, kind, environment })),
  );
  await pool.query(
    `INSERT INTO store_transactions (id, application_id, state, line_id, product_id, original_id, kind, environment,
       purchased_at, expires_at, revoked_at, revocation_type, revocation_percent, price_milli, currency, quantity, ownership,
       offer_mode, storefront, signed_at, upgraded, paid_until)
     SELECT id, $1, 'RESOLVED', line, "productId", line, kind, environment, ${instant('"purchasedAt"')},
       ${instant('"expiresAt"')}, ${instant('"revokedAt"')}, "revocationType", "revocationPercent", "priceMilli", currency,
       quantity, ownership, "offerMode", storefront, ${instant('"purchasedAt"')}, upgraded, ${instant('"paidUntil"')}
     FROM jsonb_to_recordset($2) AS r (id text, line text, "productId" text, kind entitlement_kind,
       environment store_environment, "purchasedAt" bigint, "expiresAt" bigint, "revokedAt" bigint, "revocationType" text,
       "revocationPercent" float8, "priceMilli" bigint, currency text, quantity int, ownership text, "offerMode" text,
       storefront text, upgraded bool, "paidUntil" bigint)`,
    [applicationId, JSON.stringify(purchases)],
  );
  const rows = lines.map(({ id, kind, environment, owner, device, purchases: [first] }) => ({
    ...{ id, kind, environment, owner, device, productId: first!.productId, purchasedAt: first!.purchasedAt },
  }));
  await pool.query(
    `INSERT INTO store_entitlements (line_id, application_id, product_id, kind, environment, purchased_at, signed_at,
       renewal_signed_at, owner_external_id, owner_device_id, first_device_id)
     SELECT id, $1, "productId", kind, environment, ${instant('"purchasedAt"')}, '1970-01-01Z', '1970-01-01Z', owner,
       CASE WHEN owner IS NOT NULL THEN device END, device
     FROM jsonb_to_recordset($2) AS r (id text, "productId" text, kind entitlement_kind, environment store_environment,
       "purchasedAt" bigint, owner text, device text)`,
    [applicationId, JSON.stringify(rows)],
  );
  const renewals = lines.flatMap(({ id: line, renewals: own }) => own.map((each) => ({ line, ...each })));
  await pool.query(
    `INSERT INTO store_renewal_changes (line_id, application_id, signed_at, in_billing_retry, grace_expires_at)
     SELECT line, $1, ${instant('"signedAt"')}, "inBillingRetry", ${instant('"graceExpiresAt"')}
     FROM jsonb_to_recordset($2) AS r (line text, "signedAt" bigint, "inBillingRetry" boolean, "graceExpiresAt" bigint)`,
    [applicationId, JSON.stringify(renewals)],
  );
}
