// Locks of rows before an edit; null means that the organization has no such live row. SQL, because Prisma's models cannot lock.
import { prepared } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { ApplicationRecord, OrganizationRecord, ProjectRecord } from './workspace.ts';

interface Own {
  organizationId: string;
  id: string;
}

/** No other transaction changes it until this one ends. */
export async function lockOrganization(transaction: Transaction, id: string): Promise<OrganizationRecord | null> {
  const statement = prepared('lock_organization')`/* workspace: lockOrganization */
    SELECT id, name, logo FROM organizations WHERE id = ${id} FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<OrganizationRecord>(statement);
  return rows[0] ?? null;
}

/** No other transaction changes or deletes it, or puts an application into it, until this one ends. */
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

/**
 * No other transaction changes or deletes it until this one ends. An application never leaves its organization. A subquery
 * by itself and not a join: a statement that has waited for the row looks at the row's newest version, but not at the
 * project into which the application was moved.
 */
export async function lockApplication(
  transaction: Transaction,
  { organizationId, id }: Own,
): Promise<ApplicationRecord | null> {
  const statement = prepared('lock_application')`/* workspace: lockApplication */
    SELECT id, project_id AS "projectId", name, bundle_id AS "bundleId", platform::text AS platform, image,
      time_zone AS "timeZone", entitlement_policy::text AS "entitlementPolicy", store_app_id AS "storeAppId",
      test_devices AS "testDevices", created_at AS "createdAt"
    FROM applications WHERE deleted_at IS NULL AND id = (
      SELECT own.id FROM applications own JOIN projects p ON p.id = own.project_id
      WHERE own.id = ${id}::uuid AND p.organization_id = ${organizationId}::uuid) FOR NO KEY UPDATE`;
  const { rows } = await transaction.query<ApplicationRecord>(statement);
  return rows[0] ?? null;
}
