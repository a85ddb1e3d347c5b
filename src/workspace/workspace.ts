// The workspace of an organization (its projects, applications and keys), and the caller who sees and edits it (schema.graphql, "Roles").
import DataLoader from 'dataloader';
import type { ApiKey, Application, Organization, PrismaClient, Project } from '../../generated/prisma/client.ts';
import { auditAlone } from '../audit/audit.ts';
import type { AdminPool, PrismaModels } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import { AppError } from '../platform/errors.ts';
import { type ResponseBudget, type Batch, batchLists, batchRows } from '../platform/responseBudget.ts';

/** From the least to the most. Each role may do everything that the roles before it may. */
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;

export type Role = (typeof roles)[number];

/** As the database had the user when the request began. */
export interface Caller {
  /** Of a service token its own id, which no user has. */
  userId: string;
  organizationId: string;
  /** The author of a change. Of a service token it is `service token: <name>`, which is no e-mail address. */
  email: string;
  role: Role;
  /** Only a service token has one. */
  service?: ServiceScope;
}

export interface ServiceScope {
  /** Null: every application of the organization. */
  applicationIds: readonly string[] | null;
}

/** Whether the caller may access this application of its organization. Otherwise the response is that to an unknown id. */
export function canAccess({ service }: Pick<Caller, 'service'>, applicationId: string): boolean {
  return service?.applicationIds?.includes(applicationId) ?? true;
}

/** The caller of a request, with the login session of its bearer. */
export interface LiveCaller extends Caller {
  /** Of a service token its own id, which no session has. */
  sessionId: string;
}

/** What an edit of the admin API needs at least. */
export interface EditNeeds {
  caller: LiveCaller;
  adminPool: AdminPool;
  now(): Date;
}

/** What a read of the admin API needs at least. */
export interface ReadNeeds {
  caller: LiveCaller;
  prisma: PrismaClient;
  budget: ResponseBudget;
  now(): Date;
}

export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** A row with the user whose rights apply to the fields below it. For `login` this is the user who logs in. */
export type WithViewer<Row> = Row & { caller: Caller };

export type ViewedOrganization = WithViewer<OrganizationRecord>;
export type ViewedProject = WithViewer<ProjectRecord>;
export type ViewedApplication = WithViewer<ApplicationRecord>;
export type ViewedApiKey = WithViewer<ApiKeyRecord>;

/** Returns the row itself, which no other request shares: copying 200 rows took a tenth of their list's processor time. */
export function withViewer<Row extends object>(caller: Caller, row: Row): WithViewer<Row> {
  return Object.assign(row, { caller });
}

// The fields of Organization, Project, Application and ApiKey that need a query of their own or a higher role.

interface Loading {
  loaders: WorkspaceLoaders;
}

/** A token acts in one organization: of the caller's others, `organizations` shows no objects. */
export const organizationFields = {
  async projects(
    { id, caller }: ViewedOrganization,
    _args: unknown,
    { loaders }: Loading,
  ): Promise<ViewedProject[] | null> {
    if (caller.organizationId !== id) return null;
    const projects = await loaders.projectsOfOrganization.load(id);
    return projects.map((project) => withViewer(caller, project));
  },
  async projectsCount(
    { id, caller }: ViewedOrganization,
    _args: unknown,
    { loaders }: Loading,
  ): Promise<number | null> {
    if (caller.organizationId !== id) return null;
    const [counted] = await loaders.projectsCountOfOrganization.load(id);
    return counted?.count ?? 0;
  },
};

export const projectFields = {
  async applications(
    { id, caller }: ViewedProject,
    _args: unknown,
    { loaders }: Loading,
  ): Promise<ViewedApplication[]> {
    const applications = await loaders.applicationsOfProject.load(id);
    return applications
      .filter((one) => canAccess(caller, one.id))
      .map((application) => withViewer(caller, application));
  },
};

