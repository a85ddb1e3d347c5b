// mutation logout: ends the login session of the caller's bearer, with its access tokens and refresh tokens.
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import type { LiveCaller } from '../workspace/workspace.ts';
import { revokeLoginSession } from './authenticate.ts';

interface Needs {
  caller: LiveCaller;
  adminPool: AdminPool;
  now(): Date;
}

export async function logout(_args: unknown, { caller, adminPool, now }: Needs): Promise<true> {
  const session = { id: caller.sessionId, now: now() };
  await inTransaction(adminPool, (transaction) => revokeLoginSession(transaction, session));
  return true;
}
