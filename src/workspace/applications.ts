// query applications: the applications of the caller's organization, or of one of its projects, oldest first.
import type { QueryApplicationsArgs } from '../../generated/graphql.ts';
import { withinBudget } from '../platform/responseBudget.ts';
import { AppError } from '../platform/errors.ts';
import { canAccess, oldestFirst, type ReadNeeds, type ViewedApplication, withViewer } from './workspace.ts';

/** Throws `not_found` for a project that the organization does not have, or of which a service token may access nothing. */
export async function applications(
  { projectId }: Partial<QueryApplicationsArgs>,
  { caller, prisma, budget }: ReadNeeds,
): Promise<ViewedApplication[]> {
  const { organizationId } = caller;
  if (projectId) {
    const project = await prisma.project.findFirst({ where: { id: projectId, organizationId, deletedAt: null } });
    if (!project) throw new AppError('not_found', undefined);
  }
  const where = { deletedAt: null, ...(projectId ? { projectId } : { project: { organizationId } }) };
  const rows = await withinBudget(budget, ({ limit: take }) =>
    prisma.application.findMany({ where, orderBy: oldestFirst, take }),
  );
  const accessible = rows.filter(({ id }) => canAccess(caller, id));
  if (projectId && caller.service?.applicationIds && accessible.length === 0)
    throw new AppError('not_found', undefined);
  return accessible.map((row) => withViewer(caller, row));
}
