// mutation login: logs a user in by e-mail address and password; every refusal looks the same and costs the same work.
import type { MutationLoginArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { isStorableText } from '../platform/inputRules.ts';
import type { Attempts } from './attempts.ts';
import { emailForm } from './emailAddress.ts';
import {
  type Entry,
  finishLogin,
  type FinishNeeds,
  type LoggedIn,
  type LoginDeps,
  type LoginOrigin,
  startLogin,
  type TokenPair,
} from './startLogin.ts';
import { openChallenge } from './loginChallenges.ts';
import { findLastOrganization } from './members.ts';
import type { Passwords } from './passwords.ts';
import { findUserByEmail, lockUserWithPassword } from './usersStore.ts';

interface Needs extends FinishNeeds, LoginDeps, LoginOrigin {
  prisma: PrismaClient;
  passwords: Passwords;
  attempts: Attempts;
}

/** Throws `invalid_credentials`, `rate_limited`, `no_organization`. */
export async function login({ input }: MutationLoginArgs, needs: Needs): Promise<LoggedIn> {
  const email = emailForm(input.email);
  const place = { account: email, address: needs.address };
  const attempt = await needs.attempts({ mutation: 'login', ...place });
  const user = isStorableText(email) ? await findUserByEmail(needs.prisma, email) : null;
  const passwordHash = user?.passwordHash ?? null;
  const matches = await needs.passwords.matches(passwordHash, input.password, attempt.asker);
  const started = user && passwordHash && matches && (await start({ userId: user.id, passwordHash }, needs));
  if (!started) throw new AppError('invalid_credentials', undefined);
  await attempt.succeeded();
  await needs.attempts.clear(place);
  await needs.attempts.noteLogin(place);
  if ('challenge' in started) throw new AppError('no_organization', started);
  return finishLogin(started.tokens, started.entry, needs);
}

type Started = { tokens: TokenPair; entry: Entry } | { challenge: string };

/** In the organization that the user used last. Null when the user has got another password since the comparison. */
function start(user: { userId: string; passwordHash: string }, needs: Needs): Promise<Started | null> {
  return inTransaction(needs.adminPool, async (transaction) => {
    if (!(await lockUserWithPassword(transaction, user))) return null;
    const organizationId = await findLastOrganization(transaction, user.userId);
    if (!organizationId) return { challenge: await openChallenge(transaction, user.userId, needs.now()) };
    const entry = { ...user, organizationId };
    const tokens = await startLogin(transaction, entry, needs);
    return tokens && { tokens, entry };
  });
}
