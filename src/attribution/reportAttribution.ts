// POST /api/v1/attribution: stores the payloads of the install-attribution providers as given (openapi.yaml, "Attribution").
import type { Pool } from 'pg';
import { attributionRow, type AttributionBody } from './attributionRow.ts';
import { insertAttribution } from './attributionStore.ts';

export interface ReportAttributionRequest {
  /** Has passed the contract's schema. */
  body: AttributionBody;
  /** The JSON of `body`. */
  bytes: Buffer;
  application: { id: string };
}

/** Resolves after the report is committed. */
export async function reportAttribution(
  { body, bytes, application }: ReportAttributionRequest,
  { pool }: { pool: Pool },
): Promise<{ body: Record<string, never> }> {
  await insertAttribution(pool, attributionRow(body, bytes.toString('utf8'), application.id));
  return { body: {} };
}
