// Writes of projects, applications and keys, each within one organization; false or null where it has no such row.
import type { ClientBase } from 'pg';
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts';
import type { ApplicationRecord, ProjectRecord } from './workspaceStore.ts';

type Transaction = Prisma.TransactionClient;

interface Own {
  organizationId: string;
  id: string;
}

/** What is absent stays as it is. */
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

/** Held until the transaction ends, so that nothing is put into an application that is being deleted. */
export async function lockApplication(
  client: Pick<ClientBase, 'query'>,
  { organizationId, id }: Own,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `/* workspace: lockApplication */
      SELECT 1 FROM applications a JOIN projects p ON p.id = a.project_id
      WHERE a.id = $1 AND p.organization_id = $2 AND a.deleted_at IS NULL FOR SHARE OF a`,
    [id, organizationId],
  );
  return rowCount === 1;
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
