// The SQL of attribution: append-only reports, and the latest payload of each provider.
import type { Pool } from 'pg';
import type { AttributionRow } from './attributionRow.ts';

/** A report that is stored already is left as it is. */
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
  /** JSON text, as it was sent. */
  payload: string;
  receivedAt: Date;
}

/** The latest payload of each provider from which something has arrived, in the contract's order. */
export async function latestAttribution(pool: Pool, deviceKey: string): Promise<ProviderAttribution[]> {
  const { rows } = await pool.query<ProviderAttribution>({
    name: 'latest_attribution',
    text: `/* attribution: latestAttribution */
      SELECT DISTINCT ON (v.place) v.provider, v.payload, r.received_at AS "receivedAt"
      FROM attribution_reports r
      CROSS JOIN LATERAL (VALUES
        (1, 'provider_a', r.provider_a::text),
        (2, 'store_search_ads', r.store_search_ads::text),
        (3, 'provider_b', r.provider_b::text),
        (4, 'custom', r.custom::text)) AS v (place, provider, payload)
      WHERE r.device_key = $1 AND v.payload IS NOT NULL
      ORDER BY v.place, r.received_at DESC, r.body_hash`,
    values: [deviceKey],
  });
  return rows;
}
