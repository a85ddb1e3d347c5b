// Opens the token of an invitation and adds the job that mails it, in the transaction of the invitation.
import { prepared, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/inputRules.ts';
import { endInvitationTokens, expiryOf, openInvitationToken, type PasswordTokens } from './mailedTokens.ts';
import { addPasswordMail } from './mails.ts';

export interface Invited {
  membershipId: string;
  email: string;
  /** The mail says that the account was a member, until somebody proved the mailbox. */
  takenBack?: true;
}

/** Opens the token here and not only in the job, so that a repeated invitation ends it whatever the job does. */
export async function mailInvitation(
  transaction: Transaction,
  { membershipId, email, takenBack }: Invited,
  { passwordTokens, now }: { passwordTokens: PasswordTokens; now(): Date },
): Promise<void> {
  const mailId = newId();
  const hash = passwordTokens.hashOf(passwordTokens.tokenOf(mailId));
  const expiresAt = expiryOf('invitation', now());
  await openInvitationToken(transaction, { hash, membershipId, now: now(), expiresAt });
  await addPasswordMail(transaction, {
    mailId,
    purpose: 'invitation',
    email,
    membershipId,
    ...(takenBack && { takenBack }),
  });
}

// The SQL with which an invitation becomes a user's membership, and a membership that nobody accepted an invitation again.

export interface OpenInvitation {
  membershipId: string;
  organizationId: string;
  email: string;
  name: string | null;
}

/** The invitation that this token can accept now. */
export async function findInvitationOfToken(
  connection: SqlConnection,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<OpenInvitation | null> {
  const statement = prepared('find_invitation_of_token')`/* accounts: findInvitationOfToken */
    SELECT m.id AS "membershipId", m.organization_id AS "organizationId", m.invited_email AS email, m.invited_name AS name
    FROM password_tokens t JOIN memberships m ON m.id = t.membership_id
    WHERE t.hash = ${hash} AND t.ended_at IS NULL AND t.expires_at > ${now} AND m.status = 'invited'`;
  const { rows } = await connection.query<OpenInvitation>(statement);
  return rows[0] ?? null;
}

/** The caller has locked the user and the organization. A member's address has no invitation (`deleteSpareInvitations`). */
export async function acceptInvitation(
  transaction: Transaction,
  { membershipId, userId, now }: { membershipId: string; userId: string; now: Date },
): Promise<void> {
  await transaction.query(prepared('accept_invitation')`/* accounts: acceptInvitation */
    UPDATE memberships SET user_id = ${userId}, invited_email = NULL, invited_name = NULL, status = 'active',
      accepted_at = ${now}
    WHERE id = ${membershipId}`);
  await endInvitationTokens(transaction, { membershipId, now });
}

/**
 * Of an address that has become a member's: the member stays as they are. Without this the member, once removed, could
 * come back with the invitation's mail. The caller has locked the user and the organizations.
 */
export async function deleteSpareInvitations(
  transaction: Transaction,
  { userId, email }: { userId: string; email: string },
): Promise<void> {
  await transaction.query(prepared('delete_spare_invitations')`/* accounts: deleteSpareInvitations */
    DELETE FROM memberships i USING memberships m
    WHERE i.invited_email = ${email} AND m.organization_id = i.organization_id AND m.user_id = ${userId}`);
}

/** Invitations as an owner, where only that owner is missing. */
export async function findOwnerlessInvitations(
  connection: SqlConnection,
  email: string,
): Promise<{ membershipId: string; organizationId: string }[]> {
  const statement = prepared('find_ownerless_invitations')`/* accounts: findOwnerlessInvitations */
    SELECT m.id AS "membershipId", m.organization_id AS "organizationId" FROM memberships m
    WHERE m.invited_email = ${email} AND m.status = 'invited' AND m.role = 'owner' AND NOT EXISTS (
      SELECT FROM memberships o
      WHERE o.organization_id = m.organization_id AND o.role = 'owner' AND o.status = 'active')`;
  const { rows } = await connection.query<{ membershipId: string; organizationId: string }>(statement);
  return rows;
}

/**
 * Takes every membership from a user and leaves an invitation in its place, or a disabled invitation in the place of a
 * disabled membership. Returns those that are open. The caller has locked the user and the organizations.
 */
export async function takeMembershipsBack(
  transaction: Transaction,
  { userId, email }: { userId: string; email: string },
): Promise<{ membershipId: string }[]> {
  const statement = prepared('take_memberships_back')`/* accounts: takeMembershipsBack */
    UPDATE memberships m SET user_id = NULL, invited_email = ${email}, accepted_at = NULL, last_login_at = NULL,
      last_used_at = NULL, status = CASE m.status WHEN 'active' THEN 'invited'::user_status ELSE m.status END
    WHERE m.user_id = ${userId} RETURNING m.id AS "membershipId", m.status`;
  const { rows } = await transaction.query<{ membershipId: string; status: string }>(statement);
  return rows.filter(({ status }) => status === 'invited');
}
