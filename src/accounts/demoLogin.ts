// The published login of the demo workspace. Outside production each start makes it; in production its password opens nothing.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { Log } from '../platform/observability/log.ts';
import { matchesHash } from '../platform/passwordHash.ts';
import { findUserByEmail } from './usersStore.ts';

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
