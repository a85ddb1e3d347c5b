// POST /api/v1/attribution: what the install-attribution providers said on a device, stored as given.
import type { Pool } from 'pg';
import { attributionRow, type AttributionBody } from './attributionRow.ts';
import { insertAttribution } from './attributionStore.ts';

export interface ReportAttributionRequest {
  /** Has passed the contract. */
  body: AttributionBody;
  /** The JSON that `body` was read from. */
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
