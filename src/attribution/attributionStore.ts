// The SQL of attribution: append-only reports, and the latest payload of each provider.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import { measured, whileItFits } from '../platform/database/measuredSql.ts';
import type { AttributionRow } from './attributionRow.ts';

/** False for a report that is already stored: it changes only the time of its last arrival. */
export async function insertAttribution(connection: SqlConnection, row: AttributionRow): Promise<boolean> {
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

export interface ProviderAttribution {
  provider: 'provider_a' | 'store_search_ads' | 'provider_b' | 'custom';
  /** JSON text, as sent. */
  payload: string;
  receivedAt: Date;
  /** The length of the payload. */
  bytes: number;
}

/**
 * The latest payload of each provider that has sent one, in the contract's order. PostgreSQL reads the text of the
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
