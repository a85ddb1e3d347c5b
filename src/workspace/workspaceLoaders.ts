// Loads the workspace for nested fields: one statement for each kind of row, for all parents together.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import type { AnswerBudget } from '../platform/answerBudget.ts';
import { batchLists, batchRows, type Batch } from '../platform/batch.ts';
import {
  countProjectsOfOrganizations,
  findApplications,
  findApplicationsOfProjects,
  findApplicationsWithCredentials,
  findKeysOfApplications,
  findOrganizations,
  findProjects,
  findProjectsOfOrganizations,
  type ApiKeyRecord,
  type ApplicationRecord,
  type OrganizationRecord,
  type ProjectRecord,
} from './workspaceStore.ts';

export interface WorkspaceLoaders {
  organization: Batch<string, OrganizationRecord>;
  project: Batch<string, ProjectRecord>;
  application: Batch<string, ApplicationRecord>;
  projectsOfOrganization: Batch<string, ProjectRecord[]>;
  /** Empty for an organization without projects. */
  projectsCountOfOrganization: Batch<string, { count: number }[]>;
  applicationsOfProject: Batch<string, ApplicationRecord[]>;
  liveKeysOfApplication: Batch<string, ApiKeyRecord[]>;
  /** Revoked ones too. */
  allKeysOfApplication: Batch<string, ApiKeyRecord[]>;
  /** Empty for an application without store credentials. */
  credentialsOfApplication: Batch<string, { applicationId: string }[]>;
}

const byId = ({ id }: { id: string }) => id;
const byApplication = ({ applicationId }: { applicationId: string }) => applicationId;
const byOrganization = ({ organizationId }: { organizationId: string }) => organizationId;

export function createWorkspaceLoaders(prisma: PrismaClient, budget: AnswerBudget): WorkspaceLoaders {
  return {
    organization: batchRows(budget, (ids) => findOrganizations(prisma, ids), byId),
    project: batchRows(budget, (ids) => findProjects(prisma, ids), byId),
    application: batchRows(budget, (ids) => findApplications(prisma, ids), byId),
    projectsOfOrganization: batchLists(
      budget,
      (ids, take) => findProjectsOfOrganizations(prisma, ids, take),
      byOrganization,
    ),
    projectsCountOfOrganization: batchLists(budget, (ids) => countProjectsOfOrganizations(prisma, ids), byOrganization),
    applicationsOfProject: batchLists(
      budget,
      (ids, take) => findApplicationsOfProjects(prisma, ids, take),
      (application) => application.projectId,
    ),
    liveKeysOfApplication: batchLists(
      budget,
      (ids, take) => findKeysOfApplications(prisma, ids, { take, revoked: false }),
      byApplication,
    ),
    allKeysOfApplication: batchLists(
      budget,
      (ids, take) => findKeysOfApplications(prisma, ids, { take, revoked: true }),
      byApplication,
    ),
    credentialsOfApplication: batchLists(budget, (ids) => findApplicationsWithCredentials(prisma, ids), byApplication),
  };
}
