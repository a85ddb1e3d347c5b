// mutation updatePassword: sets a password with a mailed token, and ends the user's logins and open reset tokens.
import type { MutationUpdatePasswordArgs, UpdatePasswordInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { type AdminTransaction, inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules, newId } from '../platform/inputRules.ts';
import { revokeLoginSessions } from './authenticate.ts';
import { acceptInvitation, findInvitationOfToken, mailInvitation, type OpenInvitation } from './invitations.ts';
import { endEmailTokens, endPasswordTokens, findUserOfToken, type MailedTokenNeeds } from './mailedTokens.ts';
import { lockMemberships, organizationsOf } from './members.ts';
import { checkNewPassword, type Passwords } from './passwords.ts';
import {
  type AccountRecord,
  insertUser,
  lockUser,
  lockUserByEmail,
  noteEmailVerified,
  setPassword,
  takeInvitedName,
} from './usersStore.ts';

interface Needs extends MailedTokenNeeds {
  passwords: Passwords;
}

interface Given {
  hash: Buffer<ArrayBuffer>;
  now: Date;
}

/** Throws `validation_failed`, `invalid_token`, `rate_limited`. A refused attempt does not use up the token. */
export async function updatePassword({ input }: MutationUpdatePasswordArgs, needs: Needs): Promise<boolean> {
  const { adminPool, prisma, passwords, passwordTokens, attempts, address } = needs;
  const attempt = await attempts({ mutation: 'updatePassword', account: input.token, address });
  check(input);
  const given = { hash: passwordTokens.hashOf(input.token), now: needs.now() };
  // Checks the token before the costly hash, and again under the lock.
  const userId = await findUserOfToken(prisma, given);
  const invitation = userId ? null : await findInvitationOfToken(prisma, given);
  if (!userId && !invitation) throw new AppError('invalid_token', undefined);
  const passwordHash = await passwords.hash(input.newPassword, 'known');
  const email = await inTransaction(adminPool, async (transaction) => {
    // The lock keeps out new logins and tokens of this user, so the statements below end all of them.
    const user = userId ? await lockUser(transaction, userId) : await invitedUser(transaction, invitation!, given.now);
    if (!user) throw new AppError('invalid_token', undefined);
    await lockOrganizationsOf(transaction, user, invitation ? [invitation.organizationId] : []);
    const left = await write(transaction, { user, passwordHash, given }, needs);
    if (!userId) await accept(transaction, user, given);
    else if ((await findUserOfToken(transaction.prisma, given)) !== userId)
      throw new AppError('invalid_token', undefined);
    await mailOwnerlessAgain(transaction, user, needs);
    await endPasswordTokens(transaction, { userId: user.id }, given.now);
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
  transaction: AdminTransaction,
  { invitedEmail, invitedName: name }: OpenInvitation,
  now: Date,
): Promise<AccountRecord | null> {
  const email = invitedEmail!;
  const user = { id: newId(), email, name, passwordHash: null, emailVerifiedAt: now, createdAt: now };
  await insertUser(transaction, user);
  return lockUserByEmail(transaction, email);
}

/** Returns the organizations that the account has left. */
async function write(
  transaction: AdminTransaction,
  { user, passwordHash, given: { now } }: { user: AccountRecord; passwordHash: string; given: Given },
  needs: Needs,
): Promise<string[]> {
  const { id: userId } = user;
  await setPassword(transaction, { userId, passwordHash });
  await revokeLoginSessions(transaction, { userId }, now);
  // Whoever has asked for a change with the old password can no longer confirm it.
  await endEmailTokens(transaction, { userId, purpose: 'change' }, now);
  return user.emailVerifiedAt ? [] : proveMailbox(transaction, user, needs);
}

async function accept(
  transaction: AdminTransaction,
  { id: userId, email }: AccountRecord,
  given: Given,
): Promise<void> {
  // Again, because the invitation may have ended while this transaction waited.
  const invitation = await findInvitationOfToken(transaction.prisma, given);
  if (invitation?.invitedEmail !== email) throw new AppError('invalid_token', undefined);
  await acceptInvitation(transaction, { membershipId: invitation.id, userId, now: given.now });
  await takeInvitedName(transaction, userId, invitation.invitedName);
}

/** One line in each organization of the account, in the order that all transactions share. */
async function record(transaction: AdminTransaction, { id, email }: AccountRecord, left: string[]): Promise<void> {
  const members = await organizationsOf(transaction.prisma, id);
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

/**
 * Locks the organizations that the user leaves or may own again, together with the one that the user joins: in two steps,
 * two users who change places in two organizations would wait for each other. The caller has locked the user.
 */
async function lockOrganizationsOf(
  transaction: AdminTransaction,
  { id, email, emailVerifiedAt }: AccountRecord,
  joined: string[],
): Promise<void> {
  const touched = emailVerifiedAt
    ? (await findOwnerlessInvitations(transaction, email)).map(({ organizationId }) => organizationId)
    : await organizationsOf(transaction.prisma, id);
  await lockMemberships(transaction, [...touched, ...joined]);
}

/** Invitations as an owner, where only that owner is missing. */
function findOwnerlessInvitations({ prisma }: AdminTransaction, invitedEmail: string) {
  const organization = { memberships: { none: { role: 'owner', status: 'active' } } } as const;
  const where = { invitedEmail, status: 'invited', role: 'owner', organization } as const;
  return prisma.membership.findMany({ where, select: { id: true, organizationId: true } });
}

/**
 * A lost mail of `proveMailbox` must not leave an organization without an owner for good. Called after an invitation is
 * accepted, because a new mail ends the token of the one before. Until this password the account was verified already:
 * otherwise its mails are new.
 */
async function mailOwnerlessAgain(
  transaction: AdminTransaction,
  { email, emailVerifiedAt }: AccountRecord,
  needs: Needs,
): Promise<void> {
  if (!emailVerifiedAt) return;
  for (const { id: membershipId } of await findOwnerlessInvitations(transaction, email))
    await mailInvitation(transaction, { membershipId, email, takenBack: true }, needs);
}

/**
 * The account becomes verified. The user did not accept its memberships by mail: they become invitations, disabled ones
 * where the membership was disabled, and a mail for each open one tells the user. Returns their organizations. The caller
 * has locked the user, and the organizations of `lockOrganizationsOf`.
 */
async function proveMailbox(
  transaction: AdminTransaction,
  { id: userId, email }: AccountRecord,
  needs: Needs,
): Promise<string[]> {
  const { membership } = transaction.prisma;
  const before = await organizationsOf(transaction.prisma, userId);
  const data = { userId: null, invitedEmail: email, acceptedAt: null, lastLoginAt: null, lastUsedAt: null };
  const open = await membership.updateManyAndReturn({
    where: { userId, status: 'active' },
    data: { ...data, status: 'invited' },
    select: { id: true },
  });
  await membership.updateMany({ where: { userId }, data });
  for (const { id: membershipId } of open)
    await mailInvitation(transaction, { membershipId, email, takenBack: true }, needs);
  await noteEmailVerified(transaction, userId, needs.now());
  return before;
}
