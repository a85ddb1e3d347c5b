// POST /api/v1/attribution: stores the payloads of the install-attribution providers as given (openapi.yaml, "Attribution").
import type { Pool } from 'pg';
import { withinQuotas, type Quotas } from '../quotas/quotas.ts';
import { attributionBytes, attributionRow, type AttributionBody } from './attributionRow.ts';
import { insertAttribution } from './attributionStore.ts';

export interface ReportAttributionRequest {
  /** Has passed the contract's schema. */
  body: AttributionBody;
  /** The JSON of `body`. */
  bytes: Buffer;
  application: { id: string };
}

/** Resolves after the report is committed. Throws `unavailable` where a quota is used up. */
export async function reportAttribution(
  { body, bytes, application }: ReportAttributionRequest,
  { pool, quotas }: { pool: Pool; quotas: Quotas },
): Promise<{ body: Record<string, never> }> {
  const row = attributionRow(body, bytes.toString('utf8'), application.id);
  const { applicationId, deviceKey } = row;
  const request = { applicationId, operation: 'reportAttribution', deviceKey, bytes: attributionBytes(row) } as const;
  await withinQuotas(quotas, request, async () => ((await insertAttribution(pool, row)) ? request.bytes : 0));
  return { body: {} };
}
