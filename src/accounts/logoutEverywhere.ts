// mutation logoutEverywhere: ends every login session of the caller but the one of the bearer.
import { inTransaction } from '../platform/database/transaction.ts';
import type { EditNeeds } from '../workspace/workspace.ts';
import { revokeLoginSessions } from './authenticate.ts';
import { lockUser } from './usersStore.ts';

export async function logoutEverywhere(_args: unknown, { caller, adminPool, now }: EditNeeds): Promise<true> {
  const { userId, sessionId } = caller;
  await inTransaction(adminPool, async (transaction) => {
    // A login that is under way ends too, or begins after this commit.
    await lockUser(transaction, userId);
    await revokeLoginSessions(transaction, { userId, id: { not: sessionId } }, now());
  });
  return true;
}
