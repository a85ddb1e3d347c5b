// The access table: the least role for each root field. A field without an entry fails the compiler and the start.
import { type GraphQLRequestContextDidResolveOperation, HeaderMap } from '@apollo/server';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionSetNode,
  valueFromASTUntyped,
  type ValueNode,
  visit,
} from 'graphql';
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql.ts';
import { loggedNetwork } from '../accounts/attempts.ts';
import { AppError } from '../platform/errors.ts';
import { isAtLeast, type Role } from '../workspace/workspace.ts';
import { type AdminContext, boundStored, type CallerContext } from './context.ts';
import { graphqlCode } from './errors.ts';

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
    // Without a challenge it needs a bearer (authorization.ts).
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
  if (different.length > 0)
    throw new Error(`src/graphql/authorization.ts and schema.graphql differ: ${different.join(', ')}`);
}

// The root fields that a service token may select, beside the public ones. Every other field is FORBIDDEN for it.

/**
 * A list of what is allowed, so that a new field is out of reach until somebody enters it. Each operation here limits
 * itself to the applications of the caller (`canAccess` in src/workspace/workspace.ts).
 */
const fields = {
  Query: [
    'activity',
    'applications',
    'campaign',
    'campaigns',
    'campaignsCount',
    'device',
    'devices',
    'devicesBehind',
    'entitlements',
    'eventNames',
    'eventSeries',
    'funnel',
    'ingestIssues',
    'products',
    'propertyNames',
    'recentEvents',
    'retention',
    'revenue',
    'revenueCurrencies',
    'storeTransactions',
    'subscriptions',
    'userDevices',
    'webhookDeliveries',
    'webhooks',
  ],
  Mutation: ['applicationDelete', 'applicationEdit', 'campaignChangeState', 'campaignEdit', 'webhookRedeliver'],
} as const satisfies { Query: (keyof QueryResolvers)[]; Mutation: (keyof MutationResolvers)[] };

export function isForServices(root: 'Query' | 'Mutation', field: string): boolean {
  return (fields[root] as readonly string[]).includes(field);
}

// Refuses with 401 an operation that selects a protected root field while its request has no valid bearer token.

type Resolved = GraphQLRequestContextDidResolveOperation<AdminContext>;

/** Reads names alone, so that it can come before validation. */
export async function assertCaller({ document, operation, contextValue, request }: Resolved): Promise<void> {
  if (!operation || !needsCaller(document, operation, request.variables ?? {})) return;
  if (!(await contextValue.authenticate())) throw unauthenticated();
}

function needsCaller(document: DocumentNode, operation: OperationDefinitionNode, variables: Variables): boolean {
  const root = operation.operation === OperationTypeNode.MUTATION ? 'Mutation' : 'Query';
  const fields = [...selectedRootFields(document, operation)];
  if (fields.some((field) => (accessOf(root, field) ?? 'public') !== 'public')) return true;
  return root === 'Mutation' && fields.some((field) => entering.has(field)) && !hasChallenge(document, variables);
}

/** Public with a `challenge` of login, and protected without one. */
const entering = new Set<string>(['invitationAccept', 'organizationCreate'] satisfies (keyof MutationResolvers)[]);

type Variables = Record<string, unknown>;

/**
 * Whether any argument `challenge` has a value. An operation has at most one of the two fields ("Limits"), so the
 * challenge is theirs.
 */
function hasChallenge(document: DocumentNode, variables: Variables): boolean {
  let found = false;
  const given = (value: ValueNode): boolean => isText(valueFromASTUntyped(value, variables));
  visit(document, {
    Argument({ name, value }) {
      if (name.value === 'challenge') found ||= given(value);
      if (name.value === 'input' && value.kind === Kind.VARIABLE)
        found ||= isText(challengeOf(variables[value.name.value]));
    },
    ObjectField({ name, value }) {
      if (name.value === 'challenge') found ||= given(value);
    },
  });
  return found;
}

const challengeOf = (input: unknown): unknown => (input as { challenge?: unknown } | null | undefined)?.challenge;

const isText = (value: unknown): boolean => typeof value === 'string';

