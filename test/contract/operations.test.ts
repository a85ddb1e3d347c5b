// Compares the lists of operations in the code with both contracts: nothing missing, nothing extra.
import { readFileSync } from 'node:fs';
import { OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { parse } from 'yaml';
import { resolvers } from '../../src/graphql/resolvers.ts';
import { operations } from '../../src/http/publicOperations.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { loadPublicDocument } from '../support/publicDocument.ts';
import { adminSchema } from '../support/adminSchema.ts';

const sorted = (names: Iterable<string>) => [...names].sort();

test('the public contract is sound: the service takes that for granted', async () => {
  const definition = parse(readFileSync(projectFile('openapi.yaml'), 'utf8')) as OpenAPIV3.Document;
  const loaded = (document: OpenAPIV3.Document) =>
    new OpenAPIBackend({ definition: document, strict: true, validate: false }).init();
  await expect(loaded({ ...definition, paths: { '/x': { get: {} } } } as never)).rejects.toThrow('not valid OpenAPI');
  await loaded(definition);
});

test('the public contract names a server without variables: generators take it for the base URL as it stands', async () => {
  const { servers = [] } = (await loadPublicDocument()).definition;
  expect(servers.map(({ url }) => new URL(url).origin)).toEqual(servers.map(({ url }) => url));
  expect(servers).toHaveLength(1);
});

test('the public contract has exactly the operations of the handler list', async () => {
  const documented = (await loadPublicDocument()).getOperations().map(({ operationId }) => operationId!);
  expect(sorted(Object.keys(operations))).toEqual(sorted(documented));
});

test('the admin contract has exactly the root fields of the resolver list', () => {
  const schema = adminSchema();
  expect(sorted(Object.keys(resolvers.Query))).toEqual(sorted(Object.keys(schema.getQueryType()!.getFields())));
  expect(sorted(Object.keys(resolvers.Mutation))).toEqual(sorted(Object.keys(schema.getMutationType()!.getFields())));
});
