// Deletes expired rows from a table of any size, a few at a time.
import type { Sql } from './sql.ts';
import type { SqlConnection } from './sqlClient.ts';

/**
 * `batch` deletes at most `size` rows and skips rows that other transactions hold, so that each statement ends within
 * its time limit. Returns the number of deleted rows.
 */
export async function deleteInBatches(
  pool: SqlConnection,
  batch: (size: number) => Sql,
  batchSize: number,
): Promise<number> {
  for (let total = 0; ;) {
    const { rowCount } = await pool.query(batch(batchSize));
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) return total;
  }
}
