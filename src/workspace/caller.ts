// Who asks: a user of the dashboard with a role in one organization, and what the roles mean.
import type { ApiKeyRecord, ApplicationRecord, OrganizationRecord, ProjectRecord } from './workspaceStore.ts';

/** From the least to the most; each may do what those before it may. */
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;

export type Role = (typeof roles)[number];

/** As the database had it when the request began. */
export interface Caller {
  userId: string;
  organizationId: string;
  email: string;
  role: Role;
}

export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

/** A row together with the user whose rights hold below it: of `login` those of the user who logs in. */
export type SeenBy<Row> = Row & { caller: Caller };

export type SeenOrganization = SeenBy<OrganizationRecord>;
export type SeenProject = SeenBy<ProjectRecord>;
export type SeenApplication = SeenBy<ApplicationRecord>;
export type SeenApiKey = SeenBy<ApiKeyRecord>;

/** The row itself, which no other request has: copies of 200 were a tenth of the processor time of their list. */
export function seenBy<Row extends object>(caller: Caller, row: Row): SeenBy<Row> {
  return Object.assign(row, { caller });
}
