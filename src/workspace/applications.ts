// query applications: those of the caller's organization, or of one of its projects, oldest first.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { QueryApplicationsArgs } from '../../generated/graphql.ts';
import { AppError } from '../platform/errors.ts';
import { seenBy, type Caller } from './caller.ts';
import type { SeenApplication } from './nestedFields.ts';
import {
  findApplicationsOfOrganization,
  findApplicationsOfProjects,
  findOwnProject,
  type ApplicationRecord,
} from './workspaceStore.ts';

/** Throws `not_found` for a project that is not the organization's. */
export async function applications(
  { projectId }: Partial<QueryApplicationsArgs>,
  { caller, prisma }: { caller: Caller; prisma: PrismaClient },
): Promise<SeenApplication[]> {
  const rows = await (projectId
    ? applicationsOfProject(prisma, { organizationId: caller.organizationId, id: projectId })
    : findApplicationsOfOrganization(prisma, caller.organizationId));
  return rows.map((row) => seenBy(caller, row));
}

async function applicationsOfProject(
  prisma: PrismaClient,
  project: { organizationId: string; id: string },
): Promise<ApplicationRecord[]> {
  if (!(await findOwnProject(prisma, project))) throw new AppError('not_found', undefined);
  return findApplicationsOfProjects(prisma, [project.id]);
}
