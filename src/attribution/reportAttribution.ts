// POST /api/v1/attribution: what the install-attribution providers said on a device, stored as given.
import type { Pool } from 'pg';
import { attributionRow, type AttributionBody } from './attributionRow.ts';
import { insertAttribution } from './attributionStore.ts';

export interface ReportAttributionRequest {
  /** Has passed the contract. */
  body: AttributionBody;
  /** The text that `body` was read from. */
  text: string;
  application: { id: string };
}

/** Resolves after the report is committed. */
export async function reportAttribution(
  { body, text, application }: ReportAttributionRequest,
  { pool }: { pool: Pool },
): Promise<{ body: Record<string, never> }> {
  await insertAttribution(pool, attributionRow(body, text, application.id));
  return { body: {} };
}
