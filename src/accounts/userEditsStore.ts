// The SQL of changes to users: the locks that they are made under, and the writes.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { Caller, Role } from '../workspace/caller.ts';
import type { UserRecord } from './usersStore.ts';

export interface LockedUser extends UserRecord {
  /** Whether the user has ever been active. */
  hasPassword: boolean;
}

/**
 * Waits until nobody else changes users of the caller's organization, and answers the caller's role as it then is; null
 * when the caller is not active any more. So two owners who demote each other do so one after the other.
 */
export async function lockUserChanges(
  transaction: Transaction,
  { userId, organizationId }: Caller,
): Promise<Role | null> {
  await transaction.query({
    name: 'lock_user_changes',
    text: '/* accounts: lockUserChanges */ SELECT 1 FROM organizations WHERE id = $1 FOR NO KEY UPDATE',
    values: [organizationId],
  });
  // Its own statement, because one statement sees the rows as they were before it waited for the lock.
  const { rows } = await transaction.query<{ role: Role }>({
    name: 'find_role',
    text: "/* accounts: findRole */ SELECT role FROM users WHERE id = $1 AND status = 'active'",
    values: [userId],
  });
  return rows[0]?.role ?? null;
}

/** Null for an unknown address and for one of another organization alike. */
export async function lockUserOfOrganization(
  transaction: Transaction,
  { organizationId, email }: { organizationId: string; email: string },
): Promise<LockedUser | null> {
  const { rows } = await transaction.query<LockedUser>({
    name: 'lock_user_of_organization',
    text: `/* accounts: lockUserOfOrganization */
      SELECT id, organization_id AS "organizationId", email, name, role, status, avatar,
        password_hash IS NOT NULL AS "hasPassword"
      FROM users WHERE email = $1 AND organization_id = $2 FOR NO KEY UPDATE`,
    values: [email, organizationId],
  });
  return rows[0] ?? null;
}

/** Logins of this user wait until the transaction ends. */
export async function lockUser(
  transaction: Transaction,
  id: string,
): Promise<Pick<UserRecord, 'email' | 'organizationId'> | null> {
  const { rows } = await transaction.query<Pick<UserRecord, 'email' | 'organizationId'>>({
    name: 'lock_user',
    text: `/* accounts: lockUser */
      SELECT email, organization_id AS "organizationId" FROM users WHERE id = $1 FOR NO KEY UPDATE`,
    values: [id],
  });
  return rows[0] ?? null;
}

export async function hasOtherActiveOwner(
  connection: SqlConnection,
  { id, organizationId }: { id: string; organizationId: string },
): Promise<boolean> {
  const { rowCount } = await connection.query({
    name: 'has_other_active_owner',
    text: `/* accounts: hasOtherActiveOwner */
      SELECT 1 FROM users
      WHERE organization_id = $1 AND id <> $2 AND role = 'owner' AND status = 'active' LIMIT 1`,
    values: [organizationId, id],
  });
  return rowCount === 1;
}

export async function updateUser(
  transaction: Transaction,
  { id, name, role, status, avatar }: UserRecord,
): Promise<void> {
  await transaction.query({
    name: 'update_user',
    text: `/* accounts: updateUser */
      UPDATE users SET name = $2, role = $3::user_role, status = $4::user_status, avatar = $5 WHERE id = $1`,
    values: [id, name, role, status, avatar],
  });
}

/** The user is active with it. */
export async function setPassword(
  transaction: Transaction,
  { userId, passwordHash }: { userId: string; passwordHash: string },
): Promise<void> {
  await transaction.query({
    name: 'set_password',
    text: "/* accounts: setPassword */ UPDATE users SET password_hash = $2, status = 'active' WHERE id = $1",
    values: [userId, passwordHash],
  });
}
