// Reads of organizations, projects, applications and keys, without deleted ones.
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { prepared } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';

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

/** Without its secret, which only a response that has it reads (keySecretsStore.ts). */
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
  transaction: Transaction,
  { id, name, now }: { id: string; name: string; now: Date },
): Promise<void> {
  await transaction.query(prepared('insert_organization')`/* workspace: insertOrganization */
    INSERT INTO organizations (id, name, created_at) VALUES (${id}, ${name}, ${now})`);
}

export function findOrganizations(prisma: PrismaClient, ids: Ids): Promise<OrganizationRecord[]> {
  return prisma.organization.findMany({ where: { id: { in: [...ids] } } });
}

export function findProjects(prisma: PrismaClient, ids: Ids): Promise<ProjectRecord[]> {
  return prisma.project.findMany({ where: { id: { in: [...ids] }, deletedAt: null } });
}

export function findProjectsOfOrganizations(
  prisma: PrismaClient,
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
  prisma: PrismaClient,
  organizationIds: Ids,
): Promise<{ organizationId: string; count: number }[]> {
  const groups = await prisma.project.groupBy({
    by: ['organizationId'],
    where: { organizationId: { in: [...organizationIds] }, deletedAt: null },
    _count: true,
  });
  return groups.map(({ organizationId, _count }) => ({ organizationId, count: _count }));
}

export function findApplications(prisma: PrismaClient, ids: Ids): Promise<ApplicationRecord[]> {
  return prisma.application.findMany({ where: { id: { in: [...ids] }, deletedAt: null } });
}

export function findApplicationsOfProjects(
  prisma: PrismaClient,
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
  prisma: PrismaClient,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<ProjectRecord | null> {
  return prisma.project.findFirst({ where: { id, organizationId, deletedAt: null } });
}

/** Null for an unknown or deleted application, and for another organization's. */
export function findOwnApplication(
  prisma: PrismaClient,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<ApplicationRecord | null> {
  return prisma.application.findFirst({ where: { id, deletedAt: null, project: { organizationId } } });
}

export function findApplicationsOfOrganization(
  prisma: PrismaClient,
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
  prisma: PrismaClient,
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
  prisma: PrismaClient,
  applicationIds: Ids,
): Promise<{ applicationId: string }[]> {
  return prisma.storeCredentials.findMany({
    where: { applicationId: { in: [...applicationIds] } },
    select: { applicationId: true },
  });
}
