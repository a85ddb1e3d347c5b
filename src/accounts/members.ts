// Who may change what of a user (schema.graphql, "Edits of a user"), and which status may follow: pure.
import type { Pool } from 'pg';
import { prepared, raw, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { type ResponseBudget, type Batch, batchLists } from '../platform/responseBudget.ts';
import {
  type Caller,
  isAtLeast,
  type OrganizationRecord,
  type Role,
  type SeenOrganization,
} from '../workspace/workspace.ts';
import { revokeSessionsIn } from './authenticate.ts';

/** An absent field stays as it is. Name and avatar belong to the account, and only its user changes them. */
export interface UserChange {
  name?: string | undefined;
  avatar?: string | null | undefined;
  role?: Role | undefined;
  status?: 'active' | 'disabled' | undefined;
}

export interface WantedChange {
  /** Whether the user is the editor. */
  own: boolean;
  /** Whether the edit sets role or status. */
  rights: boolean;
  /** Whether the edit makes somebody an owner. */
  grantsOwner: boolean;
  /** The user's current role; absent while it is unknown. */
  of?: Role | undefined;
}

export function mayChange(editor: Role, { own, rights, grantsOwner, of }: WantedChange): boolean {
  if (own && !rights) return true;
  if (editor === 'owner') return true;
  return isAtLeast(editor, 'admin') && !grantsOwner && of !== 'owner';
}

export function changed(user: MemberRecord, change: UserChange): MemberRecord {
  const { name = user.name, avatar = user.avatar, role = user.role, status = user.status } = change;
  return { ...user, name, avatar, role, status };
}

export function isActiveOwner({ role, status }: Pick<MemberRecord, 'role' | 'status'>): boolean {
  return role === 'owner' && status === 'active';
}

/** The changes that userEdit can make (schema.graphql, "Status of a user"); only userInvite makes a user `invited`. */
export function statusMayBecome(
  { status, id }: Pick<MemberRecord, 'status' | 'id'>,
  next: MemberRecord['status'],
): boolean {
  if (next === status || next === 'disabled') return true;
  return next === 'active' && status === 'disabled' && id !== null;
}

// Ends a membership or an invitation. An organization keeps an active owner.

type Ending = Pick<MemberRecord, 'membershipId' | 'organizationId' | 'role' | 'status'>;

/** The caller has locked the organization's memberships. Throws `conflict`. */
export async function assertOwnerStays(transaction: Transaction, member: Ending): Promise<void> {
  if (isActiveOwner(member) && !(await hasOtherActiveOwner(transaction, member))) {
    throw new AppError('conflict', { reason: 'last_owner' });
  }
}

/** With its sessions, or its mailed tokens. The transaction holds the row, so that no login begins here after this. */
export async function endMembership(transaction: Transaction, member: MemberRecord, now: Date): Promise<void> {
  const { id: userId, organizationId } = member;
  await assertOwnerStays(transaction, member);
  await deleteMembership(transaction, member.membershipId);
  if (userId !== null) await revokeSessionsIn(transaction, { userId, organizationId, now });
}

// Organization.users: all members and invitations, disabled ones too, in the order in which they came.

export async function organizationUsers(
  { id, caller }: SeenOrganization,
  _args: unknown,
  { loaders }: { loaders: UserLoaders },
): Promise<MemberRecord[] | null> {
  return caller.organizationId === id ? loaders.usersOfOrganization.load(id) : null;
}

// Loads users for nested fields: the users of many organizations in one statement.

export interface UserLoaders {
  usersOfOrganization: Batch<string, MemberRecord[]>;
}

export function createUserLoaders(adminPool: Pool, budget: ResponseBudget): UserLoaders {
  return {
    usersOfOrganization: batchLists(
      budget,
      (ids, take) => findMembersOfOrganizations(adminPool, ids, take),
      (user) => user.organizationId,
    ),
  };
}

// Reads of members: users with their role in one organization, and invitations, which show nothing of an account.

/** `ServiceUser` of the contract, as one organization sees it. */
export interface MemberRecord {
  membershipId: string;
  organizationId: string;
  /** The user. Null for an invitation, of which the account's fields below are null too. */
  id: string | null;
  email: string;
  /** Of an invitation: the name that the inviter wrote. */
  name: string | null;
  role: Role;
  status: 'active' | 'invited' | 'disabled';
  avatar: string | null;
  emailVerified: boolean | null;
  /** In this organization. */
  lastLoginAt: Date | null;
  invitationExpiresAt: Date | null;
}

export const memberColumns = raw(`m.id AS "membershipId", m.organization_id AS "organizationId", u.id,
  coalesce(u.email, m.invited_email) AS email, CASE WHEN u.id IS NULL THEN m.invited_name ELSE u.name END AS name,
  m.role, m.status, u.avatar,
  CASE WHEN u.id IS NOT NULL THEN u.email_verified_at IS NOT NULL END AS "emailVerified",
  CASE WHEN u.id IS NOT NULL THEN m.last_login_at END AS "lastLoginAt",
  CASE WHEN m.status = 'invited' THEN (
    SELECT max(t.expires_at) FROM password_tokens t WHERE t.membership_id = m.id AND t.ended_at IS NULL
  ) END AS "invitationExpiresAt"`);

export async function findMember(
  connection: SqlConnection,
  { userId, organizationId }: { userId: string; organizationId: string },
): Promise<MemberRecord | null> {
  const statement = prepared('find_member')`/* accounts: findMember */
    SELECT ${memberColumns} FROM memberships m JOIN users u ON u.id = m.user_id
    WHERE m.user_id = ${userId} AND m.organization_id = ${organizationId}`;
  const { rows } = await connection.query<MemberRecord>(statement);
  return rows[0] ?? null;
}

/** In the order in which they were invited or came. */
export async function findMembersOfOrganizations(
  connection: SqlConnection,
  organizationIds: readonly string[],
  take: number,
): Promise<MemberRecord[]> {
  const statement = prepared('find_members_of_organizations')`/* accounts: findMembersOfOrganizations */
    SELECT ${memberColumns} FROM memberships m LEFT JOIN users u ON u.id = m.user_id
    WHERE m.organization_id = ANY(${organizationIds}::uuid[]) ORDER BY m.created_at, m.id LIMIT ${take}`;
  const { rows } = await connection.query<MemberRecord>(statement);
  return rows;
}

/** The organizations in which the user is active, in the order in which the user came to them. */
export async function findOrganizationsOfUser(
  connection: SqlConnection,
  { userId, limit }: { userId: string; limit: number },
): Promise<OrganizationRecord[]> {
  const statement = prepared('find_organizations_of_user')`/* accounts: findOrganizationsOfUser */
    SELECT o.id, o.name, o.logo FROM memberships m JOIN organizations o ON o.id = m.organization_id
    WHERE m.user_id = ${userId} AND m.status = 'active' ORDER BY m.accepted_at, m.id LIMIT ${limit}`;
  const { rows } = await connection.query<OrganizationRecord>(statement);
  return rows;
}

/** Where the user was active last; the first one, when the user was never anywhere. Null without an active membership. */
export async function findLastOrganization(connection: SqlConnection, userId: string): Promise<string | null> {
  const statement = prepared('find_last_organization')`/* accounts: findLastOrganization */
    SELECT organization_id AS "organizationId" FROM memberships WHERE user_id = ${userId} AND status = 'active'
    ORDER BY last_used_at DESC NULLS LAST, accepted_at, id LIMIT 1`;
  const { rows } = await connection.query<{ organizationId: string }>(statement);
  return rows[0]?.organizationId ?? null;
}

export async function findOrganizationOf(connection: SqlConnection, membershipId: string): Promise<string | null> {
  const statement = prepared('find_organization_of_membership')`/* accounts: findOrganizationOf */
    SELECT organization_id AS id FROM memberships WHERE id = ${membershipId}`;
  const { rows } = await connection.query<{ id: string }>(statement);
  return rows[0]?.id ?? null;
}

// The SQL of changes to memberships: their locks and their writes. A transaction locks users first, then organizations.

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
