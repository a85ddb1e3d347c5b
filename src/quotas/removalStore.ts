// The SQL that removes the counted use of a deleted application's quotas: at most four rows for each hour of eight days.
import type { Pool } from 'pg';
import { sql } from '../platform/database/sql.ts';

/** Returns whether there may be more. */
export async function removeQuotaUses(pool: Pool, applicationId: string): Promise<boolean> {
  await pool.query(sql`/* quotas: removeQuotaUses */ DELETE FROM quota_uses WHERE application_id = ${applicationId}`);
  return false;
}