export const applicationFields = {
  async project(
    { projectId, caller }: ViewedApplication,
    _args: unknown,
    { loaders }: Loading,
  ): Promise<ViewedProject> {
    return withViewer(caller, await loaders.project.load(projectId));
  },
  /** Refuses this field alone: the schema allows null here, so the rest of the response is there. */
  async apiKeys(
    { id, caller }: ViewedApplication,
    { includeRevoked }: { includeRevoked?: boolean | null },
    { loaders }: Loading,
  ): Promise<ViewedApiKey[]> {
    if (caller.service || !isAtLeast(caller.role, 'admin')) throw new AppError('forbidden', undefined);
    const keys = await (includeRevoked ? loaders.allKeysOfApplication : loaders.liveKeysOfApplication).load(id);
    return keys.map((key) => withViewer(caller, key));
  },
  async storeCredentialsSet({ id }: ViewedApplication, _args: unknown, { loaders }: Loading): Promise<boolean> {
    return (await loaders.credentialsOfApplication.load(id)).length > 0;
  },
};

export const apiKeyFields = {
  async application(
    { applicationId, caller }: ViewedApiKey,
    _args: unknown,
    { loaders }: Loading,
  ): Promise<ViewedApplication> {
    return withViewer(caller, await loaders.application.load(applicationId));
  },
  /** The secret of a revoked key is erased: nothing is read, so the audit log gets no line. */
  secret(key: ViewedApiKey, _args: unknown, { loaders }: { loaders: SecretLoaders }): string | Promise<string> {
    return key.revokedAt ? '' : loaders.secretOfKey.load(key);
  },
};

// Loads the workspace for nested fields: one statement for each kind of row, for all parents together.

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

/** Without deleted ones. Lists have the oldest first. */
export function createWorkspaceLoaders(prisma: PrismaClient, budget: ResponseBudget): WorkspaceLoaders {
  const keys = (shown: { revokedAt?: null }) => (ids: Ids, take: number) =>
    prisma.apiKey.findMany({
      where: { applicationId: { in: [...ids] }, ...shown },
      omit: { secretEncrypted: true },
      orderBy: oldestFirst,
      take,
    });
  return {
    organization: batchRows(budget, (ids) => prisma.organization.findMany({ where: { id: { in: [...ids] } } }), byId),
    project: batchRows(
      budget,
      (ids) => prisma.project.findMany({ where: { id: { in: [...ids] }, deletedAt: null } }),
      byId,
    ),
    application: batchRows(
      budget,
      (ids) => prisma.application.findMany({ where: { id: { in: [...ids] }, deletedAt: null } }),
      byId,
    ),
    projectsOfOrganization: batchLists(
      budget,
      (ids, take) => {
        const where = { organizationId: { in: [...ids] }, deletedAt: null };
        return prisma.project.findMany({ where, orderBy: oldestFirst, take });
      },
      byOrganization,
    ),
    projectsCountOfOrganization: batchLists(
      budget,
      async (ids) => {
        const where = { organizationId: { in: [...ids] }, deletedAt: null };
        const groups = await prisma.project.groupBy({ by: ['organizationId'], where, _count: true });
        return groups.map(({ organizationId, _count: count }) => ({ organizationId, count }));
      },
      byOrganization,
    ),
    applicationsOfProject: batchLists(
      budget,
      (ids, take) => {
        const where = { projectId: { in: [...ids] }, deletedAt: null };
        return prisma.application.findMany({ where, orderBy: oldestFirst, take });
      },
      ({ projectId }) => projectId,
    ),
    liveKeysOfApplication: batchLists(budget, keys({ revokedAt: null }), byApplication),
    allKeysOfApplication: batchLists(budget, keys({}), byApplication),
    credentialsOfApplication: batchLists(
      budget,
      (ids) => {
        const where = { applicationId: { in: [...ids] } };
        return prisma.storeCredentials.findMany({ where, select: { applicationId: true } });
      },
      byApplication,
    ),
  };
}

