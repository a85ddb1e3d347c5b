// The fields of Organization, Project, Application and ApiKey that need a query of their own or a higher role.
import { AppError } from '../platform/errors.ts';
import {
  isAtLeast,
  reaches,
  seenBy,
  type SeenApiKey,
  type SeenApplication,
  type SeenOrganization,
  type SeenProject,
} from './caller.ts';
import type { SecretLoaders } from './secretReveals.ts';
import type { WorkspaceLoaders } from './workspaceLoaders.ts';

interface Loading {
  loaders: WorkspaceLoaders;
}

/** A token acts in one organization: of the caller's others, `organizations` shows no objects. */
export const organizationFields = {
  async projects(
    { id, caller }: SeenOrganization,
    _args: unknown,
    { loaders }: Loading,
  ): Promise<SeenProject[] | null> {
    if (caller.organizationId !== id) return null;
    const projects = await loaders.projectsOfOrganization.load(id);
    return projects.map((project) => seenBy(caller, project));
  },
  async projectsCount({ id, caller }: SeenOrganization, _args: unknown, { loaders }: Loading): Promise<number | null> {
    if (caller.organizationId !== id) return null;
    const [counted] = await loaders.projectsCountOfOrganization.load(id);
    return counted?.count ?? 0;
  },
};

export const projectFields = {
  async applications({ id, caller }: SeenProject, _args: unknown, { loaders }: Loading): Promise<SeenApplication[]> {
    const applications = await loaders.applicationsOfProject.load(id);
    return applications.filter((one) => reaches(caller, one.id)).map((application) => seenBy(caller, application));
  },
};

export const applicationFields = {
  async project({ projectId, caller }: SeenApplication, _args: unknown, { loaders }: Loading): Promise<SeenProject> {
    return seenBy(caller, await loaders.project.load(projectId));
  },
  /** Refuses this field alone: the schema allows null here, so the rest of the response is there. */
  async apiKeys(
    { id, caller }: SeenApplication,
    { includeRevoked }: { includeRevoked?: boolean | null },
    { loaders }: Loading,
  ): Promise<SeenApiKey[]> {
    if (caller.service || !isAtLeast(caller.role, 'admin')) throw new AppError('forbidden', undefined);
    const keys = await (includeRevoked ? loaders.allKeysOfApplication : loaders.liveKeysOfApplication).load(id);
    return keys.map((key) => seenBy(caller, key));
  },
  async storeCredentialsSet({ id }: SeenApplication, _args: unknown, { loaders }: Loading): Promise<boolean> {
    return (await loaders.credentialsOfApplication.load(id)).length > 0;
  },
};

export const apiKeyFields = {
  async application(
    { applicationId, caller }: SeenApiKey,
    _args: unknown,
    { loaders }: Loading,
  ): Promise<SeenApplication> {
    return seenBy(caller, await loaders.application.load(applicationId));
  },
  /** The secret of a revoked key is erased: nothing is read, so the audit log gets no line. */
  secret(key: SeenApiKey, _args: unknown, { loaders }: { loaders: SecretLoaders }): string | Promise<string> {
    return key.revokedAt ? '' : loaders.secretOfKey.load(key);
  },
};