function unauthenticated(): GraphQLError {
  const http = { status: 401, headers: new HeaderMap([['www-authenticate', 'Bearer']]) };
  return new GraphQLError('A valid bearer token is needed.', { extensions: { code: 'UNAUTHENTICATED', http } });
}

// Checks the caller's role before every root field's operation, and logs each authentication attempt.

type Call<Context = CallerContext> = (args: unknown, context: Context) => unknown;
export type RootResolver = (parent: unknown, args: unknown, ...given: [AdminContext, GraphQLResolveInfo]) => unknown;

type Root = 'Query' | 'Mutation';

/** These compare a password although the caller has a bearer, which may be stolen. */
const comparing = new Set<string>([
  'accountDelete',
  'emailChange',
  'passwordChange',
] satisfies (keyof MutationResolvers)[]);

export function guarded(root: Root, operations: object): Record<string, RootResolver> {
  return Object.fromEntries(
    Object.entries(operations).map(([field, operation]) => [field, guard(root, field, operation as Call)]),
  );
}

function guard(root: Root, field: string, operation: Call): RootResolver {
  const least = accessOf(root, field) ?? 'owner';
  if (least === 'public') {
    const open = operation as Call<AdminContext>;
    const call = root === 'Mutation' ? logged(field, open) : open;
    return (_parent, args, context) => call(args, context);
  }
  const bounded = root === 'Mutation' ? boundStored(field, operation) : operation;
  const call = comparing.has(field) ? logged(field, bounded) : bounded;
  return async (_parent, args, ...[context, info]) => {
    const caller = await context.authenticate();
    if (!caller) throw new Error('a protected field was reached without a caller');
    if (caller.service && !isForServices(root, field)) throw new AppError('forbidden', undefined);
    if (!isAtLeast(caller.role, least)) throw new AppError('forbidden', undefined);
    // `boundStored` counts them for a mutation; a query writes none.
    const wroteDeliveries = (): void => undefined;
    const given: CallerContext = { ...context, caller, wroteDeliveries, selects: (path) => selects(info, path) };
    return call(args, given);
  };
}

/**
 * For the public mutations and those that compare a password. Each field has its own log line, independent of the
 * fields beside it.
 */
function logged<Context extends AdminContext>(field: string, operation: Call<Context>): Call<Context> {
  return async (args, context) => {
    const note = (outcome: string): void => {
      const network = loggedNetwork(context.address);
      // What the service itself failed at says nothing about the caller: at warn an outage fills no log.
      const level = outcome === 'INTERNAL_SERVER_ERROR' ? 'warn' : 'info';
      context.log[level]({ operation: field, outcome, network }, 'authentication');
    };
    try {
      const result = await operation(args, context);
      note('OK');
      return result;
    } catch (error) {
      note(graphqlCode(error));
      throw error;
    }
  };
}

// Which fields a request selects: also through fragments and aliases, and fields that `@skip` leaves out.

export function selectedRootFields({ definitions }: DocumentNode, operation: OperationDefinitionNode): Set<string> {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Set(fieldsOf([operation.selectionSet], fragments).map(({ name }) => name.value));
}

/** Whether the request selects this path (`action.payload`) below the field that is being resolved. */
export function selects({ fieldNodes, fragments }: GraphQLResolveInfo, path: string): boolean {
  const definitions = Object.values(fragments);
  const last = path
    .split('.')
    .reduce<readonly FieldNode[]>(
      (parents, name) => fieldsOf(setsOf(parents), definitions).filter((field) => field.name.value === name),
      fieldNodes,
    );
  return last.length > 0;
}

const setsOf = (fields: readonly FieldNode[]): SelectionSetNode[] =>
  fields.flatMap(({ selectionSet }) => selectionSet ?? []);

function fieldsOf(selectionSets: SelectionSetNode[], definitions: FragmentDefinitionNode[]): FieldNode[] {
  const fragments = new Map(definitions.map(({ name, selectionSet }) => [name.value, selectionSet]));
  const fields: FieldNode[] = [];
  // Each fragment once: a second spread selects nothing new.
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) fields.push(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else {
        const fragment = fragments.get(selection.name.value);
        fragments.delete(selection.name.value);
        if (fragment) collect(fragment);
      }
    }
  };
  selectionSets.forEach(collect);
  return fields;
}