// The only place where secrets of API keys enter a response: one statement first records all that a level of the response selects.

export interface SecretLoaders {
  /**
   * Rejects when the reveal cannot be recorded, also because the caller has made the service store too much
   * (`rate_limited`). Writes one line for a key, even when a request selects it several times.
   */
  secretOfKey: Batch<ViewedApiKey, string>;
}

interface SecretNeeds {
  adminPool: AdminPool;
  prisma: PrismaClient;
  encryption: Encryption;
  /** Throws `rate_limited`. */
  storing(caller: Caller, bytes: number): Promise<unknown>;
}

/** A line of the audit log with its index entries. */
const lineBytes = 1_024;

export function createSecretLoaders(needs: SecretNeeds): SecretLoaders {
  const secretOfKey = new DataLoader<ViewedApiKey, string, string>((keys) => reveal(keys, needs), {
    cacheKeyFn: ({ id, caller }) => `${caller.userId} ${id}`,
  });
  return { secretOfKey };
}

/** In the order of the keys. A key that cannot be decrypted has an error in its place, and no line in the audit log. */
async function reveal(
  keys: readonly ViewedApiKey[],
  { adminPool, prisma, encryption, storing }: SecretNeeds,
): Promise<(string | Error)[]> {
  const rows = await prisma.apiKey.findMany({
    where: { id: { in: keys.map(({ id }) => id) } },
    select: { id: true, secretEncrypted: true },
  });
  const sealed = new Map(rows.map(({ id, secretEncrypted }) => [id, secretEncrypted]));
  const secrets = keys.map(({ id }) => decrypted(id, sealed.get(id), encryption));
  const readable = keys.filter((_, index) => typeof secrets[index] === 'string' && secrets[index] !== '');
  // Two callers at most: the bearer, and the user who logs in with the same request.
  for (const caller of new Map(readable.map((key) => [key.caller.userId, key.caller])).values()) {
    const own = readable.filter((key) => key.caller.userId === caller.userId);
    await storing(caller, own.length * lineBytes);
    await auditAlone(adminPool, caller, ...own.map(revealOf));
  }
  return secrets;
}

function revealOf({ public: objectId, applicationId }: ViewedApiKey) {
  return { action: 'apiKeyReveal', objectType: 'apiKey', objectId, details: { applicationId } } as const;
}

/** `''` for a key that was revoked meanwhile, or whose row is gone: there is no secret to read. */
function decrypted(id: string, sealed: Uint8Array | undefined, encryption: Encryption): string | Error {
  if (!sealed || sealed.length === 0) return '';
  try {
    return encryption.decrypt(sealed, id);
  } catch (cause) {
    return new Error('the secret of an API key cannot be decrypted', { cause });
  }
}

// Refuses an application that the caller may not access, for the queries that name one.

interface OwnerNeeds {
  caller: Caller;
  prisma: PrismaClient;
}

/** Throws `not_found`. */
export async function assertOwnApplication({ caller, prisma }: OwnerNeeds, id: string): Promise<void> {
  const { organizationId } = caller;
  if (canAccess(caller, id) && (await findOwnApplication(prisma, { organizationId, id }))) return;
  throw new AppError('not_found', undefined);
}

// Reads of organizations, projects, applications and keys, without deleted ones.

export type OrganizationRecord = Omit<Organization, 'createdAt'>;
export type ProjectRecord = Omit<Project, 'createdAt' | 'deletedAt'>;
export type ApplicationRecord = Omit<Application, 'deletedAt' | 'removedAt'>;
/** Without its secret, which only a response that has it reads. */
export type ApiKeyRecord = Omit<ApiKey, 'secretEncrypted'>;

type Ids = readonly string[];
export const oldestFirst = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];

/** Null for an unknown or deleted application, and for another organization's. */
export function findOwnApplication(
  prisma: PrismaModels,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<ApplicationRecord | null> {
  return prisma.application.findFirst({ where: { id, deletedAt: null, project: { organizationId } } });
}
