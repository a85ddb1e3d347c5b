// mutation emailConfirm: a mailed token proves the mailbox of the account's address, or makes a new address the account's.
import type { MutationEmailConfirmArgs } from '../../generated/graphql.ts';
import { audit, changedFields } from '../audit/audit.ts';
import { inTransaction, type AdminPool, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { deleteSpareInvitations } from './invitations.ts';
import type { Attempts } from './attempts.ts';
import { changeEmail, lockEmailOf, noteEmailVerified } from './emailAddress.ts';
import {
  endEmailTokens,
  endPasswordTokens,
  findEmailToken,
  type LiveEmailToken,
  type PasswordTokens,
} from './mailedTokens.ts';
import { lockMemberships, organizationsOf } from './members.ts';

interface Needs {
  adminPool: AdminPool;
  passwordTokens: PasswordTokens;
  attempts: Attempts;
  address: string;
  now(): Date;
}

/** Throws `invalid_token`, `conflict` (another account took the address meanwhile), `rate_limited`. */
export async function emailConfirm({ token }: MutationEmailConfirmArgs, needs: Needs): Promise<true> {
  const { adminPool, passwordTokens, attempts, address, now } = needs;
  const attempt = await attempts.check({ mutation: 'emailConfirm', account: token, address });
  const key = { hash: passwordTokens.hashOf(token), now: now() };
  const found = await findEmailToken(adminPool, key);
  const email = found && (await inTransaction(adminPool, (transaction) => confirm(transaction, found, key)));
  if (email === null) {
    await attempt.failed();
    throw new AppError('invalid_token', undefined);
  }
  // A network from which the mailbox was proved counts like one from which the account logs in: attempts are counted by
  // address, so a new address would begin without any.
  await attempts.clear({ account: email, address });
  if (found?.purpose === 'change') await attempts.noteLogin({ account: email, address });
  return true;
}

interface Key {
  hash: Buffer;
  now: Date;
}

/** Returns the address that is proved; null for a token that no longer counts. */
async function confirm(transaction: Transaction, token: LiveEmailToken, { hash, now }: Key): Promise<string | null> {
  const { userId, purpose, email } = token;
  const present = await lockEmailOf(transaction, userId);
  // Looked up again under the lock: of two requests with one token, one succeeds.
  if (present === null || !(await findEmailToken(transaction, { hash, now }))) return null;
  if (purpose === 'confirmation' && present !== email) return null;
  const changes = purpose === 'change' && present !== email;
  if (changes) await change(transaction, token, now);
  const noted = changes || (await noteEmailVerified(transaction, { userId, now }));
  await endEmailTokens(transaction, { userId, purpose, now });
  if (noted) await note(transaction, token, present);
  return email;
}

/** The locks keep out an invitation of the new address while its account is a member. */
async function change(transaction: Transaction, { userId, email }: LiveEmailToken, now: Date): Promise<void> {
  await lockMemberships(transaction, await organizationsOf(transaction, userId));
  if (!(await changeEmail(transaction, { userId, email, now }))) {
    throw new AppError('conflict', { reason: 'email_in_use' });
  }
  await deleteSpareInvitations(transaction, { userId, email });
  // What was mailed to the old address must not open the account any more.
  await endEmailTokens(transaction, { userId, purpose: 'confirmation', now });
  await endPasswordTokens(transaction, { userId, now });
}

/** One line in each organization of the account: one that the user has left must not learn the new address. */
async function note(transaction: Transaction, { userId, email }: LiveEmailToken, present: string): Promise<void> {
  const details = changedFields({ email: present }, { email });
  const line = { action: 'emailConfirm', objectType: 'user', objectId: present, details } as const;
  for (const organizationId of await organizationsOf(transaction, userId)) {
    await audit(transaction, { organizationId, email: present }, line);
  }
}
