// One transaction that removes a batch of rows from tables of any size.
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from './transaction.ts';

/**
 * Only index scans and nested loops: for a batch of some thousand keys the planner otherwise likes to read the whole
 * table, once for each batch (seen with 3 million events and 200 sessions).
 */
export function inRemovalTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, async (client) => {
    await client.query(
      'SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off',
    );
    return work(client);
  });
}
