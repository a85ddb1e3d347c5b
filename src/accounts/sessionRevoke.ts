// mutation sessionRevoke: ends one login session of the caller.
import type { MutationSessionRevokeArgs } from '../../generated/graphql.ts';
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { Caller } from '../workspace/workspace.ts';
import { revokeOwnSession } from './authenticate.ts';

interface Needs {
  caller: Caller;
  adminPool: AdminPool;
  now(): Date;
}

/** Throws `not_found`. */
export async function sessionRevoke(
  { id }: MutationSessionRevokeArgs,
  { caller, adminPool, now }: Needs,
): Promise<true> {
  const session = { userId: caller.userId, id, now: now() };
  const revoked = await inTransaction(adminPool, (transaction) => revokeOwnSession(transaction, session));
  if (!revoked) throw new AppError('not_found', undefined);
  return true;
}
