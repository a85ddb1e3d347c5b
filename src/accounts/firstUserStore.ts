// The SQL that finds out whether anybody is a user yet.
import { demoLogin, demoUserId } from './demoLogin.ts';
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';

/** The demo's user, whom a start outside production made, is nobody: otherwise production could have no first user. */
export async function hasUser(connection: SqlConnection): Promise<boolean> {
  const { rowCount } = await connection.query(prepared('has_user')`/* accounts: hasUser */
    SELECT FROM users WHERE id <> ${demoUserId} OR email <> ${demoLogin.email} LIMIT 1`);
  return rowCount === 1;
}

/** Waits until no other transaction makes a first user. */
export async function lockFirstUser(transaction: Transaction): Promise<void> {
  await transaction.query(prepared('lock_first_user')`/* accounts: lockFirstUser */
    SELECT pg_advisory_xact_lock(hashtext('first_user'))`);
}
