// Writes of an organization and of its projects, applications and keys; false or null means that it has no such row.
import { prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { newId } from '../platform/inputRules.ts';
import type { ApplicationRecord, OrganizationRecord, ProjectRecord } from './workspace.ts';

interface Own {
  organizationId: string;
  id: string;
}

/** The row before an edit. No other transaction changes it until this one ends. */
export async function lockOrganization(transaction: Transaction, id: string): Promise<OrganizationRecord | null> {
  const statement = prepared('lock_organization')`/* workspace: lockOrganization */
    SELECT id, name, logo FROM organizations WHERE id = ${id} FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<OrganizationRecord>(statement);
  return rows[0] ?? null;
}

export async function updateOrganization(transaction: Transaction, organization: OrganizationRecord): Promise<void> {
  const { id, name, logo } = organization;
  await transaction.query(prepared('update_organization')`/* workspace: updateOrganization */
    UPDATE organizations SET name = ${name}, logo = ${logo} WHERE id = ${id}`);
}

export async function insertProject(
  transaction: Transaction,
  fields: Omit<ProjectRecord, 'id'>,
): Promise<ProjectRecord> {
  const project = { id: newId(), ...fields };
  const { id, organizationId, name, image } = project;
  await transaction.query(prepared('insert_project')`/* workspace: insertProject */
    INSERT INTO projects (id, organization_id, name, image) VALUES (${id}, ${organizationId}, ${name}, ${image})`);
  return project;
}

/** The row before an edit, or before an application is put into it. No other transaction changes or deletes it until this one ends. */
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

export async function updateProject(transaction: Transaction, { id, name, image }: ProjectRecord): Promise<void> {
  await transaction.query(prepared('update_project')`/* workspace: updateProject */
    UPDATE projects SET name = ${name}, image = ${image} WHERE id = ${id}`);
}

/**
 * Deletes all applications of the project too, and returns their ids; null where there is no such project. Erases the
 * project's name and picture at once, so that no job has to.
 */
export async function markProjectDeleted(
  transaction: Transaction,
  { organizationId, id }: Own,
  now: Date,
): Promise<string[] | null> {
  const { rowCount } = await transaction.query(prepared('mark_project_deleted')`/* workspace: markProjectDeleted */
    UPDATE projects SET deleted_at = ${now}, name = '', image = NULL
    WHERE id = ${id} AND organization_id = ${organizationId} AND deleted_at IS NULL`);
  if (rowCount === 0) return null;
  const applications = prepared('mark_applications_deleted')`/* workspace: markApplicationsDeleted */
    UPDATE applications SET deleted_at = ${now} WHERE project_id = ${id} AND deleted_at IS NULL RETURNING id`;
  const { rows } = await transaction.query<{ id: string }>(applications);
  return rows.map((application) => application.id).sort();
}

export async function insertApplication(
  transaction: Transaction,
  fields: Omit<ApplicationRecord, 'id' | 'createdAt' | 'storeAppId'>,
): Promise<ApplicationRecord> {
  const id = newId();
  const { projectId, name, bundleId, platform, image, timeZone, entitlementPolicy, testDevices } = fields;
  const statement = prepared('insert_application')`/* workspace: insertApplication */
    INSERT INTO applications (id, project_id, name, bundle_id, platform, image, time_zone, entitlement_policy, test_devices)
    VALUES (${id}, ${projectId}, ${name}, ${bundleId}, ${platform}::platform, ${image}, ${timeZone},
      ${entitlementPolicy}::entitlement_policy, ${testDevices})
    RETURNING created_at AS "createdAt"`;
  const { rows } = await transaction.query<{ createdAt: Date }>(statement);
  return { id, ...fields, storeAppId: null, createdAt: rows[0]!.createdAt };
}

/**
 * Of an application in an organization, which it never leaves. A subquery by itself and not a join: a statement that has
 * waited for the row looks at the row's newest version, but not at the project into which the application was moved.
 */
const isOwnApplication = ({ organizationId, id }: Own) => sql`id = (
  SELECT own.id FROM applications own JOIN projects p ON p.id = own.project_id
  WHERE own.id = ${id}::uuid AND p.organization_id = ${organizationId}::uuid)`;

/** The row before an edit, or before something is put into it. No other transaction changes or deletes it until this one ends. */
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

export async function updateApplication(transaction: Transaction, application: ApplicationRecord): Promise<void> {
  const { id, projectId, name, bundleId, platform, image, timeZone, entitlementPolicy, testDevices } = application;
  await transaction.query(prepared('update_application')`/* workspace: updateApplication */
    UPDATE applications SET project_id = ${projectId}, name = ${name}, bundle_id = ${bundleId},
      platform = ${platform}::platform, image = ${image}, time_zone = ${timeZone},
      entitlement_policy = ${entitlementPolicy}::entitlement_policy, test_devices = ${testDevices} WHERE id = ${id}`);
}

export async function markApplicationDeleted(transaction: Transaction, own: Own, now: Date): Promise<boolean> {
  const statement = prepared('mark_application_deleted')`/* workspace: markApplicationDeleted */
    UPDATE applications SET deleted_at = ${now} WHERE ${isOwnApplication(own)} AND deleted_at IS NULL`;
  const { rowCount } = await transaction.query(statement);
  return rowCount === 1;
}

/** Erases the secret too. Returns the key's application, or null where the organization has no such live key. */
export async function markKeyRevoked(
  transaction: Transaction,
  { organizationId, publicKey, now }: { organizationId: string; publicKey: string; now: Date },
): Promise<{ applicationId: string } | null> {
  const statement = prepared('mark_key_revoked')`/* workspace: markKeyRevoked */
    UPDATE api_keys k SET revoked_at = ${now}, secret_encrypted = ''
    FROM applications a JOIN projects p ON p.id = a.project_id
    WHERE k.public = ${publicKey} AND k.revoked_at IS NULL AND a.id = k.application_id AND a.deleted_at IS NULL
      AND p.organization_id = ${organizationId}
    RETURNING k.application_id AS "applicationId"`;
  const { rows } = await transaction.query<{ applicationId: string }>(statement);
  return rows[0] ?? null;
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
