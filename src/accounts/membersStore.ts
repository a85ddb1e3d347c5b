// Reads of members: users with their role in one organization, and invitations, which show nothing of an account.
import { prepared, raw } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { Role } from '../workspace/caller.ts';
import type { OrganizationRecord } from '../workspace/workspaceStore.ts';

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
