// mutation logout: ends the login session of the caller's bearer, with its access tokens and refresh tokens.
import { inTransaction } from '../platform/database/transaction.ts';
import type { EditNeeds } from '../workspace/workspace.ts';
import { revokeLoginSessions } from './authenticate.ts';

export async function logout(_args: unknown, { caller, adminPool, now }: EditNeeds): Promise<true> {
  const session = { userId: caller.userId, id: caller.sessionId };
  await inTransaction(adminPool, (transaction) => revokeLoginSessions(transaction, session, now()));
  return true;
}
