// What a mailed token does to an account that never proved its mailbox: it may be a stranger's (docs/decisions/unproven-accounts.md).
import type { Transaction } from '../platform/database/transaction.ts';
import { takeMembershipsBack } from './acceptanceStore.ts';
import { mailInvitation } from './invitationMail.ts';
import { findMembershipsOfUser, lockMemberships } from './membershipEditsStore.ts';
import type { PasswordTokens } from './passwordTokens.ts';
import { markVerified } from './userEditsStore.ts';
import type { AccountRecord } from './usersStore.ts';

interface Needs {
  passwordTokens: PasswordTokens;
  now(): Date;
}

/**
 * Locks the organizations that the user leaves together with the one that the user joins: in two steps, two users who
 * change places in two organizations would wait for each other. The caller has locked the user.
 */
export async function lockOrganizationsOf(
  transaction: Transaction,
  { id, emailVerifiedAt }: AccountRecord,
  joined: string[],
): Promise<void> {
  const left = emailVerifiedAt ? [] : await findMembershipsOfUser(transaction, id);
  await lockMemberships(transaction, [...left.map(({ organizationId }) => organizationId), ...joined]);
}

/**
 * The account becomes verified. Where it was not, the user did not accept its memberships by mail: they become
 * invitations, and a mail for each tells the user. Returns their organizations. The caller has locked the user, and the
 * organizations of `lockOrganizationsOf`.
 */
export async function proveMailbox(transaction: Transaction, user: AccountRecord, needs: Needs): Promise<string[]> {
  const { id: userId, email } = user;
  if (user.emailVerifiedAt) return [];
  const before = (await findMembershipsOfUser(transaction, userId)).map(({ organizationId }) => organizationId);
  const open = await takeMembershipsBack(transaction, { userId, email });
  for (const { membershipId } of open)
    await mailInvitation(transaction, { membershipId, email, takenBack: true }, needs);
  await markVerified(transaction, { userId, name: null, now: needs.now() });
  return before;
}
