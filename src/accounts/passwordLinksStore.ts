// The SQL that finds the user for whom an operator asks a link.
import { prepared } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { UserRecord } from './usersStore.ts';

/** Null for an unknown address. Other changes of the user wait until the transaction ends. */
export async function lockUserByEmail(
  transaction: Transaction,
  email: string,
): Promise<Pick<UserRecord, 'id' | 'organizationId' | 'status'> | null> {
  const statement = prepared('lock_user_by_email')`/* accounts: lockUserByEmail */
    SELECT id, organization_id AS "organizationId", status FROM users WHERE email = ${email} FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<Pick<UserRecord, 'id' | 'organizationId' | 'status'>>(statement);
  return rows[0] ?? null;
}
