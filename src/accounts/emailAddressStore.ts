// The SQL of the e-mail address that a user has: its lock, its change, and whether the user has proved its mailbox.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import { hasCode } from '../platform/errors.ts';
import type { Transaction } from '../platform/database/transaction.ts';

/** Returns the address. Waits like a change of the address, which needs the strongest lock because the column is unique. */
export async function lockEmailOf(transaction: Transaction, userId: string): Promise<string | null> {
  const statement = prepared('lock_email_of')`/* accounts: lockEmailOf */
    SELECT email FROM users WHERE id = ${userId} FOR UPDATE`;
  const { rows } = await transaction.query<{ email: string }>(statement);
  return rows[0]?.email ?? null;
}

export async function isEmailVerified(connection: SqlConnection, userId: string): Promise<boolean> {
  const { rowCount } = await connection.query(prepared('is_email_verified')`/* accounts: isEmailVerified */
    SELECT FROM users WHERE id = ${userId} AND email_verified_at IS NOT NULL`);
  return rowCount === 1;
}

/** The user has proved the mailbox of the address. False where that is noted already. */
export async function noteEmailVerified(
  transaction: Transaction,
  { userId, now }: { userId: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await transaction.query(prepared('note_email_verified')`/* accounts: noteEmailVerified */
    UPDATE users SET email_verified_at = ${now} WHERE id = ${userId} AND email_verified_at IS NULL`);
  return rowCount === 1;
}

/** False where another account has the address. PostgreSQL has then ended the transaction. */
export async function changeEmail(
  transaction: Transaction,
  { userId, email, now }: { userId: string; email: string; now: Date },
): Promise<boolean> {
  try {
    await transaction.query(prepared('change_email')`/* accounts: changeEmail */
      UPDATE users SET email = ${email}, email_verified_at = ${now} WHERE id = ${userId}`);
    return true;
  } catch (error) {
    if (hasCode(error, '23505')) return false;
    throw error;
  }
}
