// Writes of an organization and of its projects, applications and keys; false or null means that it has no such row.
import { prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import type { AdminTransaction, Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/inputRules.ts';
import type { ApplicationRecord, OrganizationRecord, ProjectRecord } from './workspace.ts';

interface Own {
  organizationId: string;
  id: string;
}

/** SQL, because it locks. The row before an edit: no other transaction changes it until this one ends. */
export async function lockOrganization(transaction: Transaction, id: string): Promise<OrganizationRecord | null> {
  const statement = prepared('lock_organization')`/* workspace: lockOrganization */
    SELECT id, name, logo FROM organizations WHERE id = ${id} FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<OrganizationRecord>(statement);
  return rows[0] ?? null;
}

export async function updateOrganization(
  { prisma }: AdminTransaction,
  { id, name, logo }: OrganizationRecord,
): Promise<void> {
  await prisma.organization.updateMany({ where: { id }, data: { name, logo } });
}

export async function insertProject(
  { prisma }: AdminTransaction,
  fields: Omit<ProjectRecord, 'id'>,
): Promise<ProjectRecord> {
  const project = { id: newId(), ...fields };
  await prisma.project.createMany({ data: project });
  return project;
}

/**
 * SQL, because it locks. The row before an edit, or before an application is put into it: no other transaction changes or
 * deletes it until this one ends.
 */
export async function lockProject(
  transaction: Transaction,
  { organizationId, id }: Own,
): Promise<ProjectRecord | null> {
  const statement = prepared('lock_project')`/* workspace: lockProject */
    SELECT id, organization_id AS "organizationId", name, image FROM projects
    WHERE id = ${id} AND organization_id = ${organizationId} AND deleted_at IS NULL FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<ProjectRecord>(statement);
  return rows[0] ?? null;
}

export async function updateProject({ prisma }: AdminTransaction, { id, name, image }: ProjectRecord): Promise<void> {
  await prisma.project.updateMany({ where: { id }, data: { name, image } });
}

/**
 * Deletes all applications of the project too, and returns their ids; null where there is no such project. Erases the
 * project's name and picture at once, so that no job has to.
 */
export async function markProjectDeleted(
  { prisma }: AdminTransaction,
  { organizationId, id }: Own,
  now: Date,
): Promise<string[] | null> {
  const { count } = await prisma.project.updateMany({
    where: { id, organizationId, deletedAt: null },
    data: { deletedAt: now, name: '', image: null },
  });
  if (count === 0) return null;
  const applications = await prisma.application.updateManyAndReturn({
    where: { projectId: id, deletedAt: null },
    data: { deletedAt: now },
    select: { id: true },
  });
  return applications.map((application) => application.id).sort();
}

export async function insertApplication(
  { prisma }: AdminTransaction,
  fields: Omit<ApplicationRecord, 'id' | 'createdAt' | 'storeAppId'>,
): Promise<ApplicationRecord> {
  const id = newId();
  const { createdAt } = await prisma.application.create({ data: { id, ...fields }, select: { createdAt: true } });
  return { id, ...fields, storeAppId: null, createdAt };
}

/**
 * Of an application in an organization, which it never leaves. A subquery by itself and not a join: a statement that has
 * waited for the row looks at the row's newest version, but not at the project into which the application was moved.
 */
const isOwnApplication = ({ organizationId, id }: Own) => sql`id = (
  SELECT own.id FROM applications own JOIN projects p ON p.id = own.project_id
  WHERE own.id = ${id}::uuid AND p.organization_id = ${organizationId}::uuid)`;

/**
 * SQL, because it locks. The row before an edit, or before something is put into it: no other transaction changes or
 * deletes it until this one ends.
 */
export async function lockApplication(transaction: Transaction, own: Own): Promise<ApplicationRecord | null> {
  const statement = prepared('lock_application')`/* workspace: lockApplication */
    SELECT id, project_id AS "projectId", name, bundle_id AS "bundleId", platform::text AS platform, image,
      time_zone AS "timeZone", entitlement_policy::text AS "entitlementPolicy", store_app_id AS "storeAppId",
      test_devices AS "testDevices",
      created_at AS "createdAt"
    FROM applications WHERE ${isOwnApplication(own)} AND deleted_at IS NULL FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<ApplicationRecord>(statement);
  return rows[0] ?? null;
}

export async function updateApplication({ prisma }: AdminTransaction, application: ApplicationRecord): Promise<void> {
  const { id, projectId, name, bundleId, platform, image, timeZone, entitlementPolicy, testDevices } = application;
  await prisma.application.updateMany({
    where: { id },
    data: { projectId, name, bundleId, platform, image, timeZone, entitlementPolicy, testDevices },
  });
}

/** SQL, because of its subquery (`isOwnApplication`). */
export async function markApplicationDeleted(transaction: Transaction, own: Own, now: Date): Promise<boolean> {
  const statement = prepared('mark_application_deleted')`/* workspace: markApplicationDeleted */
    UPDATE applications SET deleted_at = ${now} WHERE ${isOwnApplication(own)} AND deleted_at IS NULL`;
  const { rowCount } = await transaction.query(statement);
  return rowCount === 1;
}

/** Erases the secret too. Returns the key's application, or null where the organization has no such live key. */
export async function markKeyRevoked(
  { prisma }: AdminTransaction,
  { organizationId, publicKey, now }: { organizationId: string; publicKey: string; now: Date },
): Promise<{ applicationId: string } | null> {
  const [key] = await prisma.apiKey.updateManyAndReturn({
    where: { public: publicKey, revokedAt: null, application: { deletedAt: null, project: { organizationId } } },
    data: { revokedAt: now, secretEncrypted: new Uint8Array() },
    select: { applicationId: true },
  });
  return key ?? null;
}

// How many live objects an organization, a project or an application has, for the bounds of schema.graphql ("Numbers of objects").

interface Counted {
  count: number;
}

export async function countProjects(connection: SqlConnection, organizationId: string): Promise<number> {
  const { rows } = await connection.query<Counted>(prepared('count_projects')`/* workspace: countProjects */
    SELECT count(*)::integer AS count FROM projects WHERE organization_id = ${organizationId} AND deleted_at IS NULL`);
  return rows[0]!.count;
}

export async function countApplications(connection: SqlConnection, projectId: string): Promise<number> {
  const { rows } = await connection.query<Counted>(prepared('count_applications')`/* workspace: countApplications */
    SELECT count(*)::integer AS count FROM applications WHERE project_id = ${projectId} AND deleted_at IS NULL`);
  return rows[0]!.count;
}

export async function countKeys(connection: SqlConnection, applicationId: string): Promise<number> {
  const { rows } = await connection.query<Counted>(prepared('count_keys')`/* workspace: countKeys */
    SELECT count(*)::integer AS count FROM api_keys WHERE application_id = ${applicationId} AND revoked_at IS NULL`);
  return rows[0]!.count;
}
