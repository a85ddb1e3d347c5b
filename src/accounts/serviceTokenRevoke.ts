// mutation serviceTokenRevoke: ends a service token for good.
import type { MutationServiceTokenRevokeArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { Caller } from '../workspace/workspace.ts';
import { revokeServiceToken } from './serviceTokens.ts';

interface Needs {
  caller: Caller;
  adminPool: AdminPool;
  now(): Date;
}

/** Throws `not_found`. */
export async function serviceTokenRevoke(
  { id }: MutationServiceTokenRevokeArgs,
  { caller, adminPool, now }: Needs,
): Promise<true> {
  const { organizationId } = caller;
  await inTransaction(adminPool, async (transaction) => {
    const name = await revokeServiceToken(transaction, { organizationId, id, now: now() });
    if (name === null) throw new AppError('not_found', undefined);
    const entry = { action: 'serviceTokenRevoke', objectType: 'serviceToken', objectId: id } as const;
    await audit(transaction, caller, { ...entry, details: { name } });
  });
  return true;
}
