// mutation projectDelete: deletes a project together with its applications, in one transaction.
import type { MutationProjectDeleteArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { Caller } from './workspace.ts';
import { addRemovalJobs } from './removal.ts';
import { markProjectDeleted } from './workspaceEditsStore.ts';

interface Needs {
  caller: Caller;
  adminPool: AdminPool;
  now(): Date;
}

/** Throws `not_found`. */
export async function projectDelete(
  { id }: MutationProjectDeleteArgs,
  { caller, adminPool, now }: Needs,
): Promise<true> {
  const own = { organizationId: caller.organizationId, id };
  const at = now();
  await inTransaction(adminPool, async (transaction) => {
    const applications = await markProjectDeleted(transaction, own, at);
    if (!applications) throw new AppError('not_found', undefined);
    await addRemovalJobs(transaction, applications, at);
    const entry = { action: 'projectDelete', objectType: 'project', objectId: id } as const;
    await audit(transaction, caller, { ...entry, details: { applications } });
  });
  return true;
}
