// POST /api/v1/attribution: stores the payloads of the install-attribution providers as given (openapi.yaml, "Attribution").
import type { Pool } from 'pg';
import type { DeviceNodes } from '../devices/deviceNodes.ts';
import { inTransaction, type TransactionLimits } from '../platform/database/transaction.ts';
import { withinQuotas, type Quotas } from '../quotas/quotas.ts';
import { attributionBytes, attributionRow, type AttributionBody, type AttributionRow } from './attributionRow.ts';
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
