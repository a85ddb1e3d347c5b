// Opens the token of an invitation and adds the job that mails it, in the transaction of the invitation.
import type { Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/newId.ts';
import { addPasswordMail } from './passwordMailJobs.ts';
import { expiryOf, type PasswordTokens } from './passwordTokens.ts';
import { openInvitationToken } from './passwordTokensStore.ts';

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
