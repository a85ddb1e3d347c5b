// query me: the caller's user.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { Caller } from '../workspace/caller.ts';
import { findUser, type UserRecord } from './usersStore.ts';

export async function me(
  _args: unknown,
  { caller, prisma }: { caller: Caller; prisma: PrismaClient },
): Promise<UserRecord> {
  const user = await findUser(prisma, caller.userId);
  if (!user) throw new Error('the user of a live login is gone');
  return user;
}
