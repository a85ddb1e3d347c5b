// mutation updatePassword: sets a password with a mailed token, and ends the user's logins and open reset tokens.
import type { MutationUpdatePasswordArgs, UpdatePasswordInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { type AdminPool, inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules, newId } from '../platform/inputRules.ts';
import type { Attempts } from './attempts.ts';
import { revokeLoginSessions } from './authenticate.ts';
import { noteEmailVerified } from './emailAddress.ts';
import {
  acceptInvitation,
  findInvitationOfToken,
  findOwnerlessInvitations,
  mailInvitation,
  type OpenInvitation,
  takeMembershipsBack,
} from './invitations.ts';
import { endEmailTokens, endPasswordTokens, findUserOfToken, type PasswordTokens } from './mailedTokens.ts';
import { lockMemberships, organizationsOf } from './members.ts';
import { checkNewPassword, type Passwords } from './passwords.ts';
import {
  type AccountRecord,
  insertUser,
  lockUser,
  lockUserByEmail,
  setPassword,
  takeInvitedName,
} from './usersStore.ts';

interface Needs {
  adminPool: AdminPool;
  passwords: Passwords;
  passwordTokens: PasswordTokens;
  attempts: Attempts;
  address: string;
  now(): Date;
}

interface Given {
  hash: Buffer;
  now: Date;
}

/** Throws `validation_failed`, `invalid_token`, `rate_limited`. A refused attempt does not use up the token. */
export async function updatePassword({ input }: MutationUpdatePasswordArgs, needs: Needs): Promise<boolean> {
  const { adminPool, passwords, passwordTokens, attempts, address } = needs;
  const attempt = await attempts({ mutation: 'updatePassword', account: input.token, address });
  check(input);
  const given = { hash: passwordTokens.hashOf(input.token), now: needs.now() };
  // Checks the token before the costly hash, and again under the lock.
  const userId = await findUserOfToken(adminPool, given);
  const invitation = userId ? null : await findInvitationOfToken(adminPool, given);
  if (!userId && !invitation) throw new AppError('invalid_token', undefined);
  const passwordHash = await passwords.hash(input.newPassword, 'known');
  const email = await inTransaction(adminPool, async (transaction) => {
    // The lock keeps out new logins and tokens of this user, so the statements below end all of them.
    const user = userId ? await lockUser(transaction, userId) : await invitedUser(transaction, invitation!, given.now);
    if (!user) throw new AppError('invalid_token', undefined);
    await lockOrganizationsOf(transaction, user, invitation ? [invitation.organizationId] : []);
    const left = await write(transaction, { user, passwordHash, given }, needs);
    if (userId) await assertOpen(transaction, userId, given);
    else await accept(transaction, user, given);
    await mailOwnerlessAgain(transaction, user, needs);
    await endPasswordTokens(transaction, { userId: user.id, now: given.now });
    await record(transaction, user, left);
    return user.email;
  });
  await attempt.succeeded();
  await attempts.clear({ account: email, address });
  // Otherwise a stranger who goes on guessing locks the owner out again before the login with the new password.
  await attempts.noteLogin({ account: email, address });
  return true;
}

/** The account of the invitation's address, or a new one, whose mailbox the token proves. */
async function invitedUser(
  transaction: Transaction,
  { email, name }: OpenInvitation,
  now: Date,
): Promise<AccountRecord | null> {
  await insertUser(transaction, { id: newId(), email, name, passwordHash: null, emailVerifiedAt: now, now });
  return lockUserByEmail(transaction, email);
}

/** Returns the organizations that the account has left. */
async function write(
  transaction: Transaction,
  { user, passwordHash, given }: { user: AccountRecord; passwordHash: string; given: Given },
  needs: Needs,
): Promise<string[]> {
  await setPassword(transaction, { userId: user.id, passwordHash });
  await revokeLoginSessions(transaction, { userId: user.id, now: given.now });
  // Whoever has asked for a change with the old password can no longer confirm it.
  await endEmailTokens(transaction, { userId: user.id, purpose: 'change', now: given.now });
  return proveMailbox(transaction, user, needs);
}

async function assertOpen(transaction: Transaction, userId: string, given: Given): Promise<void> {
  if ((await findUserOfToken(transaction, given)) !== userId) throw new AppError('invalid_token', undefined);
}

async function accept(transaction: Transaction, { id: userId, email }: AccountRecord, given: Given): Promise<void> {
  // Again, because the invitation may have ended while this transaction waited.
  const invitation = await findInvitationOfToken(transaction, given);
  if (invitation?.email !== email) throw new AppError('invalid_token', undefined);
  await acceptInvitation(transaction, { membershipId: invitation.membershipId, userId, now: given.now });
  await takeInvitedName(transaction, { userId, name: invitation.name });
}

/** One line in each organization of the account, in the order that all transactions share. */
async function record(transaction: Transaction, { id, email }: AccountRecord, left: string[]): Promise<void> {
  const members = await organizationsOf(transaction, id);
  for (const organizationId of [...new Set([...members, ...left])].sort()) {
    const details = left.includes(organizationId) && !members.includes(organizationId) ? { left: true } : {};
    const line = { action: 'updatePassword', objectType: 'user', objectId: email, details } as const;
    await audit(transaction, { organizationId, email }, line);
  }
}

function check({ newPassword, newPasswordRepeat }: UpdatePasswordInput): void {
  const rules = inputRules();
  checkNewPassword(rules, 'input.newPassword', newPassword);
  if (newPassword !== newPasswordRepeat) rules.refuse('input.newPasswordRepeat', 'must be the same password');
  rules.assert();
}

// What a mailed token does to an account that never proved its mailbox: it may be a stranger's (docs/decisions/unproven-accounts.md).

interface ProofNeeds {
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
  needs: ProofNeeds,
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
export async function proveMailbox(
  transaction: Transaction,
  user: AccountRecord,
  needs: ProofNeeds,
): Promise<string[]> {
  const { id: userId, email } = user;
  if (user.emailVerifiedAt) return [];
  const before = await organizationsOf(transaction, userId);
  const open = await takeMembershipsBack(transaction, { userId, email });
  for (const { membershipId } of open)
    await mailInvitation(transaction, { membershipId, email, takenBack: true }, needs);
  await noteEmailVerified(transaction, { userId, now: needs.now() });
  return before;
}
