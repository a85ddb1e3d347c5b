// The access table: the least role for each root field. A field without an entry fails the compiler and the start.
import type { GraphQLSchema } from 'graphql';
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql.ts';
import type { Role } from '../workspace/caller.ts';

/** `public`, or the least role that may call the field. */
export type Access = 'public' | Role;

export const access = {
  Query: {
    activity: 'viewer',
    applications: 'viewer',
    auditLog: 'admin',
    campaign: 'viewer',
    campaigns: 'viewer',
    campaignsCount: 'viewer',
    countries: 'public',
    device: 'viewer',
    devices: 'viewer',
    devicesBehind: 'viewer',
    entitlements: 'viewer',
    eventNames: 'viewer',
    eventSeries: 'viewer',
    funnel: 'viewer',
    id: 'public',
    ingestIssues: 'viewer',
    me: 'viewer',
    organization: 'viewer',
    organizations: 'viewer',
    products: 'viewer',
    projects: 'viewer',
    propertyNames: 'viewer',
    recentEvents: 'viewer',
    retention: 'viewer',
    revenue: 'viewer',
    revenueCurrencies: 'viewer',
    serviceTokens: 'admin',
    sessions: 'viewer',
    storeTransactions: 'viewer',
    subscriptions: 'viewer',
    userDevices: 'viewer',
    webhookDeliveries: 'admin',
    webhooks: 'admin',
  },
  Mutation: {
    accountDelete: 'viewer',
    apiKeyCreate: 'admin',
    apiKeyEdit: 'admin',
    apiKeyRevoke: 'admin',
    applicationDelete: 'admin',
    applicationEdit: 'admin',
    campaignChangeState: 'editor',
    campaignEdit: 'editor',
    emailChange: 'viewer',
    emailConfirm: 'public',
    // Without a challenge it needs a bearer (authentication.ts).
    invitationAccept: 'public',
    login: 'public',
    logout: 'viewer',
    logoutEverywhere: 'viewer',
    // As invitationAccept.
    organizationCreate: 'public',
    organizationEdit: 'owner',
    organizationLeave: 'viewer',
    organizationSwitch: 'viewer',
    passwordChange: 'viewer',
    productEdit: 'admin',
    projectDelete: 'admin',
    projectEdit: 'admin',
    refreshToken: 'public',
    resetPassword: 'public',
    serviceTokenCreate: 'admin',
    serviceTokenRevoke: 'admin',
    sessionRevoke: 'viewer',
    signup: 'public',
    storeCredentialsEdit: 'admin',
    updatePassword: 'public',
    // Every user edits their own name and avatar. The operation itself checks the role for any other change.
    userEdit: 'viewer',
    userInvite: 'admin',
    userRemove: 'admin',
    webhookDelete: 'admin',
    webhookEdit: 'admin',
    webhookRedeliver: 'admin',
  },
} as const satisfies {
  Query: Record<keyof QueryResolvers, Access>;
  Mutation: Record<keyof MutationResolvers, Access>;
};

/** Null for a field that is not in the table, such as `__typename`. */
export function accessOf(root: 'Query' | 'Mutation', field: string): Access | null {
  const table: Record<string, Access> = access[root];
  return Object.hasOwn(table, field) ? table[field]! : null;
}

/** Compares the table with the schema that is served: the compiler sees only the generated types. */
export function assertAccessCovers(schema: GraphQLSchema): void {
  const served = [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
    Object.keys(root?.getFields() ?? {}).map((field) => `${root!.name}.${field}`),
  );
  const listed = Object.entries(access).flatMap(([root, table]) => Object.keys(table).map((name) => `${root}.${name}`));
  const different = [...served, ...listed].filter((field) => served.includes(field) !== listed.includes(field));
  if (different.length > 0) throw new Error(`src/graphql/access.ts and schema.graphql differ: ${different.join(', ')}`);
}
