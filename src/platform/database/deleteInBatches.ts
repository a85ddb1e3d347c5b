// Removes what has expired from a table of any size, a few rows at a time.
import type { SqlConnection } from './sqlClient.ts';

/**
 * `batch` deletes at most $1 rows and leaves those that somebody holds, so that no statement has more to do than its
 * time limit allows. Answers how many there were.
 */
export async function deleteInBatches(pool: SqlConnection, batch: string, batchSize: number): Promise<number> {
  for (let total = 0; ;) {
    const { rowCount } = await pool.query(batch, [batchSize]);
    total += rowCount ?? 0;
    if ((rowCount ?? 0) < batchSize) return total;
  }
}
