// The caller: a dashboard user or a service token with a role in one organization (schema.graphql, "Roles").
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { auditAlone } from '../audit/audit.ts';
import { prepared, type SqlConnection } from '../platform/database/sql.ts';
import type { AdminTransaction, PrismaModels } from '../platform/database/transaction.ts';
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

/** Whether the caller may reach this application of its organization. Otherwise the response is that to an unknown id. */
export function reaches({ service }: Pick<Caller, 'service'>, applicationId: string): boolean {
  return service?.applicationIds?.includes(applicationId) ?? true;
}

/** The caller of a request, with the login session of its bearer. */
export interface LiveCaller extends Caller {
  /** Of a service token its own id, which no session has. */
  sessionId: string;
}

export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** A row with the user whose rights apply to the fields below it. For `login` this is the user who logs in. */
export type SeenBy<Row> = Row & { caller: Caller };

export type SeenOrganization = SeenBy<OrganizationRecord>;
export type SeenProject = SeenBy<ProjectRecord>;
export type SeenApplication = SeenBy<ApplicationRecord>;
export type SeenApiKey = SeenBy<ApiKeyRecord>;

/** Returns the row itself, which no other request shares: copying 200 rows took a tenth of their list's processor time. */
export function seenBy<Row extends object>(caller: Caller, row: Row): SeenBy<Row> {
  return Object.assign(row, { caller });
}

// The fields of Organization, Project, Application and ApiKey that need a query of their own or a higher role.

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

