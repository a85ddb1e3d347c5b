// mutation login: logs a user in by e-mail address and password; every refusal looks the same and costs the same work.
import type { Pool } from 'pg';
import type { MutationLoginArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { isStorableText } from '../platform/inputRules.ts';
import type { WorkspaceLoaders } from '../workspace/workspaceLoaders.ts';
import type { Attempts } from './attempts.ts';
import { emailForm } from './emailAddress.ts';
import type { Passwords } from './passwords.ts';
import { loggedIn, startLogin, type LoggedIn, type LoginDeps, type LoginOrigin } from './startLogin.ts';
import { findUserByEmail } from './usersStore.ts';

interface Needs extends LoginDeps, LoginOrigin {
  adminPool: Pool;
  prisma: PrismaClient;
  passwords: Passwords;
  attempts: Attempts;
  loaders: WorkspaceLoaders;
}

/** Throws `invalid_credentials`, `rate_limited`. */
export async function login({ input }: MutationLoginArgs, needs: Needs): Promise<LoggedIn> {
  const email = emailForm(input.email);
  const place = { account: email, address: needs.address };
  const attempt = await needs.attempts({ mutation: 'login', ...place });
  const user = isStorableText(email) ? await findUserByEmail(needs.prisma, email) : null;
  const matches = await needs.passwords.matches(user?.passwordHash ?? null, input.password);
  const tokens = user?.passwordHash && matches && user.status === 'active' && (await start(user, needs));
  if (!tokens) throw new AppError('invalid_credentials', undefined);
  await attempt.succeeded();
  await needs.attempts.clear(place);
  await needs.attempts.noteLogin(place);
  return loggedIn(tokens, user, await needs.loaders.organization.load(user.organizationId));
}

function start({ id, passwordHash }: { id: string; passwordHash: string | null }, needs: Needs) {
  return inTransaction(needs.adminPool, (transaction) =>
    startLogin(transaction, { userId: id, passwordHash: passwordHash! }, needs),
  );
}
