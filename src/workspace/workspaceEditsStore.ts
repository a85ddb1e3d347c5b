// Writes of an organization and, within it, of projects, applications and keys; false or null where it has no such row.
import type { ClientBase } from 'pg';
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts';
import type { ApplicationRecord, OrganizationRecord, ProjectRecord } from './workspaceStore.ts';

type Transaction = Prisma.TransactionClient;

interface Own {
  organizationId: string;
  id: string;
}

/** What is absent stays as it is. */
export interface OrganizationChange {
  name?: string | undefined;
  logo?: string | null | undefined;
}

export interface ProjectChange {
  name?: string | undefined;
  image?: string | null | undefined;
}

export interface ApplicationChange {
  projectId?: string | undefined;
  name?: string | undefined;
  bundleId?: string | undefined;
  platform?: 'iOS' | 'Android' | undefined;
  image?: string | undefined;
}

export async function updateOrganization(
  client: Pick<ClientBase, 'query'>,
  id: string,
  { name, logo }: OrganizationChange,
): Promise<OrganizationRecord | null> {
  const { rows } = await client.query<OrganizationRecord>({
    name: 'update_organization',
    text: `/* workspace: updateOrganization */
      UPDATE organizations SET name = coalesce($2, name), logo = CASE WHEN $3 THEN $4 ELSE logo END WHERE id = $1
      RETURNING id, name, logo`,
    values: [id, name ?? null, logo !== undefined, logo ?? null],
  });
  return rows[0] ?? null;
}

export function insertProject(
  prisma: PrismaClient,
  project: { organizationId: string; name: string; image: string | null },
): Promise<ProjectRecord> {
  return prisma.project.create({ data: project });
}

/** Set to what it is, so that an edit of nothing is an update too and answers its row. */
const unchanged = { deletedAt: null };

export async function updateProject(
  prisma: PrismaClient,
  { organizationId, id }: Own,
  change: ProjectChange,
): Promise<ProjectRecord | null> {
  const where = { id, organizationId, deletedAt: null };
  const rows = await prisma.project.updateManyAndReturn({ where, data: { ...change, ...unchanged } });
  return rows[0] ?? null;
}

/** Held until the transaction ends, so that nothing is put into a project that is being deleted. */
export async function lockProject(transaction: Transaction, { organizationId, id }: Own): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`
    /* workspace: lockProject */ SELECT 1 FROM projects
    WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid AND deleted_at IS NULL FOR SHARE`;
  return rows.length === 1;
}

/** With all its applications. */
export async function markProjectDeleted(transaction: Transaction, own: Own, now: Date): Promise<boolean> {
  const { count } = await transaction.project.updateMany({
    where: { ...own, deletedAt: null },
    data: { deletedAt: now },
  });
  if (count === 0) return false;
  await transaction.application.updateMany({ where: { projectId: own.id, deletedAt: null }, data: { deletedAt: now } });
  return true;
}

export function insertApplication(
  transaction: Transaction,
  application: Required<Omit<ApplicationRecord, 'id'>>,
): Promise<ApplicationRecord> {
  return transaction.application.create({ data: application });
}

const ownApplication = ({ organizationId, id }: Own) => ({ id, deletedAt: null, project: { organizationId } });

export async function updateApplication(
  transaction: Transaction,
  own: Own,
  change: ApplicationChange,
): Promise<ApplicationRecord | null> {
  const where = ownApplication(own);
  const rows = await transaction.application.updateManyAndReturn({ where, data: { ...change, ...unchanged } });
  return rows[0] ?? null;
}

export async function markApplicationDeleted(prisma: PrismaClient, own: Own, now: Date): Promise<boolean> {
  const { count } = await prisma.application.updateMany({ where: ownApplication(own), data: { deletedAt: now } });
  return count === 1;
}

export async function markKeyRevoked(
  prisma: PrismaClient,
  { organizationId, publicKey, now }: { organizationId: string; publicKey: string; now: Date },
): Promise<boolean> {
  const { count } = await prisma.apiKey.updateMany({
    where: { public: publicKey, revokedAt: null, application: { deletedAt: null, project: { organizationId } } },
    data: { revokedAt: now },
  });
  return count === 1;
}
