// One transaction that removes a batch of rows from tables of any size.
import type { Pool } from 'pg';
import { inTransaction, type Transaction } from './transaction.ts';

/**
 * Citus passes the other settings to its workers because of the first one. A plain PostgreSQL accepts that name like
 * any other.
 */
const settings = [
  "citus.propagate_set_commands = 'local'",
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
];

/**
 * Only index scans and nested loops. For a batch of some thousand keys the planner otherwise often reads the whole
 * table, once for each batch (seen with 3 million events and 200 sessions).
 */
export function inRemovalTransaction<Result>(
  pool: Pool,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return inTransaction(pool, async (transaction) => {
    for (const setting of settings) await transaction.query(`SET LOCAL ${setting}`);
    return work(transaction);
  });
}
