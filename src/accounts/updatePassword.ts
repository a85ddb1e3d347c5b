// mutation updatePassword: sets a password with a mailed token, and ends the user's logins and open tokens.
import type { Pool } from 'pg';
import type { MutationUpdatePasswordArgs, UpdatePasswordInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules } from '../platform/inputRules.ts';
import type { Attempts } from './attempts.ts';
import { noteEmailVerified } from './emailAddressStore.ts';
import { endEmailTokens } from './emailTokensStore.ts';
import { revokeLoginSessions } from './loginSessionsStore.ts';
import { checkNewPassword } from './passwordRules.ts';
import type { PasswordTokens } from './passwordTokens.ts';
import { endPasswordTokens, findUserOfToken } from './passwordTokensStore.ts';
import type { Passwords } from './passwords.ts';
import { lockUser, setPassword } from './userEditsStore.ts';

interface Needs {
  adminPool: Pool;
  passwords: Passwords;
  passwordTokens: PasswordTokens;
  attempts: Attempts;
  address: string;
  now(): Date;
}

/** Throws `validation_failed`, `invalid_token`, `rate_limited`. A refused attempt does not use up the token. */
export async function updatePassword({ input }: MutationUpdatePasswordArgs, needs: Needs): Promise<boolean> {
  const { adminPool, passwords, passwordTokens, attempts, address } = needs;
  const attempt = await attempts({ mutation: 'updatePassword', account: input.token, address });
  check(input);
  const [hash, now] = [passwordTokens.hashOf(input.token), needs.now()];
  // Checks the token before the costly hash, and again under the lock.
  const userId = await findUserOfToken(adminPool, { hash, now });
  if (!userId) throw new AppError('invalid_token', undefined);
  const passwordHash = await passwords.hash(input.newPassword);
  const email = await inTransaction(adminPool, async (transaction) => {
    // The lock keeps out new logins and tokens of this user, so the statements below end all of them.
    const user = await lockUser(transaction, userId);
    if (!user || !(await findUserOfToken(transaction, { hash, now }))) throw new AppError('invalid_token', undefined);
    await setPassword(transaction, { userId, passwordHash });
    await revokeLoginSessions(transaction, { userId, now });
    await endPasswordTokens(transaction, { userId, now });
    // Whoever has asked for a change with the old password can no longer confirm it.
    await endEmailTokens(transaction, { userId, purpose: 'change', now });
    await noteEmailVerified(transaction, { userId, now });
    await audit(transaction, user, { action: 'updatePassword', objectType: 'user', objectId: user.email });
    return user.email;
  });
  await attempt.succeeded();
  await attempts.clear({ account: email, address });
  return true;
}

function check({ newPassword, newPasswordRepeat }: UpdatePasswordInput): void {
  const rules = inputRules();
  checkNewPassword(rules, 'input.newPassword', newPassword);
  if (newPassword !== newPasswordRepeat) rules.refuse('input.newPasswordRepeat', 'must be the same password');
  rules.assert();
}
