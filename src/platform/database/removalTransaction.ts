// One transaction that removes a batch of rows from tables of any size.
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from './transaction.ts';

/** The first hands the others on to the workers of a Citus cluster; a plain PostgreSQL takes it for a name like any. */
const settings = [
  "citus.propagate_set_commands = 'local'",
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
];

/**
 * Only index scans and nested loops: for a batch of some thousand keys the planner otherwise likes to read the whole
 * table, once for each batch (seen with 3 million events and 200 sessions).
 */
export function inRemovalTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, async (client) => {
    for (const setting of settings) await client.query(`SET LOCAL ${setting}`);
    return work(client);
  });
}
