// How many live objects an organization, a project or an application has, for the bounds of schema.graphql ("Numbers of objects").
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';

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
