// The SQL that finds out whether there is a user at all.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';

export async function hasUser(connection: SqlConnection): Promise<boolean> {
  const { rowCount } = await connection.query(prepared('has_user')`/* accounts: hasUser */ SELECT FROM users LIMIT 1`);
  return rowCount === 1;
}

/** Waits until no other transaction makes a first user. */
export async function lockFirstUser(transaction: Transaction): Promise<void> {
  await transaction.query(prepared('lock_first_user')`/* accounts: lockFirstUser */
    SELECT pg_advisory_xact_lock(hashtext('first_user'))`);
}
