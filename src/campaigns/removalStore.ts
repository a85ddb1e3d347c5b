// The SQL that removes the campaigns of a deleted application.
import type { Pool } from 'pg';
import { prepared } from '../platform/database/sql.ts';
import { inRemovalTransaction } from '../platform/database/removalTransaction.ts';

const batchSize = 200;

/** Removes one batch together with its counts, which do not name the application; true when more may be left. */
export function removeCampaigns(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    const statement = prepared('remove_campaigns')`/* campaigns: removeCampaigns */
      WITH batch AS MATERIALIZED (SELECT id FROM campaigns WHERE application_id = ${applicationId} LIMIT ${batchSize}),
        counts AS (DELETE FROM campaign_counts c USING batch WHERE c.campaign_id = batch.id),
        removed AS (DELETE FROM campaigns c USING batch WHERE c.id = batch.id RETURNING c.id)
      SELECT count(*)::integer AS removed FROM removed`;
    const { rows } = await transaction.query<{ removed: number }>(statement);
    return rows[0]!.removed === batchSize;
  });
}
