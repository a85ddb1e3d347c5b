// The caller: a dashboard user or a service token with a role in one organization (schema.graphql, "Roles").
import type { ApiKeyRecord, ApplicationRecord, OrganizationRecord, ProjectRecord } from './workspaceStore.ts';

/** From the least to the most. Each role may do everything that the roles before it may. */
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;

export type Role = (typeof roles)[number];

/** As the database had the user when the request began. */
export interface Caller {
  /** Of a service token its own id, which no user has. */
  userId: string;
  organizationId: string;
  /** The author of a change. Of a service token it is `service token: <name>`, which is no e-mail address. */
  email: string;
  role: Role;
  /** Only a service token has one. */
  service?: ServiceScope;
}

export interface ServiceScope {
  /** Null: every application of the organization. */
  applicationIds: readonly string[] | null;
}

/** Whether the caller may reach this application of its organization. Otherwise the response is that to an unknown id. */
export function reaches({ service }: Pick<Caller, 'service'>, applicationId: string): boolean {
  return service?.applicationIds?.includes(applicationId) ?? true;
}

/** The caller of a request, with the login session of its bearer. */
export interface LiveCaller extends Caller {
  /** Of a service token its own id, which no session has. */
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
