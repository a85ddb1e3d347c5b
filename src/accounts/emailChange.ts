// mutation emailChange: mails a token to the new address and a notice to the present one. emailConfirm makes the change.
import type { EmailChangeInput, MutationEmailChangeArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { type AdminTransaction, inTransaction } from '../platform/database/transaction.ts';
import { type EveryField, inputRules, newId } from '../platform/inputRules.ts';
import { readEmail } from './emailAddress.ts';
import type { PasswordTokens } from './mailedTokens.ts';
import { addEmailMail, mailEmailToken } from './mails.ts';
import { compareOwnPassword, type OwnAccountNeeds } from './passwordChange.ts';
import { isEmailVerified, lockUserWithPassword } from './usersStore.ts';

interface Needs extends OwnAccountNeeds {
  passwordTokens: PasswordTokens;
}

/**
 * Throws `validation_failed`, `rate_limited`, `invalid_credentials`. Returns true after the same work for an address in
 * use. The attempt counts also when it succeeds, because each one sends mails.
 */
export async function emailChange({ input }: MutationEmailChangeArgs, needs: Needs): Promise<true> {
  const { caller, adminPool, attempts, address } = needs;
  const { newEmail, password } = read(input);
  await attempts({ mutation: 'emailChange', account: caller.email, address });
  const passwordHash = await compareOwnPassword(password, needs);
  await attempts.assertAskedMail({ account: newEmail, address });
  const noticed = await mayNotice(needs);
  await inTransaction(adminPool, async (transaction) => {
    // The lock keeps out other tokens of this user.
    await lockUserWithPassword(transaction, { userId: caller.userId, passwordHash });
    await write(transaction, { newEmail, noticed }, needs);
  });
  await attempts.clear({ account: caller.email, address });
  return true;
}

/** Nothing holds back the notice to an owner. An address that nobody has confirmed may be somebody else's mailbox. */
async function mayNotice({ caller, prisma, attempts, address }: Needs): Promise<boolean> {
  if (await isEmailVerified(prisma, caller.userId)) return true;
  return (await attempts.askedMail({ account: caller.email, address })) === 0;
}

async function write(
  transaction: AdminTransaction,
  { newEmail, noticed }: { newEmail: string; noticed: boolean },
  needs: Needs,
): Promise<void> {
  const { userId, email } = needs.caller;
  const purpose = newEmail === email ? 'confirmation' : 'change';
  await mailEmailToken(transaction, { userId, purpose, email: newEmail }, needs);
  if (purpose === 'confirmation') return;
  if (noticed) await addEmailMail(transaction, { mailId: newId(), purpose: 'notice', email, newEmail });
  await audit(transaction, needs.caller, { action: 'emailChange', objectType: 'user', objectId: email });
}

function read(input: EveryField<EmailChangeInput, Record<'newEmail' | 'password', true>>): EmailChangeInput {
  const rules = inputRules();
  const newEmail = readEmail(rules, 'input.newEmail', input.newEmail);
  rules.assert();
  return { newEmail, password: input.password };
}
