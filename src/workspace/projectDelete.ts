// mutation projectDelete: deletes a project together with its applications, in one transaction.
import type { MutationProjectDeleteArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { addRemovalJobs } from './removal.ts';
import type { EditNeeds } from './workspace.ts';

/** Throws `not_found`. */
export async function projectDelete(
  { id }: MutationProjectDeleteArgs,
  { caller, adminPool, now }: EditNeeds,
): Promise<true> {
  const { organizationId } = caller;
  const deletedAt = now();
  await inTransaction(adminPool, async (transaction) => {
    const { project, application } = transaction.prisma;
    // Erases the project's name and picture at once, so that no job has to.
    const erased = { name: '', image: null };
    const { count } = await project.updateMany({
      where: { id, organizationId, deletedAt: null },
      data: { ...erased, deletedAt },
    });
    if (count === 0) throw new AppError('not_found', undefined);
    const deleted = await application.updateManyAndReturn({
      where: { projectId: id, deletedAt: null },
      data: { deletedAt },
      select: { id: true },
    });
    const applications = deleted.map((each) => each.id).sort();
    await addRemovalJobs(transaction, applications, deletedAt);
    const entry = { action: 'projectDelete', objectType: 'project', objectId: id } as const;
    await audit(transaction, caller, { ...entry, details: { applications } });
  });
  return true;
}
