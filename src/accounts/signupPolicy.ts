// Who may sign up: everybody, the first user, or nobody (schema.graphql, "Sign-up").
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { prepared } from '../platform/database/sql.ts';
import type { AdminTransaction, PrismaModels, Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { Log } from '../platform/observability/log.ts';
import { matchesHash } from '../platform/passwordHash.ts';
import { findUserByEmail } from './usersStore.ts';

export type SignupPolicy = 'open' | 'first' | 'closed';

/** Throws `signup_closed`. Asked before the password's costly hash. */
export async function assertMaySignUp(prisma: PrismaModels, policy: SignupPolicy): Promise<void> {
  if (policy === 'open') return;
  if (policy === 'closed' || (await hasUser(prisma))) throw new AppError('signup_closed', undefined);
}

/** The same under a lock: of two first users at once, the second finds the first. Throws `signup_closed`. */
export async function holdFirstPlace(transaction: AdminTransaction, policy: SignupPolicy): Promise<void> {
  if (policy === 'first') await lockFirstUser(transaction);
  await assertMaySignUp(transaction.prisma, policy);
}

/** The demo's user, whom a start outside production made, is nobody: otherwise production could have no first user. */
async function hasUser(prisma: PrismaModels): Promise<boolean> {
  const where = { OR: [{ id: { not: demoUserId } }, { email: { not: demoLogin.email } }] };
  return (await prisma.user.findFirst({ where, select: { id: true } })) !== null;
}

/** SQL, because it locks. Waits until no other transaction makes a first user. */
export async function lockFirstUser(transaction: Transaction): Promise<void> {
  await transaction.query(prepared('lock_first_user')`/* accounts: lockFirstUser */
    SELECT pg_advisory_xact_lock(hashtext('first_user'))`);
}

// The published login of the demo workspace. Outside production each start makes it; in production its password opens nothing.

/** No sign-up makes this id. */
export const demoUserId = '00000000-0000-7000-8000-000000000002';
export const demoLogin = { email: 'demo@example.com', password: 'demo-password-for-development' };

/** For a start in production: a process outside production has used this database once. */
export async function warnOfDemoLogin({ prisma, log }: { prisma: PrismaClient; log: Log }): Promise<void> {
  const user = await findUserByEmail(prisma, demoLogin.email);
  if (!user?.passwordHash || !(await matchesHash(user.passwordHash, demoLogin.password))) return;
  log.warn(
    { email: demoLogin.email },
    'the database has the login of the demo: production refuses its published password',
  );
}
