// mutation apiKeyRevoke: revokes a key, so that within a second the public API no longer knows it.
import type { MutationApiKeyRevokeArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { isStorableText } from '../platform/inputRules.ts';
import type { Caller } from './workspace.ts';
import { markKeyRevoked } from './workspaceEditsStore.ts';

interface Needs {
  caller: Caller;
  adminPool: AdminPool;
  now(): Date;
}

/** Throws `not_found`. */
export async function apiKeyRevoke(args: MutationApiKeyRevokeArgs, { caller, adminPool, now }: Needs): Promise<true> {
  if (!isStorableText(args.public)) throw new AppError('not_found', undefined);
  const key = { organizationId: caller.organizationId, publicKey: args.public, now: now() };
  await inTransaction(adminPool, async (transaction) => {
    const revoked = await markKeyRevoked(transaction, key);
    if (!revoked) throw new AppError('not_found', undefined);
    const entry = { action: 'apiKeyRevoke', objectType: 'apiKey', objectId: args.public } as const;
    await audit(transaction, caller, { ...entry, details: { applicationId: revoked.applicationId } });
  });
  return true;
}
