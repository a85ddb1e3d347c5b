// The SQL of attribution: append-only reports, and the latest payload of each provider.
import type { Pool } from 'pg';
import { measured, whileItFits } from '../platform/database/measuredSql.ts';
import type { AttributionRow } from './attributionRow.ts';

/** Leaves a report that is already stored unchanged. */
export async function insertAttribution(pool: Pool, row: AttributionRow): Promise<void> {
  await pool.query({
    name: 'insert_attribution',
    text: `/* attribution: insertAttribution */
      INSERT INTO attribution_reports (device_key, body_hash, application_id, device_id, external_id, os_version,
        provider_a, store_search_ads, provider_b, custom)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      ON CONFLICT DO NOTHING`,
    values: [
      row.deviceKey,
      row.bodyHash,
      row.applicationId,
      row.deviceId,
      row.externalId,
      row.osVersion,
      row.providerA,
      row.storeSearchAds,
      row.providerB,
      row.custom,
    ],
  });
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
 * The latest payload of each provider that has sent one, in the contract's order. PostgreSQL reads the text of the chosen
 * payloads only. The statement measures payloads of more than `bytes` together, and does not send them.
 */
export async function latestAttribution(
  pool: Pool,
  { deviceKey, bytes }: { deviceKey: string; bytes: number },
): Promise<ProviderAttribution[]> {
  const { rows } = await pool.query<ProviderAttribution>({
    name: 'latest_attribution',
    text: `/* attribution: latestAttribution */
      SELECT v.provider, latest.received_at AS "receivedAt", long.bytes,
        ${whileItFits('latest.payload::text', '$2')} AS payload
      FROM (VALUES (1, 'provider_a'), (2, 'store_search_ads'), (3, 'provider_b'), (4, 'custom')) AS v (place, provider)
      CROSS JOIN LATERAL (
        SELECT r.payload, r.received_at
        FROM (
          SELECT received_at, body_hash, CASE v.provider WHEN 'provider_a' THEN provider_a
            WHEN 'store_search_ads' THEN store_search_ads WHEN 'provider_b' THEN provider_b ELSE custom END AS payload
          FROM attribution_reports WHERE device_key = $1) AS r
        WHERE r.payload IS NOT NULL ORDER BY r.received_at DESC, r.body_hash LIMIT 1) AS latest
      ${measured('latest.payload')}
      ORDER BY v.place`,
    values: [deviceKey, bytes],
  });
  return rows;
}
