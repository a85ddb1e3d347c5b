// mutation updatePassword: sets a password with a mailed token, and ends the user's logins and open tokens.
import type { Pool } from 'pg';
import type { MutationUpdatePasswordArgs, UpdatePasswordInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules } from '../platform/inputRules.ts';
import type { Attempts } from './attempts.ts';
import { revokeLoginSessions } from './loginSessionsStore.ts';
import { checkNewPassword } from './passwordRules.ts';
import type { PasswordTokens } from './passwordTokens.ts';
import { endPasswordTokens, findUserOfToken } from './passwordTokensStore.ts';
import type { Passwords } from './passwords.ts';
import { lockUser, setPassword } from './userEditsStore.ts';

interface Needs {
  pool: Pool;
  passwords: Passwords;
  passwordTokens: PasswordTokens;
  attempts: Attempts;
  address: string;
  now(): Date;
}

/** Throws `validation_failed`, `invalid_token`, `rate_limited`. A refused attempt does not use up the token. */
export async function updatePassword({ input }: MutationUpdatePasswordArgs, needs: Needs): Promise<boolean> {
  const { pool, passwords, passwordTokens, attempts, address } = needs;
  await attempts({ mutation: 'updatePassword', account: input.token, address });
  check(input);
  const [hash, now] = [passwordTokens.hashOf(input.token), needs.now()];
  // Checks the token before the costly hash, and again under the lock.
  const userId = await findUserOfToken(pool, { hash, now });
  if (!userId) throw new AppError('invalid_token', undefined);
  const passwordHash = await passwords.hash(input.newPassword);
  await inTransaction(pool, async (client) => {
    // From here on no login of this user begins and no token is opened: what is ended below is all there is.
    const user = await lockUser(client, userId);
    if (!user || !(await findUserOfToken(client, { hash, now }))) throw new AppError('invalid_token', undefined);
    await setPassword(client, { userId, passwordHash });
    await revokeLoginSessions(client, { userId, now });
    await endPasswordTokens(client, { userId, now });
    await audit(client, user, { action: 'updatePassword', objectType: 'user', objectId: user.email });
  });
  return true;
}

function check({ newPassword, newPasswordRepeat }: UpdatePasswordInput): void {
  const rules = inputRules();
  checkNewPassword(rules, 'input.newPassword', newPassword);
  if (newPassword !== newPasswordRepeat) rules.refuse('input.newPasswordRepeat', 'must be the same password');
  rules.assert();
}
