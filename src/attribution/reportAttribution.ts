// POST /api/v1/attribution: stores the payloads of the install-attribution providers as given (openapi.yaml, "Attribution").
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { components } from '../../generated/openapi.ts';
import type { SeenDevice } from '../devices/device.ts';
import { deviceKey, type DeviceNodes } from '../devices/deviceKey.ts';
import { measured, prepared, type SqlConnection, whileItFits } from '../platform/database/sql.ts';
import { inTransaction, type TransactionLimits } from '../platform/database/transaction.ts';
import type { EveryField } from '../platform/inputRules.ts';
import { RawJson } from '../platform/json/jsonBytes.ts';
import { objectTexts } from '../platform/json/schema.ts';
import { type ResponseBudget, withinBudget } from '../platform/responseBudget.ts';
import { type Quotas, withinQuotas } from '../quotas/quotas.ts';

interface ReportAttributionRequest {
  /** Has passed the contract's schema. */
  body: AttributionBody;
  /** The JSON of `body`. */
  bytes: Buffer;
  application: { id: string };
}

/** Resolves after the report is committed. Throws `unavailable` where a quota is used up. */
export async function reportAttribution(
  { body, bytes, application }: ReportAttributionRequest,
  { pool, quotas, nodes }: { pool: Pool; quotas: Quotas; nodes: Pick<DeviceNodes, 'during'> },
): Promise<{ body: Record<string, never> }> {
  const row = attributionRow(body, bytes.toString('utf8'), application.id);
  const { applicationId, deviceKey } = row;
  const request = { applicationId, operation: 'reportAttribution', deviceKey, bytes: attributionBytes(row) } as const;
  await nodes.during(deviceKey, (limits) =>
    withinQuotas(quotas, request, async () => ((await insert(pool, { row, limits })) ? request.bytes : 0)),
  );
  return { body: {} };
}

/** The limits are those of a transaction: without any the statement goes alone. */
function insert(pool: Pool, { row, limits }: { row: AttributionRow; limits: TransactionLimits }): Promise<boolean> {
  if (limits.nodeLockMillis === undefined) return insertAttribution(pool, row);
  return inTransaction(
    pool,
    (transaction) => transaction.pipelinedToCommit((pipeline) => insertAttribution(pipeline, row)),
    limits,
  );
}

type Schemas = components['schemas'];
type Payloads = 'provider_a' | 'store_search_ads' | 'provider_b';
export type AttributionBody = EveryField<
  Schemas['AttributionReport'],
  Record<'device' | 'system' | 'attribution' | 'custom', true>
> & {
  device: EveryField<Schemas['DeviceReference'], Record<'id' | 'external_id', true>>;
  system: EveryField<Schemas['SystemInfo'], Record<'os_version', true>>;
  attribution: EveryField<Schemas['AttributionPayloads'], Record<Payloads, true>>;
};

/** Payloads are JSON text. A payload is null where the report does not use the provider. */
interface AttributionRow {
  deviceKey: string;
  applicationId: string;
  deviceId: string;
  externalId: string | null;
  osVersion: string;
  providerA: string | null;
  storeSearchAds: string | null;
  providerB: string | null;
  custom: string | null;
  /** SHA-256 of all the fields above: an equal report of the same device has an equal hash. */
  bodyHash: Buffer;
}

const payloads = ['attribution.provider_a', 'attribution.store_search_ads', 'attribution.provider_b', 'custom'];

/** Cuts payloads out of `text`, the JSON of `body`, so that every digit stays as sent. */
export function attributionRow(body: AttributionBody, text: string, applicationId: string): AttributionRow {
  const texts = objectTexts(text, payloads);
  const { provider_a: providerA, store_search_ads: storeSearchAds, provider_b: providerB } = body.attribution;
  const row = {
    deviceKey: deviceKey(applicationId, body.device.id),
    applicationId,
    deviceId: body.device.id,
    externalId: body.device.external_id ?? null,
    osVersion: body.system.os_version,
    providerA: isUsed(providerA) ? texts.get('attribution.provider_a')! : null,
    storeSearchAds: isUsed(storeSearchAds) ? texts.get('attribution.store_search_ads')! : null,
    providerB: isUsed(providerB) ? texts.get('attribution.provider_b')! : null,
    custom: isUsed(body.custom) ? texts.get('custom')! : null,
  };
  return { ...row, bodyHash: createHash('sha256').update(JSON.stringify(row)).digest() };
}

