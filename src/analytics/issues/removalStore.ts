// The SQL that removes the counted refusals of a deleted application.
import type { Pool } from 'pg';
import { prepared } from '../../platform/database/sql.ts';
import { inRemovalTransaction } from '../../platform/database/removalTransaction.ts';

const batchSize = 1_000;

/** Removes one batch. Returns whether there may be more. */
export function removeIssues(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    const { rowCount } = await transaction.query(prepared('remove_issues')`/* analytics: removeIssues */
      WITH batch AS MATERIALIZED (
        SELECT application_id, day, line FROM ingest_issues WHERE application_id = ${applicationId} LIMIT ${batchSize})
      DELETE FROM ingest_issues i USING batch
      WHERE i.application_id = batch.application_id AND i.day = batch.day AND i.line = batch.line`);
    return rowCount === batchSize;
  });
}
