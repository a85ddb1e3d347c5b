// mutation updatePassword: sets a password with a mailed token, and ends the user's logins and open reset tokens.
import type { Pool } from 'pg';
import type { MutationUpdatePasswordArgs, UpdatePasswordInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules } from '../platform/inputRules.ts';
import { newId } from '../platform/newId.ts';
import { acceptInvitation, findInvitationOfToken, type OpenInvitation } from './acceptanceStore.ts';
import type { Attempts } from './attempts.ts';
import { endEmailTokens } from './emailTokensStore.ts';
import { revokeLoginSessions } from './loginSessionsStore.ts';
import { organizationsOf } from './membershipEditsStore.ts';
import { checkNewPassword } from './passwordRules.ts';
import type { PasswordTokens } from './passwordTokens.ts';
import { endPasswordTokens, findUserOfToken } from './passwordTokensStore.ts';
import type { Passwords } from './passwords.ts';
import { lockOrganizationsOf, mailOwnerlessAgain, proveMailbox } from './proveMailbox.ts';
import { lockUser, lockUserByEmail, setPassword, takeInvitedName } from './userEditsStore.ts';
import { insertUser, type AccountRecord } from './usersStore.ts';

interface Needs {
  adminPool: Pool;
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
