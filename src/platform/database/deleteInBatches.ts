// Deletes expired rows from a table of any size, a few at a time.
import type { SqlConnection } from './sqlClient.ts';

/**
 * `batch` deletes at most $1 rows and skips locked rows, so that no statement exceeds its timeout. Gives the number of
 * deleted rows.
 */
export async function deleteInBatches(pool: SqlConnection, batch: string, batchSize: number): Promise<number> {
  for (let total = 0; ;) {
    const { rowCount } = await pool.query(batch, [batchSize]);
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) return total;
  }
}