/** Columns, keys and the fixed part of the row, beside its texts. */
const fixedBytes = 300;

/** The bytes that the row adds to the table, as quotas count them (openapi.yaml, "Quotas"). */
function attributionBytes(row: AttributionRow): number {
  const { deviceId, externalId, osVersion, providerA, storeSearchAds, providerB, custom } = row;
  const texts = [deviceId, externalId, osVersion, providerA, storeSearchAds, providerB, custom];
  return texts.reduce((bytes, text) => bytes + Buffer.byteLength(text ?? ''), fixedBytes);
}

/** Absent, null and `{}` all mean that the provider is not used. */
function isUsed(payload: object | null | undefined): boolean {
  return Object.keys(payload ?? {}).length > 0;
}

/** The latest payload of each provider, with numbers as the device sent them. */
export const deviceAttribution = {
  async attribution(
    { key }: SeenDevice,
    _args: unknown,
    { adminPool, budget }: { adminPool: Pool; budget: ResponseBudget },
  ) {
    const latest = await withinBudget(
      budget,
      (room) => latestAttribution(adminPool, { deviceKey: key, bytes: room.bytes }),
      ({ bytes }) => bytes,
    );
    return latest.map(({ provider, payload, receivedAt }) => ({ provider, payload: new RawJson(payload), receivedAt }));
  },
};

/** False for a report that is already stored: it changes only the time of its last arrival. */
async function insertAttribution(connection: SqlConnection, row: AttributionRow): Promise<boolean> {
  const { rows } = await connection.query<{ isNew: boolean }>(prepared(
    'insert_attribution',
  )`/* attribution: insertAttribution */
    INSERT INTO attribution_reports AS r (device_key, body_hash, application_id, device_id, external_id, os_version,
      provider_a, store_search_ads, provider_b, custom)
    VALUES (${row.deviceKey}, ${row.bodyHash}, ${row.applicationId}, ${row.deviceId}, ${row.externalId}, ${row.osVersion},
      ${row.providerA}, ${row.storeSearchAds}, ${row.providerB}, ${row.custom})
    ON CONFLICT (device_key, body_hash) DO UPDATE SET
      last_received_at = greatest(r.last_received_at, excluded.received_at)
    RETURNING xmax = 0 AS "isNew"`);
  return rows[0]?.isNew ?? false;
}

interface ProviderAttribution {
  provider: 'provider_a' | 'store_search_ads' | 'provider_b' | 'custom';
  /** JSON text, as sent. */
  payload: string;
  receivedAt: Date;
  /** The length of the payload. */
  bytes: number;
}

/**
 * SQL, because of its plan. The latest payload of each provider that has sent one, in the contract's order. PostgreSQL reads the text of the
 * chosen payloads only. From the payload on with which all together exceed `bytes`, the statement returns lengths
 * without text.
 */
export async function latestAttribution(
  connection: SqlConnection,
  { deviceKey, bytes }: { deviceKey: string; bytes: number },
): Promise<ProviderAttribution[]> {
  const statement = prepared('latest_attribution')`/* attribution: latestAttribution */
    SELECT v.provider, latest.received_at AS "receivedAt", long.bytes,
      ${whileItFits('latest.payload::text', bytes)} AS payload
    FROM (VALUES (1, 'provider_a'), (2, 'store_search_ads'), (3, 'provider_b'), (4, 'custom')) AS v (place, provider)
    CROSS JOIN LATERAL (
      SELECT r.payload, r.received_at
      FROM (
        SELECT coalesce(last_received_at, received_at) AS received_at, body_hash, CASE v.provider WHEN 'provider_a' THEN provider_a
          WHEN 'store_search_ads' THEN store_search_ads WHEN 'provider_b' THEN provider_b ELSE custom END AS payload
        FROM attribution_reports WHERE device_key = ${deviceKey}) AS r
      WHERE r.payload IS NOT NULL ORDER BY r.received_at DESC, r.body_hash LIMIT 1) AS latest
    ${measured('latest.payload')}
    ORDER BY v.place`;
  const { rows } = await connection.query<ProviderAttribution>(statement);
  return rows;
}
