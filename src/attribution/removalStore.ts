// The SQL that removes the attribution of a deleted application.
import type { Pool } from 'pg';
import { prepared } from '../platform/database/sql.ts';
import { inRemovalTransaction } from '../platform/database/removalTransaction.ts';

const batchSize = 1_000;

/** Removes one batch. Returns whether there may be more. */
export function removeAttribution(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    const { rowCount } = await transaction.query(prepared('remove_attribution')`/* attribution: removeAttribution */
      WITH batch AS MATERIALIZED (
        SELECT device_key, body_hash FROM attribution_reports WHERE application_id = ${applicationId} LIMIT ${batchSize})
      DELETE FROM attribution_reports r USING batch
      WHERE r.device_key = batch.device_key AND r.body_hash = batch.body_hash`);
    return rowCount === batchSize;
  });
}
