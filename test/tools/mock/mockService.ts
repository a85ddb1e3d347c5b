// Both contracts served from their examples: the service's own edges and checks, over nothing that is kept.
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { buildSchema } from 'graphql';
import type { OpenAPIV3 } from 'openapi-types';
import type { components } from '../../../generated/openapi.ts';
import { bearerOf } from '../../../src/accounts/bearer.ts';
import { createApp } from '../../../src/app.ts';
import type { Deps } from '../../../src/deps.ts';
import { createAdminApi, type AdminApi } from '../../../src/graphql/adminApi.ts';
import { createContext } from '../../../src/graphql/context.ts';
import { guarded } from '../../../src/graphql/guard.ts';
import { scalars } from '../../../src/graphql/scalars.ts';
import { loadPublicContract, type PublicContract } from '../../../src/http/contract.ts';
import { operations } from '../../../src/http/operations.ts';
import { projectFile } from '../../../src/platform/projectRoot.ts';
import type { Caller } from '../../../src/workspace/caller.ts';
import { exampleResolvers } from './adminExamples.ts';
import { withFaults } from './faults.ts';
import { mockDeps, type MockKey } from './mockDeps.ts';

type CampaignConfig = components['schemas']['CampaignConfig'];

/** Whoever brings a bearer token, whatever is in it. */
const caller: Caller = {
  userId: '00000000-0000-7000-8000-000000000002',
  organizationId: '00000000-0000-7000-8000-000000000001',
  email: 'demo@example.com',
  role: 'owner',
};

export async function createMockService(key: MockKey, signatureRequired: boolean): Promise<RequestListener> {
  const contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
  const deps = mockDeps({ key, signatureRequired, campaigns: campaignsExample(contract) });
  const admin = await createMockAdmin(deps);
  return withFaults(createApp({ contract, admin }, deps));
}

/** The first example of the contract, which a test holds to its schema. */
function campaignsExample({ document }: PublicContract): CampaignConfig {
  const answer = document.paths['/api/v1/campaigns']!.get!.responses['200'] as OpenAPIV3.ResponseObject;
  const [reference] = Object.values(answer.content!['application/json']!.examples!) as OpenAPIV3.ReferenceObject[];
  const example = document.components!.examples![reference!.$ref.split('/').at(-1)!] as OpenAPIV3.ExampleObject;
  return example.value as CampaignConfig;
}

async function createMockAdmin(deps: Deps): Promise<AdminApi> {
  const sdl = await readFile(projectFile('schema.graphql'), 'utf8');
  const { Query = {}, Mutation = {}, ...types } = exampleResolvers(buildSchema(sdl));
  const resolvers = {
    Query: guarded('Query', asOperations(Query)),
    Mutation: guarded('Mutation', asOperations(Mutation)),
    ...types,
    ...scalars,
  };
  const contextOf: typeof createContext = (request, given) => ({
    ...createContext(request, given),
    authenticate: async () => (bearerOf(request.headers.authorization) === null ? null : caller),
  });
  return createAdminApi({ sdl, production: false, deps, resolvers, contextOf });
}

type Resolvers = ReturnType<typeof exampleResolvers>[string];

function asOperations(resolvers: Resolvers) {
  return Object.fromEntries(
    Object.entries(resolvers).map(([field, resolve]) => [field, (args: Record<string, unknown>) => resolve({}, args)]),
  );
}
