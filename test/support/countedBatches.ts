// Counts the rows that each statement of a removal in batches deletes.
import type { SqlConnection, Statement } from '../../src/platform/database/sql.ts';

/** The rows that each statement of a removal took, two at most. Their sum must equal the count that the removal returns. */
export async function batchesOfTwo(
  pool: SqlConnection,
  remove: (pool: SqlConnection, size: number) => Promise<number>,
): Promise<(number | null)[]> {
  const taken: (number | null)[] = [];
  const counting = {
    async query(statement: Statement) {
      const result = await pool.query(statement);
      taken.push(result.rowCount);
      return result;
    },
  };
  const removed = await remove(counting as unknown as SqlConnection, 2);
  expect(removed).toBe(taken.reduce<number>((sum, count) => sum + (count ?? 0), 0));
  return taken;
}
