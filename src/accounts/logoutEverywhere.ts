// mutation logoutEverywhere: ends every login session of the caller but the one of the bearer.
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import type { LiveCaller } from '../workspace/workspace.ts';
import { revokeOtherSessions } from './authenticate.ts';
import { lockUser } from './usersStore.ts';

interface Needs {
  caller: LiveCaller;
  adminPool: AdminPool;
  now(): Date;
}

export async function logoutEverywhere(_args: unknown, { caller, adminPool, now }: Needs): Promise<true> {
  const { userId, sessionId } = caller;
  await inTransaction(adminPool, async (transaction) => {
    // A login that is under way ends too, or begins after this commit.
    await lockUser(transaction, userId);
    await revokeOtherSessions(transaction, { userId, sessionId, now: now() });
  });
  return true;
}
