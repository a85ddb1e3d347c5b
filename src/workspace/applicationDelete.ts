// mutation applicationDelete: deletes an application, whose keys get 404 as soon as all processes have dropped them from their directories.
import type { MutationApplicationDeleteArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type AdminPool } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { reaches, type Caller } from './workspace.ts';
import { addRemovalJobs } from './removal.ts';
import { markApplicationDeleted } from './workspaceEditsStore.ts';

interface Needs {
  caller: Caller;
  adminPool: AdminPool;
  now(): Date;
}

/** Throws `not_found`. */
export async function applicationDelete(
  { id }: MutationApplicationDeleteArgs,
  { caller, adminPool, now }: Needs,
): Promise<true> {
  const own = { organizationId: caller.organizationId, id };
  if (!reaches(caller, id)) throw new AppError('not_found', undefined);
  const at = now();
  await inTransaction(adminPool, async (transaction) => {
    if (!(await markApplicationDeleted(transaction, own, at))) throw new AppError('not_found', undefined);
    await addRemovalJobs(transaction, [id], at);
    await audit(transaction, caller, { action: 'applicationDelete', objectType: 'application', objectId: id });
  });
  return true;
}
