// What a mailed token does to an account that never proved its mailbox: it may be a stranger's (docs/decisions/unproven-accounts.md).
import type { Transaction } from '../platform/database/transaction.ts';
import { findOwnerlessInvitations, takeMembershipsBack } from './acceptanceStore.ts';
import { noteEmailVerified } from './emailAddressStore.ts';
import { mailInvitation } from './invitationMail.ts';
import { lockMemberships, organizationsOf } from './membershipEditsStore.ts';
import type { PasswordTokens } from './passwordTokens.ts';
import type { AccountRecord } from './usersStore.ts';

interface Needs {
  passwordTokens: PasswordTokens;
  now(): Date;
}

/**
 * Locks the organizations that the user leaves or may own again, together with the one that the user joins: in two steps, two users who
 * change places in two organizations would wait for each other. The caller has locked the user.
 */
export async function lockOrganizationsOf(
  transaction: Transaction,
  { id, email, emailVerifiedAt }: AccountRecord,
  joined: string[],
): Promise<void> {
  const touched = emailVerifiedAt
    ? (await findOwnerlessInvitations(transaction, email)).map(({ organizationId }) => organizationId)
    : await organizationsOf(transaction, id);
  await lockMemberships(transaction, [...touched, ...joined]);
}

/**
 * A lost mail of `proveMailbox` must not leave an organization without an owner for good. Called after an invitation is
 * accepted, because a new mail ends the token of the one before. Until this password the account was verified already:
 * otherwise its mails are new.
 */
export async function mailOwnerlessAgain(
  transaction: Transaction,
  { email, emailVerifiedAt }: AccountRecord,
  needs: Needs,
): Promise<void> {
  if (!emailVerifiedAt) return;
  for (const { membershipId } of await findOwnerlessInvitations(transaction, email))
    await mailInvitation(transaction, { membershipId, email, takenBack: true }, needs);
}

/**
 * The account becomes verified. Where it was not, the user did not accept its memberships by mail: they become
 * invitations, and a mail for each tells the user. Returns their organizations. The caller has locked the user, and the
 * organizations of `lockOrganizationsOf`.
 */
export async function proveMailbox(transaction: Transaction, user: AccountRecord, needs: Needs): Promise<string[]> {
  const { id: userId, email } = user;
  if (user.emailVerifiedAt) return [];
  const before = await organizationsOf(transaction, userId);
  const open = await takeMembershipsBack(transaction, { userId, email });
  for (const { membershipId } of open)
    await mailInvitation(transaction, { membershipId, email, takenBack: true }, needs);
  await noteEmailVerified(transaction, { userId, now: needs.now() });
  return before;
}
