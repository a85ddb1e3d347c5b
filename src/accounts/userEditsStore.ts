// The SQL of changes to users: their locks and their writes.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { Caller, Role } from '../workspace/caller.ts';
import type { UserRecord } from './usersStore.ts';

export interface LockedUser extends UserRecord {
  /** Whether the user has ever been active. */
  hasPassword: boolean;
}

/**
 * Waits until no other transaction changes users of the caller's organization. Returns the caller's role at that moment;
 * null when the caller is no longer active. Two owners who demote each other therefore run one after the other
 * (docs/decisions/user-changes.md).
 */
export async function lockUserChanges(
  transaction: Transaction,
  { userId, organizationId }: Caller,
): Promise<Role | null> {
  await transaction.query(prepared('lock_user_changes')`/* accounts: lockUserChanges */
    SELECT 1 FROM organizations WHERE id = ${organizationId} FOR NO KEY UPDATE`);
  // A separate statement, because a statement sees the rows as they were before it waited for the lock.
  const statement = prepared('find_role')`/* accounts: findRole */
    SELECT role FROM users WHERE id = ${userId} AND status = 'active'`;
  const { rows } = await transaction.query<{ role: Role }>(statement);
  return rows[0]?.role ?? null;
}

/** Null for an unknown address, and for a user of another organization. */
export async function lockUserOfOrganization(
  transaction: Transaction,
  { organizationId, email }: { organizationId: string; email: string },
): Promise<LockedUser | null> {
  const statement = prepared('lock_user_of_organization')`/* accounts: lockUserOfOrganization */
    SELECT id, organization_id AS "organizationId", email, name, role, status, avatar,
      password_hash IS NOT NULL AS "hasPassword"
    FROM users WHERE email = ${email} AND organization_id = ${organizationId} FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<LockedUser>(statement);
  return rows[0] ?? null;
}

/** Logins of this user wait until the transaction ends. */
export async function lockUser(
  transaction: Transaction,
  id: string,
): Promise<Pick<UserRecord, 'email' | 'organizationId'> | null> {
  const statement = prepared('lock_user')`/* accounts: lockUser */
    SELECT email, organization_id AS "organizationId" FROM users WHERE id = ${id} FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<Pick<UserRecord, 'email' | 'organizationId'>>(statement);
  return rows[0] ?? null;
}

/** False when the user is no longer active or now has another password. Logins of this user wait until the transaction ends. */
export async function lockUserWithPassword(
  transaction: Transaction,
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<boolean> {
  const { rowCount } = await transaction.query(prepared('lock_user_with_password')`/* accounts: lockUserWithPassword */
    SELECT 1 FROM users WHERE id = ${userId} AND status = 'active' AND password_hash = ${passwordHash}
    FOR NO KEY UPDATE`);
  return rowCount === 1;
}

export async function hasOtherActiveOwner(
  connection: SqlConnection,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<boolean> {
  const { rowCount } = await connection.query(prepared('has_other_active_owner')`/* accounts: hasOtherActiveOwner */
    SELECT 1 FROM users
    WHERE organization_id = ${organizationId} AND id <> ${id} AND role = 'owner' AND status = 'active' LIMIT 1`);
  return rowCount === 1;
}

export async function updateUser(
  transaction: Transaction,
  { id, name, role, status, avatar }: UserRecord,
): Promise<void> {
  await transaction.query(prepared('update_user')`/* accounts: updateUser */
    UPDATE users SET name = ${name}, role = ${role}::user_role, status = ${status}::user_status, avatar = ${avatar}
    WHERE id = ${id}`);
}

/** Also makes the user active. */
export async function setPassword(
  transaction: Transaction,
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<void> {
  await transaction.query(prepared('set_password')`/* accounts: setPassword */
    UPDATE users SET password_hash = ${passwordHash}, status = 'active' WHERE id = ${userId}`);
}
