// mutation emailChange: mails a token to the new address and a notice to the present one. emailConfirm makes the change.
import type { EmailChangeInput, MutationEmailChangeArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type AdminPool, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { type EveryField, inputRules } from '../platform/inputRules.ts';
import type { LiveCaller } from '../workspace/workspace.ts';
import type { Attempts } from './attempts.ts';
import { isEmailVerified, readEmail } from './emailAddress.ts';
import { mailChangeNotice, mailEmailToken } from './mails.ts';
import type { PasswordTokens } from './mailedTokens.ts';
import type { Passwords } from './passwords.ts';
import { findUserByEmail, lockUserWithPassword } from './usersStore.ts';

interface Needs {
  caller: LiveCaller;
  adminPool: AdminPool;
  prisma: PrismaClient;
  passwords: Passwords;
  passwordTokens: PasswordTokens;
  attempts: Attempts;
  address: string;
  now(): Date;
}

/**
 * Throws `validation_failed`, `rate_limited`, `invalid_credentials`. Returns true after the same work for an address in
 * use. The attempt counts also when it succeeds, because each one sends mails.
 */
export async function emailChange({ input }: MutationEmailChangeArgs, needs: Needs): Promise<true> {
  const { caller, adminPool, prisma, passwords, attempts, address } = needs;
  const { newEmail, password } = read(input);
  await attempts({ mutation: 'emailChange', account: caller.email, address });
  const compared = (await findUserByEmail(prisma, caller.email))?.passwordHash ?? null;
  if (!(await passwords.matches(compared, password, 'known'))) throw new AppError('invalid_credentials', undefined);
  await attempts.assertAskedMail({ account: newEmail, address });
  const noticed = await mayNotice(needs);
  await inTransaction(adminPool, (transaction) =>
    write(transaction, { newEmail, compared: compared!, noticed }, needs),
  );
  await attempts.clear({ account: caller.email, address });
  return true;
}

/** Nothing holds back the notice to an owner. An address that nobody has confirmed may be somebody else's mailbox. */
async function mayNotice({ caller, adminPool, attempts, address }: Needs): Promise<boolean> {
  if (await isEmailVerified(adminPool, caller.userId)) return true;
  return (await attempts.askedMail({ account: caller.email, address })) === 0;
}

async function write(
  transaction: Transaction,
  { newEmail, compared, noticed }: { newEmail: string; compared: string; noticed: boolean },
  needs: Needs,
): Promise<void> {
  const { userId, email } = needs.caller;
  // The lock keeps out other tokens of this user. A change of the password may have come first.
  if (!(await lockUserWithPassword(transaction, { userId, passwordHash: compared }))) {
    throw new AppError('invalid_credentials', undefined);
  }
  if (newEmail === email) {
    await mailEmailToken(transaction, { userId, purpose: 'confirmation', email }, needs);
    return;
  }
  await mailEmailToken(transaction, { userId, purpose: 'change', email: newEmail }, needs);
  if (noticed) await mailChangeNotice(transaction, { email, newEmail });
  await audit(transaction, needs.caller, { action: 'emailChange', objectType: 'user', objectId: email });
}

function read(input: EveryField<EmailChangeInput, Record<'newEmail' | 'password', true>>): EmailChangeInput {
  const rules = inputRules();
  const newEmail = readEmail(rules, 'input.newEmail', input.newEmail);
  rules.assert();
  return { newEmail, password: input.password };
}