export function createWorkspaceLoaders(prisma: PrismaClient, budget: ResponseBudget): WorkspaceLoaders {
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

// The only place where secrets of API keys enter a response: one statement first records all that a level of the response selects.

export interface SecretLoaders {
  /**
   * Rejects when the reveal cannot be recorded, also because the caller has made the service store too much
   * (`rate_limited`). Writes one line for a key, even when a request selects it several times.
   */
  secretOfKey: Batch<SeenApiKey, string>;
}

interface SecretNeeds {
  adminPool: Pool;
  encryption: Encryption;
  /** Throws `rate_limited`. */
  storing(caller: Caller, bytes: number): Promise<unknown>;
}

/** A line of the audit log with its index entries. */
const lineBytes = 1_024;

export function createSecretLoaders(needs: SecretNeeds): SecretLoaders {
  const secretOfKey = new DataLoader<SeenApiKey, string, string>((keys) => reveal(keys, needs), {
    cacheKeyFn: ({ id, caller }) => `${caller.userId} ${id}`,
  });
  return { secretOfKey };
}

/** In the order of the keys. A key that cannot be decrypted has an error in its place, and no line in the audit log. */
async function reveal(
  keys: readonly SeenApiKey[],
  { adminPool, encryption, storing }: SecretNeeds,
): Promise<(string | Error)[]> {
  const sealed = await findSealedSecrets(
    adminPool,
    keys.map(({ id }) => id),
  );
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

function revealOf({ public: objectId, applicationId }: SeenApiKey) {
  return { action: 'apiKeyReveal', objectType: 'apiKey', objectId, details: { applicationId } } as const;
}

/** `''` for a key that was revoked meanwhile, or whose row is gone: there is no secret to read. */
function decrypted(id: string, sealed: Buffer | undefined, encryption: Encryption): string | Error {
  if (!sealed || sealed.length === 0) return '';
  try {
    return encryption.decrypt(sealed, id);
  } catch (cause) {
    return new Error('the secret of an API key cannot be decrypted', { cause });
  }
}

// Refuses an application that the caller does not reach, for the queries that name one.

interface OwnerNeeds {
  caller: Caller;
  prisma: PrismaClient;
}

/** Throws `not_found`. */
export async function assertOwnApplication({ caller, prisma }: OwnerNeeds, id: string): Promise<void> {
  const { organizationId } = caller;
  if (reaches(caller, id) && (await findOwnApplication(prisma, { organizationId, id }))) return;
  throw new AppError('not_found', undefined);
}

// Reads of organizations, projects, applications and keys, without deleted ones.

export interface OrganizationRecord {
  id: string;
  name: string;
  logo: string | null;
}

export interface ProjectRecord {
  id: string;
  organizationId: string;
  name: string;
  image: string | null;
}

export interface ApplicationRecord {
  id: string;
  projectId: string;
  name: string;
  bundleId: string;
  platform: 'iOS' | 'Android';
  image: string;
  timeZone: string;
  /** schema.graphql, "Owners". */
  entitlementPolicy: 'KEEP' | 'TRANSFER' | 'SHARE';
  /** Decimal digits. `storeCredentialsEdit` sets it. */
  storeAppId: string | null;
  testDevices: string[];
  createdAt: Date;
}

/** Without its secret, which only a response that has it reads (workspace.ts). */
export interface ApiKeyRecord {
  id: string;
  applicationId: string;
  public: string;
  lastUsed: Date | null;
  label: string | null;
  createdAt: Date;
  /** An e-mail address; null when the author is unknown. */
  createdBy: string | null;
  revokedAt: Date | null;
}

type Ids = readonly string[];
const oldestFirst = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];

export async function insertOrganization(
  { prisma }: AdminTransaction,
  { id, name, now }: { id: string; name: string; now: Date },
): Promise<void> {
  await prisma.organization.create({ data: { id, name, createdAt: now } });
}

export function findOrganizations(prisma: PrismaModels, ids: Ids): Promise<OrganizationRecord[]> {
  return prisma.organization.findMany({ where: { id: { in: [...ids] } } });
}

export function findProjects(prisma: PrismaModels, ids: Ids): Promise<ProjectRecord[]> {
  return prisma.project.findMany({ where: { id: { in: [...ids] }, deletedAt: null } });
}

export function findProjectsOfOrganizations(
  prisma: PrismaModels,
  organizationIds: Ids,
  take: number,
): Promise<ProjectRecord[]> {
  return prisma.project.findMany({
    where: { organizationId: { in: [...organizationIds] }, deletedAt: null },
    orderBy: oldestFirst,
    take,
  });
}

export async function countProjectsOfOrganizations(
  prisma: PrismaModels,
  organizationIds: Ids,
): Promise<{ organizationId: string; count: number }[]> {
  const groups = await prisma.project.groupBy({
    by: ['organizationId'],
    where: { organizationId: { in: [...organizationIds] }, deletedAt: null },
    _count: true,
  });
  return groups.map(({ organizationId, _count }) => ({ organizationId, count: _count }));
}

export function findApplications(prisma: PrismaModels, ids: Ids): Promise<ApplicationRecord[]> {
  return prisma.application.findMany({ where: { id: { in: [...ids] }, deletedAt: null } });
}

export function findApplicationsOfProjects(
  prisma: PrismaModels,
  projectIds: Ids,
  take: number,
): Promise<ApplicationRecord[]> {
  return prisma.application.findMany({
    where: { projectId: { in: [...projectIds] }, deletedAt: null },
    orderBy: oldestFirst,
    take,
  });
}

/** Null for an unknown or deleted project, and for another organization's. */
export function findOwnProject(
  prisma: PrismaModels,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<ProjectRecord | null> {
  return prisma.project.findFirst({ where: { id, organizationId, deletedAt: null } });
}

/** Null for an unknown or deleted application, and for another organization's. */
export function findOwnApplication(
  prisma: PrismaModels,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<ApplicationRecord | null> {
  return prisma.application.findFirst({ where: { id, deletedAt: null, project: { organizationId } } });
}

export function findApplicationsOfOrganization(
  prisma: PrismaModels,
  organizationId: string,
  take: number,
): Promise<ApplicationRecord[]> {
  return prisma.application.findMany({
    where: { deletedAt: null, project: { organizationId } },
    orderBy: oldestFirst,
    take,
  });
}

export function findKeysOfApplications(
  prisma: PrismaModels,
  applicationIds: Ids,
  { take, revoked }: { take: number; revoked: boolean },
): Promise<ApiKeyRecord[]> {
  return prisma.apiKey.findMany({
    where: { applicationId: { in: [...applicationIds] }, ...(revoked ? {} : { revokedAt: null }) },
    omit: { secretEncrypted: true },
    orderBy: oldestFirst,
    take,
  });
}

/** Of these applications those whose store credentials are set. */
export function findApplicationsWithCredentials(
  prisma: PrismaModels,
  applicationIds: Ids,
): Promise<{ applicationId: string }[]> {
  return prisma.storeCredentials.findMany({
    where: { applicationId: { in: [...applicationIds] } },
    select: { applicationId: true },
  });
}

// The SQL that reads secrets of API keys: only for a response that has them.

/** Encrypted, by the ids of their keys. Empty for a key that is revoked. */
export async function findSealedSecrets(
  connection: SqlConnection,
  ids: readonly string[],
): Promise<Map<string, Buffer>> {
  const statement = prepared('find_sealed_secrets')`/* workspace: findSealedSecrets */
    SELECT id, secret_encrypted AS sealed FROM api_keys WHERE id = ANY(${[...ids]}::uuid[])`;
  const { rows } = await connection.query<{ id: string; sealed: Buffer }>(statement);
  return new Map(rows.map(({ id, sealed }) => [id, sealed]));
}
