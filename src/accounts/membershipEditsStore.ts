// The SQL of changes to memberships: their locks and their writes. A transaction locks users first, then organizations.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { Caller, Role } from '../workspace/caller.ts';
import { memberColumns, type MemberRecord } from './membersStore.ts';

/** Waits until no other transaction changes memberships of the organizations, in an order that all transactions share. */
export async function lockMemberships(transaction: Transaction, organizationIds: readonly string[]): Promise<void> {
  await transaction.query(prepared('lock_memberships')`/* accounts: lockMemberships */
    SELECT 1 FROM organizations WHERE id = ANY(${organizationIds}::uuid[]) ORDER BY id FOR NO KEY UPDATE`);
}

/**
 * Waits as `lockMemberships`. Returns the caller's role at that moment; null when the caller is no longer active there.
 * Two owners who demote each other therefore run one after the other (docs/decisions/memberships.md).
 */
export async function lockAsEditor(transaction: Transaction, { userId, organizationId }: Caller): Promise<Role | null> {
  await lockMemberships(transaction, [organizationId]);
  // A separate statement, because a statement sees the rows as they were before it waited for the lock.
  const statement = prepared('find_role')`/* accounts: findRole */
    SELECT role FROM memberships
    WHERE user_id = ${userId} AND organization_id = ${organizationId} AND status = 'active'`;
  const { rows } = await transaction.query<{ role: Role }>(statement);
  return rows[0]?.role ?? null;
}

/** Members and invitations. */
export async function countMembers(connection: SqlConnection, organizationId: string): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(prepared('count_members')`/* accounts: countMembers */
    SELECT count(*)::integer AS count FROM memberships WHERE organization_id = ${organizationId}`);
  return rows[0]!.count;
}

/** The organizations of which the user is an owner. */
export async function countOwned(connection: SqlConnection, userId: string): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(prepared('count_owned')`/* accounts: countOwned */
    SELECT count(*)::integer AS count FROM memberships WHERE user_id = ${userId} AND role = 'owner'`);
  return rows[0]!.count;
}

/** A member or an invitation. Null for an address that the organization does not know. */
export async function lockMember(
  transaction: Transaction,
  { organizationId, email }: { organizationId: string; email: string },
): Promise<MemberRecord | null> {
  const statement = prepared('lock_member')`/* accounts: lockMember */
    SELECT ${memberColumns} FROM memberships m LEFT JOIN users u ON u.id = m.user_id
    WHERE m.organization_id = ${organizationId} AND (u.email = ${email} OR m.invited_email = ${email})
    ORDER BY m.user_id NULLS LAST LIMIT 1 FOR NO KEY UPDATE OF m`;
  const { rows } = await transaction.query<MemberRecord>(statement);
  return rows[0] ?? null;
}

/** The memberships of a user in all organizations, in the order of their locks. */
export async function findMembershipsOfUser(
  connection: SqlConnection,
  userId: string,
): Promise<Pick<MemberRecord, 'membershipId' | 'organizationId' | 'role' | 'status'>[]> {
  const statement = prepared('find_memberships_of_user')`/* accounts: findMembershipsOfUser */
    SELECT id AS "membershipId", organization_id AS "organizationId", role, status FROM memberships
    WHERE user_id = ${userId} ORDER BY organization_id`;
  const { rows } = await connection.query<MemberRecord>(statement);
  return rows;
}

/** The organizations of the user's memberships, in the order of their locks. */
export async function organizationsOf(connection: SqlConnection, userId: string): Promise<string[]> {
  return (await findMembershipsOfUser(connection, userId)).map(({ organizationId }) => organizationId);
}

export async function hasOtherActiveOwner(
  connection: SqlConnection,
  { membershipId, organizationId }: Pick<MemberRecord, 'membershipId' | 'organizationId'>,
): Promise<boolean> {
  const { rowCount } = await connection.query(prepared('has_other_active_owner')`/* accounts: hasOtherActiveOwner */
    SELECT 1 FROM memberships
    WHERE organization_id = ${organizationId} AND id <> ${membershipId} AND role = 'owner' AND status = 'active' LIMIT 1`);
  return rowCount === 1;
}

export interface NewMembership {
  id: string;
  organizationId: string;
  userId: string;
  role: Role;
  now: Date;
}

/** Of a user who founds the organization. */
export async function insertMembership(transaction: Transaction, membership: NewMembership): Promise<void> {
  const { id, organizationId, userId, role, now } = membership;
  await transaction.query(prepared('insert_membership')`/* accounts: insertMembership */
    INSERT INTO memberships (id, organization_id, user_id, role, status, created_at, accepted_at)
    VALUES (${id}, ${organizationId}, ${userId}, ${role}::user_role, 'active', ${now}, ${now})`);
}

export interface NewInvitation {
  id: string;
  organizationId: string;
  email: string;
  name: string | null;
  role: Role;
  now: Date;
}

export async function insertInvitation(transaction: Transaction, invitation: NewInvitation): Promise<void> {
  const { id, organizationId, email, name, role, now } = invitation;
  await transaction.query(prepared('insert_invitation')`/* accounts: insertInvitation */
    INSERT INTO memberships (id, organization_id, invited_email, invited_name, role, status, created_at)
    VALUES (${id}, ${organizationId}, ${email}, ${name}, ${role}::user_role, 'invited', ${now})`);
}

/** Also the name of an invitation. */
export async function updateMembership(
  transaction: Transaction,
  { membershipId, id, name, role, status }: MemberRecord,
): Promise<void> {
  const invitedName = id === null ? name : null;
  await transaction.query(prepared('update_membership')`/* accounts: updateMembership */
    UPDATE memberships SET role = ${role}::user_role, status = ${status}::user_status, invited_name = ${invitedName}
    WHERE id = ${membershipId}`);
}

export async function deleteMembership(transaction: Transaction, id: string): Promise<void> {
  await transaction.query(prepared('delete_membership')`/* accounts: deleteMembership */
    DELETE FROM memberships WHERE id = ${id}`);
}
