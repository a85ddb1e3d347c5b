// query applications: the applications of the caller's organization, or of one of its projects, oldest first.
import type { QueryApplicationsArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { withinBudget, type ResponseBudget } from '../platform/responseBudget.ts';
import { AppError } from '../platform/errors.ts';
import {
  type Caller,
  findApplicationsOfOrganization,
  findApplicationsOfProjects,
  findOwnProject,
  reaches,
  type SeenApplication,
  seenBy,
} from './workspace.ts';

/** Throws `not_found` for a project that the organization does not have, or of which a service token reaches nothing. */
export async function applications(
  { projectId }: Partial<QueryApplicationsArgs>,
  { caller, prisma, budget }: { caller: Caller; prisma: PrismaClient; budget: ResponseBudget },
): Promise<SeenApplication[]> {
  const { organizationId } = caller;
  if (projectId && !(await findOwnProject(prisma, { organizationId, id: projectId }))) {
    throw new AppError('not_found', undefined);
  }
  const rows = await withinBudget(budget, ({ limit }) =>
    projectId
      ? findApplicationsOfProjects(prisma, [projectId], limit)
      : findApplicationsOfOrganization(prisma, organizationId, limit),
  );
  const reached = rows.filter(({ id }) => reaches(caller, id));
  if (projectId && caller.service?.applicationIds && reached.length === 0) throw new AppError('not_found', undefined);
  return reached.map((row) => seenBy(caller, row));
}
