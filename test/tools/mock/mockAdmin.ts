// The admin API of the mock: it runs each operation of the service up to its first query, then returns an example.
import { readFile } from 'node:fs/promises';
import { buildSchema } from 'graphql';
import { bearerOf } from '../../../src/accounts/authenticate.ts';
import type { Deps } from '../../../src/deps.ts';
import { createAdminApi, type AdminApi } from '../../../src/graphql/adminApi.ts';
import { createContext, type AdminContext } from '../../../src/graphql/context.ts';
import type { RootResolver } from '../../../src/graphql/authorization.ts';
import { resolvers, scalars } from '../../../src/graphql/resolvers.ts';
import { projectFile } from '../../../src/platform/projectRoot.ts';
import { roles, type LiveCaller } from '../../../src/workspace/workspace.ts';
import { uncountedAttempts } from '../../support/uncountedAttempts.ts';
import { exampleResolvers } from './adminExamples.ts';

type Examples = ReturnType<typeof exampleResolvers>[string];

/** Thrown at the first use of the database. All checks that need no database have passed by then. */
const databaseAsked = new Error('the mock has no database');
const noDatabase = new Proxy(
  {},
  {
    get() {
      throw databaseAsked;
    },
  },
) as AdminContext['adminPool'] & AdminContext['prisma'] & AdminContext['loaders'];

export async function createMockAdmin(deps: Deps): Promise<AdminApi> {
  const sdl = await readFile(projectFile('schema.graphql'), 'utf8');
  const { Query, Mutation, ...types } = exampleResolvers(buildSchema(sdl));
  const roots = {
    Query: withExamples(resolvers.Query, Query!),
    Mutation: withExamples(resolvers.Mutation, Mutation!),
  };
  return createAdminApi({ sdl, production: false, deps, resolvers: { ...roots, ...types, ...scalars }, contextOf });
}

const contextOf: typeof createContext = (request, deps) => ({
  ...createContext(request, { ...deps, attempts: uncountedAttempts }),
  adminPool: noDatabase,
  prisma: noDatabase,
  loaders: noDatabase,
  authenticate: async () => callerOf(bearerOf(request.headers.authorization)),
});

/** The caller with a bearer token. A token that names a role has that role, and every other token is an owner's. */
function callerOf(token: string | null): LiveCaller | null {
  if (token === null) return null;
  return {
    userId: '00000000-0000-7000-8000-000000000002',
    organizationId: '00000000-0000-7000-8000-000000000001',
    sessionId: '00000000-0000-7000-8000-000000000003',
    email: 'demo@example.com',
    role: roles.find((role) => role === token) ?? 'owner',
  };
}

function withExamples(operations: Record<string, RootResolver>, examples: Examples): Record<string, RootResolver> {
  return Object.fromEntries(
    Object.entries(operations).map(([field, operation]) => [
      field,
      async (...call) => {
        try {
          return await operation(...call);
        } catch (error) {
          if (error !== databaseAsked) throw error;
          return examples[field]!({}, call[1] as Record<string, unknown>);
        }
      },
    ]),
  );
}
