// mutation passwordChange: sets a new password for the current one, and ends the user's other logins and open tokens.
import type { MutationPasswordChangeArgs, PasswordChangeInput } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type AdminPool, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { type EveryField, inputRules } from '../platform/inputRules.ts';
import type { LiveCaller } from '../workspace/workspace.ts';
import type { Attempts } from './attempts.ts';
import { endEmailTokens, endPasswordTokens } from './mailedTokens.ts';
import { revokeOtherSessions } from './authenticate.ts';
import { checkNewPassword, type Passwords } from './passwords.ts';
import { findUserByEmail, lockUserWithPassword, setPassword } from './usersStore.ts';

interface Needs {
  caller: LiveCaller;
  adminPool: AdminPool;
  prisma: PrismaClient;
  passwords: Passwords;
  attempts: Attempts;
  address: string;
  now(): Date;
}

/** Throws `validation_failed`, `rate_limited`, `invalid_credentials`. */
export async function passwordChange({ input }: MutationPasswordChangeArgs, needs: Needs): Promise<true> {
  const { caller, adminPool, prisma, passwords, attempts, address } = needs;
  const { currentPassword, newPassword } = read(input);
  const attempt = await attempts({ mutation: 'passwordChange', account: caller.email, address });
  const user = await findUserByEmail(prisma, caller.email);
  const compared = user?.passwordHash ?? null;
  if (!(await passwords.matches(compared, currentPassword, 'known')))
    throw new AppError('invalid_credentials', undefined);
  const passwordHash = await passwords.hash(newPassword, 'known');
  const change = { compared: compared!, passwordHash };
  await inTransaction(adminPool, (transaction) => write(transaction, change, needs));
  await attempt.succeeded();
  await attempts.clear({ account: caller.email, address });
  return true;
}

async function write(
  transaction: Transaction,
  { compared, passwordHash }: { compared: string; passwordHash: string },
  { caller, now }: Needs,
): Promise<void> {
  const { userId, sessionId, email } = caller;
  const at = now();
  // The lock keeps out new logins and tokens of this user. Another change of the password may have come first.
  if (!(await lockUserWithPassword(transaction, { userId, passwordHash: compared }))) {
    throw new AppError('invalid_credentials', undefined);
  }
  await setPassword(transaction, { userId, passwordHash });
  await revokeOtherSessions(transaction, { userId, sessionId, now: at });
  await endPasswordTokens(transaction, { userId, now: at });
  await endEmailTokens(transaction, { userId, purpose: 'change', now: at });
  await audit(transaction, caller, { action: 'passwordChange', objectType: 'user', objectId: email });
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
