// mutation signup: creates an organization and its owner, and logs the owner in.
import type { MutationSignupArgs, RegistrationUserInput } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { type EveryField, inputRules, newId } from '../platform/inputRules.ts';
import { insertOrganization } from '../workspace/workspace.ts';
import type { Attempts } from './attempts.ts';
import { emailForm, readEmail } from './emailAddress.ts';
import { mailEmailToken } from './mails.ts';
import {
  finishLogin,
  type FinishNeeds,
  type LoggedIn,
  type LoginDeps,
  type LoginOrigin,
  startLogin,
} from './startLogin.ts';
import { insertMembership } from './members.ts';
import { checkNewPassword, type Passwords } from './passwords.ts';
import type { PasswordTokens } from './mailedTokens.ts';
import { assertMaySignUp, holdFirstPlace, type SignupPolicy } from './signupPolicy.ts';
import { insertUser } from './usersStore.ts';

interface Needs extends FinishNeeds, LoginDeps, LoginOrigin {
  passwords: Passwords;
  passwordTokens: PasswordTokens;
  signup: SignupPolicy;
  attempts: Attempts;
}

/** Throws `signup_closed`, `validation_failed`, `conflict` (the e-mail address is in use), `rate_limited`. */
export async function signup({ input }: MutationSignupArgs, needs: Needs): Promise<LoggedIn> {
  const { adminPool, passwords, attempts, address, now } = needs;
  const account = emailForm(input.email);
  await attempts({ mutation: 'signup', account, address });
  await assertMaySignUp(adminPool, needs.signup);
  const { email, name, organizationName } = read(input);
  // The account works without its mail, which `emailChange` sends again.
  const mayMail = (await attempts.askedMail({ account: email, address })) === 0;
  const passwordHash = await passwords.hash(input.password, 'stranger');
  const organization = { id: newId(), name: organizationName, logo: null };
  const user = { id: newId(), email, name, passwordHash, emailVerifiedAt: null, now: now() };
  const [userId, organizationId] = [user.id, organization.id];
  const tokens = await inTransaction(adminPool, async (transaction) => {
    await holdFirstPlace(transaction, needs.signup);
    await insertOrganization(transaction, { ...organization, now: now() });
    if (!(await insertUser(transaction, user))) throw new AppError('conflict', { reason: 'email_in_use' });
    await insertMembership(transaction, { id: newId(), organizationId, userId, role: 'owner', now: now() });
    if (mayMail) await mailEmailToken(transaction, { userId, purpose: 'confirmation', email }, needs);
    const started = await startLogin(transaction, { userId, organizationId }, needs);
    await audit(
      transaction,
      { organizationId, email },
      { action: 'signup', objectType: 'organization', objectId: organization.id },
    );
    return started;
  });
  if (!tokens) throw new Error('the user is not there in the transaction that inserted it');
  await attempts.noteLogin({ account, address });
  return finishLogin(tokens, { userId, organizationId }, needs);
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
