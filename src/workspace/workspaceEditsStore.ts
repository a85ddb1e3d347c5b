// Writes of an organization and, within it, of projects, applications and keys; false or null where it has no such row.
import type { Prisma } from '../../generated/prisma/client.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { ApplicationRecord, OrganizationRecord, ProjectRecord } from './workspaceStore.ts';

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

/** As it stands before an edit; nobody else changes it until the transaction ends. */
export async function lockOrganization(client: SqlConnection, id: string): Promise<OrganizationRecord | null> {
  const { rows } = await client.query<OrganizationRecord>({
    name: 'lock_organization',
    text: `/* workspace: lockOrganization */
      SELECT id, name, logo FROM organizations WHERE id = $1 FOR NO KEY UPDATE`,
    values: [id],
  });
  return rows[0] ?? null;
}

export async function updateOrganization(client: SqlConnection, { id, name, logo }: OrganizationRecord): Promise<void> {
  await client.query({
    name: 'update_organization',
    text: '/* workspace: updateOrganization */ UPDATE organizations SET name = $2, logo = $3 WHERE id = $1',
    values: [id, name, logo],
  });
}

export function insertProject(
  transaction: Transaction,
  project: { organizationId: string; name: string; image: string | null },
): Promise<ProjectRecord> {
  return transaction.project.create({ data: project });
}

/** As it stands before an edit; nobody else changes it until the transaction ends. */
export async function lockProject(
  transaction: Transaction,
  { organizationId, id }: Own,
): Promise<ProjectRecord | null> {
  const rows = await transaction.$queryRaw<ProjectRecord[]>`
    /* workspace: lockProject */ SELECT id, organization_id AS "organizationId", name, image FROM projects
    WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid AND deleted_at IS NULL FOR NO KEY UPDATE`;
  return rows[0] ?? null;
}

export function updateProject(transaction: Transaction, id: string, change: ProjectChange): Promise<ProjectRecord> {
  return transaction.project.update({ where: { id }, data: change });
}

/** Held until the transaction ends, so that nothing is put into a project that is being deleted. */
export async function holdProject(transaction: Transaction, { organizationId, id }: Own): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`
    /* workspace: holdProject */ SELECT 1 FROM projects
    WHERE id = ${id}::uuid AND organization_id = ${organizationId}::uuid AND deleted_at IS NULL FOR SHARE`;
  return rows.length === 1;
}

/**
 * With all its applications; answers which went with it, or null where there is no such project. Its own name and
 * picture go at once, so that of a project nothing is left to a job.
 */
export async function markProjectDeleted(transaction: Transaction, own: Own, now: Date): Promise<string[] | null> {
  const live = { deletedAt: null };
  const { count } = await transaction.project.updateMany({
    where: { ...own, ...live },
    data: { deletedAt: now, name: '', image: null },
  });
  if (count === 0) return null;
  const applications = await transaction.application.updateManyAndReturn({
    where: { projectId: own.id, ...live },
    data: { deletedAt: now },
    select: { id: true },
  });
  return applications.map(({ id }) => id).sort();
}

export function insertApplication(
  transaction: Transaction,
  application: Required<Omit<ApplicationRecord, 'id'>>,
): Promise<ApplicationRecord> {
  return transaction.application.create({ data: application });
}

/**
 * Of an application whose id is $1, in organization $2, which it never leaves. A subquery by itself and not a join: a
 * statement that has waited for the row looks at its newest version, and not at the project into which it was moved.
 */
const isOwnApplication = `id = (
  SELECT own.id FROM applications own JOIN projects p ON p.id = own.project_id
  WHERE own.id = $1::uuid AND p.organization_id = $2::uuid)`;

/** As it stands before an edit or a new key; until the transaction ends nobody else changes or deletes it. */
export async function lockApplication(
  transaction: Transaction,
  { organizationId, id }: Own,
): Promise<ApplicationRecord | null> {
  const text = `/* workspace: lockApplication */
    SELECT id, project_id AS "projectId", name, bundle_id AS "bundleId", platform::text AS platform, image
    FROM applications WHERE ${isOwnApplication} AND deleted_at IS NULL FOR NO KEY UPDATE`;
  const rows = await transaction.$queryRawUnsafe<ApplicationRecord[]>(text, id, organizationId);
  return rows[0] ?? null;
}

/** Held until the transaction ends, so that nothing is put into an application that is being deleted. */
export async function holdApplication(client: SqlConnection, { organizationId, id }: Own): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'hold_application',
    text: `/* workspace: holdApplication */
      SELECT 1 FROM applications WHERE ${isOwnApplication} AND deleted_at IS NULL FOR SHARE`,
    values: [id, organizationId],
  });
  return rowCount === 1;
}

export function updateApplication(
  transaction: Transaction,
  id: string,
  change: ApplicationChange,
): Promise<ApplicationRecord> {
  return transaction.application.update({ where: { id }, data: change });
}

export async function markApplicationDeleted(
  transaction: Transaction,
  { organizationId, id }: Own,
  now: Date,
): Promise<boolean> {
  const text = `/* workspace: markApplicationDeleted */
    UPDATE applications SET deleted_at = $3::timestamptz WHERE ${isOwnApplication} AND deleted_at IS NULL`;
  return (await transaction.$executeRawUnsafe(text, id, organizationId, now)) === 1;
}

/** Its secret is erased with it. Answers whose key it was, or null where there is no such live key. */
export async function markKeyRevoked(
  transaction: Transaction,
  { organizationId, publicKey, now }: { organizationId: string; publicKey: string; now: Date },
): Promise<{ applicationId: string } | null> {
  const rows = await transaction.apiKey.updateManyAndReturn({
    where: { public: publicKey, revokedAt: null, application: { deletedAt: null, project: { organizationId } } },
    data: { revokedAt: now, secretEncrypted: new Uint8Array() },
    select: { applicationId: true },
  });
  return rows[0] ?? null;
}
