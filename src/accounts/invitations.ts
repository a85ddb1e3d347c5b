// Invitations: mailed in the transaction that makes or renews them, found by their token, and accepted.
import type { Membership } from '../../generated/prisma/client.ts';
import type { AdminTransaction, PrismaModels } from '../platform/database/transaction.ts';
import { newId } from '../platform/inputRules.ts';
import { endPasswordTokens, expiryOf, openInvitationToken, type PasswordTokens } from './mailedTokens.ts';
import { addPasswordMail } from './mails.ts';

export interface Invited {
  membershipId: string;
  email: string;
  /** The mail says that the account was a member, until somebody proved the mailbox. */
  takenBack?: true;
}

/** Opens the token here and not only in the job, so that a repeated invitation ends it whatever the job does. */
export async function mailInvitation(
  transaction: AdminTransaction,
  invited: Invited,
  { passwordTokens, now }: { passwordTokens: PasswordTokens; now(): Date },
): Promise<void> {
  const mailId = newId();
  const hash = passwordTokens.hashOf(passwordTokens.tokenOf(mailId));
  const { membershipId } = invited;
  const expiresAt = expiryOf('invitation', now());
  await openInvitationToken(transaction, { hash, membershipId, now: now(), expiresAt });
  await addPasswordMail(transaction, { mailId, purpose: 'invitation', ...invited });
}

export type OpenInvitation = Pick<Membership, 'id' | 'organizationId' | 'invitedEmail' | 'invitedName'>;

/** The invitation that this token can accept now. */
export function findInvitationOfToken(
  prisma: PrismaModels,
  { hash, now }: { hash: Buffer<ArrayBuffer>; now: Date },
): Promise<OpenInvitation | null> {
  return prisma.membership.findFirst({
    where: { status: 'invited', tokens: { some: { hash, endedAt: null, expiresAt: { gt: now } } } },
    select: { id: true, organizationId: true, invitedEmail: true, invitedName: true },
  });
}

/** The caller has locked the user and the organization. A member's address has no invitation (emailConfirm.ts). */
export async function acceptInvitation(
  transaction: AdminTransaction,
  { membershipId, userId, now }: { membershipId: string; userId: string; now: Date },
): Promise<void> {
  const accepted = { userId, invitedEmail: null, invitedName: null, status: 'active', acceptedAt: now } as const;
  await transaction.prisma.membership.updateMany({ where: { id: membershipId }, data: accepted });
  await endPasswordTokens(transaction, { membershipId }, now);
}
