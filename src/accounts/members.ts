// Members of organizations: who may change what of a user (schema.graphql, "Edits of a user"), their reads, locks and ends.
import type { Pool } from 'pg';
import { prepared, raw, type SqlConnection } from '../platform/database/sql.ts';
import type { AdminTransaction, PrismaModels, Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { newId } from '../platform/inputRules.ts';
import { type ResponseBudget, type Batch, batchLists } from '../platform/responseBudget.ts';
import { type Caller, isAtLeast, type Role, type ViewedOrganization } from '../workspace/workspace.ts';
import { revokeLoginSessions } from './authenticate.ts';

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

type Ending = Pick<MemberRecord, 'membershipId' | 'organizationId' | 'role' | 'status'>;

/** The caller has locked the organization's memberships. Throws `conflict`. */
export async function assertOwnerStays({ prisma }: AdminTransaction, member: Ending): Promise<void> {
  const { membershipId, organizationId } = member;
  if (!isActiveOwner(member)) return;
  const where = { organizationId, id: { not: membershipId }, role: 'owner', status: 'active' } as const;
  const other = await prisma.membership.findFirst({ where, select: { id: true } });
  if (!other) throw new AppError('conflict', { reason: 'last_owner' });
}

/** With its sessions, or its mailed tokens. The transaction holds the row, so that no login begins here after this. */
export async function endMembership(transaction: AdminTransaction, member: MemberRecord, now: Date): Promise<void> {
  const { id: userId, organizationId, membershipId } = member;
  await assertOwnerStays(transaction, member);
  await transaction.prisma.membership.deleteMany({ where: { id: membershipId } });
  if (userId !== null) await revokeLoginSessions(transaction, { userId, organizationId }, now);
}

// Organization.users: all members and invitations, disabled ones too, in the order in which they came.

export async function organizationUsers(
  { id, caller }: ViewedOrganization,
  _args: unknown,
  { loaders }: { loaders: UserLoaders },
): Promise<MemberRecord[] | null> {
  return caller.organizationId === id ? loaders.usersOfOrganization.load(id) : null;
}

export interface UserLoaders {
  usersOfOrganization: Batch<string, MemberRecord[]>;
}

/** In the order in which they were invited or came. SQL, because a list may have 10,000 members: one statement. */
export function createUserLoaders(adminPool: Pool, budget: ResponseBudget): UserLoaders {
  const find = async (organizationIds: readonly string[], take: number): Promise<MemberRecord[]> => {
    const statement = prepared('find_members_of_organizations')`/* accounts: findMembersOfOrganizations */
      SELECT ${memberColumns} FROM memberships m LEFT JOIN users u ON u.id = m.user_id
      WHERE m.organization_id = ANY(${organizationIds}::uuid[]) ORDER BY m.created_at, m.id LIMIT ${take}`;
    return (await adminPool.query<MemberRecord>(statement)).rows;
  };
  return { usersOfOrganization: batchLists(budget, find, ({ organizationId }) => organizationId) };
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

const memberColumns = raw(`m.id AS "membershipId", m.organization_id AS "organizationId", u.id,
  coalesce(u.email, m.invited_email) AS email, CASE WHEN u.id IS NULL THEN m.invited_name ELSE u.name END AS name,
  m.role, m.status, u.avatar,
  CASE WHEN u.id IS NOT NULL THEN u.email_verified_at IS NOT NULL END AS "emailVerified",
  CASE WHEN u.id IS NOT NULL THEN m.last_login_at END AS "lastLoginAt",
  CASE WHEN m.status = 'invited' THEN (
    SELECT max(t.expires_at) FROM password_tokens t WHERE t.membership_id = m.id AND t.ended_at IS NULL
  ) END AS "invitationExpiresAt"`);

/** SQL, for the columns that `lockMember` has too. */
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

/** SQL, because jobs ask too. */
export async function findOrganizationOf(connection: SqlConnection, membershipId: string): Promise<string | null> {
  const statement = prepared('find_organization_of_membership')`/* accounts: findOrganizationOf */
    SELECT organization_id AS id FROM memberships WHERE id = ${membershipId}`;
  const { rows } = await connection.query<{ id: string }>(statement);
  return rows[0]?.id ?? null;
}

// The locks and writes of memberships. A transaction locks users first, then organizations.

/** SQL, because it locks. Waits until no other transaction changes memberships of the organizations, in an order that all transactions share. */
export async function lockMemberships(transaction: Transaction, organizationIds: readonly string[]): Promise<void> {
  await transaction.query(prepared('lock_memberships')`/* accounts: lockMemberships */
    SELECT 1 FROM organizations WHERE id = ANY(${organizationIds}::uuid[]) ORDER BY id FOR NO KEY UPDATE`);
}

/**
 * Waits as `lockMemberships`. Returns the caller's role at that moment; null when the caller is no longer active there.
 * Two owners who demote each other therefore run one after the other (docs/decisions/memberships.md).
 */
export async function lockAsEditor(
  transaction: AdminTransaction,
  { userId, organizationId }: Caller,
): Promise<Role | null> {
  await lockMemberships(transaction, [organizationId]);
  // A separate statement, because a statement sees the rows as they were before it waited for the lock.
  const where = { userId, organizationId, status: 'active' } as const;
  const membership = await transaction.prisma.membership.findFirst({ where, select: { role: true } });
  return membership?.role ?? null;
}

/** SQL, because it locks. A member or an invitation. Null for an address that the organization does not know. */
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
export async function findMembershipsOfUser(prisma: PrismaModels, userId: string): Promise<Ending[]> {
  const memberships = await prisma.membership.findMany({
    where: { userId },
    select: { id: true, organizationId: true, role: true, status: true },
    orderBy: { organizationId: 'asc' },
  });
  return memberships.map(({ id: membershipId, ...membership }) => ({ membershipId, ...membership }));
}

/** The organizations of the user's memberships, in the order of their locks. */
export async function organizationsOf(prisma: PrismaModels, userId: string): Promise<string[]> {
  return (await findMembershipsOfUser(prisma, userId)).map(({ organizationId }) => organizationId);
}

/** An organization with its first owner. */
export async function foundOrganization(
  { prisma }: AdminTransaction,
  founded: { id: string; name: string; userId: string; membershipId?: string; now: Date },
): Promise<void> {
  const { id: organizationId, name, userId, membershipId = newId(), now } = founded;
  const owner = { id: membershipId, organizationId, userId, role: 'owner', status: 'active' } as const;
  await prisma.organization.createMany({ data: { id: organizationId, name, createdAt: now } });
  await prisma.membership.createMany({ data: { ...owner, createdAt: now, acceptedAt: now } });
}

/** Also the name of an invitation. */
export async function updateMembership(
  { prisma }: AdminTransaction,
  { membershipId, id, name, role, status }: MemberRecord,
): Promise<void> {
  const data = { role, status, invitedName: id === null ? name : null };
  await prisma.membership.updateMany({ where: { id: membershipId }, data });
}
