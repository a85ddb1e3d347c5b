// mutation sessionRevoke: ends one login session of the caller.
import type { MutationSessionRevokeArgs } from '../../generated/graphql.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { EditNeeds } from '../workspace/workspace.ts';
import { revokeLoginSessions } from './authenticate.ts';

/** Throws `not_found`. */
export async function sessionRevoke(
  { id }: MutationSessionRevokeArgs,
  { caller, adminPool, now }: EditNeeds,
): Promise<true> {
  const at = now();
  const live = { userId: caller.userId, id, expiresAt: { gt: at } };
  const revoked = await inTransaction(adminPool, (transaction) => revokeLoginSessions(transaction, live, at));
  if (revoked === 0) throw new AppError('not_found', undefined);
  return true;
}
