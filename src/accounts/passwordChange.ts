// mutation passwordChange: sets a new password for the current one, and ends the user's other logins and open tokens.
import type { MutationPasswordChangeArgs, PasswordChangeInput } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { type EveryField, inputRules } from '../platform/inputRules.ts';
import type { EditNeeds } from '../workspace/workspace.ts';
import type { Attempts } from './attempts.ts';
import { revokeLoginSessions } from './authenticate.ts';
import { endEmailTokens, endPasswordTokens } from './mailedTokens.ts';
import { checkNewPassword, type Passwords } from './passwords.ts';
import { findUserByEmail, lockUserWithPassword, setPassword } from './usersStore.ts';

/** Throws `validation_failed`, `rate_limited`, `invalid_credentials`. */
export async function passwordChange({ input }: MutationPasswordChangeArgs, needs: OwnAccountNeeds): Promise<true> {
  const { caller, adminPool, passwords, attempts, address } = needs;
  const { userId, sessionId, email } = caller;
  const { currentPassword, newPassword } = read(input);
  const attempt = await attempts({ mutation: 'passwordChange', account: email, address });
  const compared = await compareOwnPassword(currentPassword, needs);
  const passwordHash = await passwords.hash(newPassword, 'known');
  await inTransaction(adminPool, async (transaction) => {
    const now = needs.now();
    // The lock keeps out new logins and tokens of this user.
    await lockUserWithPassword(transaction, { userId, passwordHash: compared });
    await setPassword(transaction, { userId, passwordHash });
    await revokeLoginSessions(transaction, { userId, id: { not: sessionId } }, now);
    await endPasswordTokens(transaction, { userId }, now);
    await endEmailTokens(transaction, { userId, purpose: 'change' }, now);
    await audit(transaction, caller, { action: 'passwordChange', objectType: 'user', objectId: email });
  });
  await attempt.succeeded();
  await attempts.clear({ account: email, address });
  return true;
}

export interface OwnAccountNeeds extends EditNeeds {
  prisma: PrismaClient;
  passwords: Passwords;
  attempts: Attempts;
  address: string;
}

/**
 * For a bearer who gives the account's password again. Returns the hash with which it was compared, for
 * `lockUserWithPassword`: another change of the password may come first. Throws `invalid_credentials`.
 */
export async function compareOwnPassword(
  password: string,
  { caller, prisma, passwords }: OwnAccountNeeds,
): Promise<string> {
  const passwordHash = (await findUserByEmail(prisma, caller.email))?.passwordHash ?? null;
  const matches = await passwords.matches(passwordHash, password, 'known');
  if (passwordHash === null || !matches) throw new AppError('invalid_credentials', undefined);
  return passwordHash;
}

type Fields = 'currentPassword' | 'newPassword' | 'newPasswordRepeat';

function read(input: EveryField<PasswordChangeInput, Record<Fields, true>>): PasswordChangeInput {
  const { newPassword, newPasswordRepeat } = input;
  const rules = inputRules();
  checkNewPassword(rules, 'input.newPassword', newPassword);
  if (newPassword !== newPasswordRepeat) rules.refuse('input.newPasswordRepeat', 'must be the same password');
  rules.assert();
  return input;
}
