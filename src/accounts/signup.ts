// mutation signup: creates an organization and its owner, and logs the owner in.
import type { MutationSignupArgs, RegistrationUserInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { type EveryField, inputRules, newId } from '../platform/inputRules.ts';
import { emailForm, readEmail } from './emailAddress.ts';
import { mailEmailToken } from './mails.ts';
import { finishLogin, type LoggedIn, type LoginNeeds, startLogin } from './startLogin.ts';
import { foundOrganization } from './members.ts';
import { checkNewPassword, type Passwords } from './passwords.ts';
import type { PasswordTokens } from './mailedTokens.ts';
import { assertMaySignUp, holdFirstPlace, type SignupPolicy } from './signupPolicy.ts';
import { insertUser } from './usersStore.ts';

interface Needs extends LoginNeeds {
  passwords: Passwords;
  passwordTokens: PasswordTokens;
  signup: SignupPolicy;
}

/** Throws `signup_closed`, `validation_failed`, `conflict` (the e-mail address is in use), `rate_limited`. */
export async function signup({ input }: MutationSignupArgs, needs: Needs): Promise<LoggedIn> {
  const { adminPool, passwords, attempts, address, now } = needs;
  const account = emailForm(input.email);
  await attempts({ mutation: 'signup', account, address });
  await assertMaySignUp(needs.prisma, needs.signup);
  const { email, name, organizationName } = read(input);
  // The account works without its mail, which `emailChange` sends again.
  const mayMail = (await attempts.askedMail({ account: email, address })) === 0;
  const passwordHash = await passwords.hash(input.password, 'stranger');
  const user = { id: newId(), email, name, passwordHash, emailVerifiedAt: null, createdAt: now() };
  const entry = { userId: user.id, organizationId: newId() };
  const { userId, organizationId } = entry;
  const tokens = await inTransaction(adminPool, async (transaction) => {
    await holdFirstPlace(transaction, needs.signup);
    if (!(await insertUser(transaction, user))) throw new AppError('conflict', { reason: 'email_in_use' });
    await foundOrganization(transaction, { id: organizationId, name: organizationName, userId, now: now() });
    if (mayMail) await mailEmailToken(transaction, { userId, purpose: 'confirmation', email }, needs);
    const started = await startLogin(transaction, entry, needs);
    const line = { action: 'signup', objectType: 'organization', objectId: organizationId } as const;
    await audit(transaction, { organizationId, email }, line);
    return started;
  });
  if (!tokens) throw new Error('the user is not there in the transaction that inserted it');
  await attempts.noteLogin({ account, address });
  return finishLogin(tokens, entry, needs);
}

type Fields = 'email' | 'password' | 'organization' | 'name';

function read(input: EveryField<RegistrationUserInput, Record<Fields, true>>) {
  const rules = inputRules();
  const email = readEmail(rules, 'input.email', input.email);
  checkNewPassword(rules, 'input.password', input.password);
  const organizationName = rules.name('input.organization', input.organization);
  const name = rules.name('input.name', input.name);
  rules.assert();
  return { email, name, organizationName };
}
