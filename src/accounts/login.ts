// mutation login: logs a user in by e-mail address and password; every refusal looks the same and costs the same work.
import type { MutationLoginArgs } from '../../generated/graphql.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { isStorableText } from '../platform/inputRules.ts';
import { emailForm } from './emailAddress.ts';
import { finishLogin, type LoggedIn, type LoginNeeds, startLogin } from './startLogin.ts';
import { openChallenge } from './loginChallenges.ts';
import type { Passwords } from './passwords.ts';
import { findUserByEmail, lockUserWithPassword } from './usersStore.ts';

interface Needs extends LoginNeeds {
  passwords: Passwords;
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
  if (started.challenge !== undefined) throw new AppError('no_organization', { challenge: started.challenge });
  return finishLogin(started.tokens, started.entry, needs);
}

/** In the organization that the user used last; in the first one, when the user was never anywhere. */
function start(user: { userId: string; passwordHash: string }, needs: Needs) {
  return inTransaction(needs.adminPool, async (transaction) => {
    await lockUserWithPassword(transaction, user);
    const last = await transaction.prisma.membership.findFirst({
      where: { userId: user.userId, status: 'active' },
      orderBy: [{ lastUsedAt: { sort: 'desc', nulls: 'last' } }, { acceptedAt: 'asc' }, { id: 'asc' }],
      select: { organizationId: true },
    });
    if (!last) return { challenge: await openChallenge(transaction, user.userId, needs.now()) };
    const entry = { ...user, ...last };
    const tokens = await startLogin(transaction, entry, needs);
    return tokens && { tokens, entry };
  });
}
