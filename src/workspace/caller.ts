// The caller: a dashboard user with a role in one organization (schema.graphql, "Roles").
import type { ApiKeyRecord, ApplicationRecord, OrganizationRecord, ProjectRecord } from './workspaceStore.ts';

/** From the least to the most. Each role may do everything that the roles before it may. */
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;

export type Role = (typeof roles)[number];

/** As the database had the user when the request began. */
export interface Caller {
  userId: string;
  organizationId: string;
  email: string;
  role: Role;
}

/** The caller of a request, with the login session of its bearer. */
export interface LiveCaller extends Caller {
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
