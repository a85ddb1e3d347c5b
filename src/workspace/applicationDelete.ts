// mutation applicationDelete: deletes an application, whose keys get 404 as soon as all processes have dropped them from their directories.
import type { MutationApplicationDeleteArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { addRemovalJobs } from './removal.ts';
import { canAccess, type EditNeeds } from './workspace.ts';
import { lockApplication } from './workspaceEditsStore.ts';

/** Throws `not_found`. */
export async function applicationDelete(
  { id }: MutationApplicationDeleteArgs,
  { caller, adminPool, now }: EditNeeds,
): Promise<true> {
  const own = { organizationId: caller.organizationId, id };
  if (!canAccess(caller, id)) throw new AppError('not_found', undefined);
  const at = now();
  await inTransaction(adminPool, async (transaction) => {
    if (!(await lockApplication(transaction, own))) throw new AppError('not_found', undefined);
    await transaction.prisma.application.updateMany({ where: { id }, data: { deletedAt: at } });
    await addRemovalJobs(transaction, [id], at);
    await audit(transaction, caller, { action: 'applicationDelete', objectType: 'application', objectId: id });
  });
  return true;
}
