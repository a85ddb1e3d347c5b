// Both lists of operations against both contracts: nothing missing, nothing extra, and what is unwritten says so.
import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { operations as fields, resolvers } from '../../src/graphql/resolvers.ts';
import { unwritten as unwrittenFields } from '../../src/graphql/unwritten.ts';
import { operations } from '../../src/http/operations.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { rootFields, sampleOperation } from '../support/graphqlSamples.ts';
import { loadPublicDocument, type PublicDocument } from '../support/publicDocument.ts';
import { rootFieldsNotWrittenYet } from '../support/ratchets.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

const schema = buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'));
let document: PublicDocument;
let service: TestService;
beforeAll(async () => {
  document = await loadPublicDocument();
  service = await startTestService();
});
afterAll(() => service.stop());

const sorted = (names: Iterable<string>) => [...names].sort();
const stubsOf = (list: Record<string, { name: string }>) =>
  Object.entries(list).flatMap(([name, handler]) => (handler.name === 'notImplemented' ? [name] : []));

describe('contract 1', () => {
  test('has exactly the operations of the handler list', () => {
    const documented = document.getOperations().map(({ operationId }) => operationId!);
    expect(sorted(Object.keys(operations))).toEqual(sorted(documented));
  });
});

describe('contract 2', () => {
  const names = rootFields(schema);

  test('has exactly the root fields of the resolver list', () => {
    const listed = (kind: string) => names.filter((field) => field.kind === kind).map(({ name }) => name);
    expect(sorted(Object.keys(resolvers.Query))).toEqual(sorted(listed('query')));
    expect(sorted(Object.keys(resolvers.Mutation))).toEqual(sorted(listed('mutation')));
  });

  test('lists as unwritten exactly the resolvers that are stubs', () => {
    const stubs = [...stubsOf(fields.Query), ...stubsOf(fields.Mutation)];
    expect(sorted(unwrittenFields)).toEqual(sorted(stubs));
  });

  test('has no more unwritten fields than it had: a written one leaves the ratchet, a new one never joins it', () => {
    expect(sorted(unwrittenFields)).toEqual(sorted(rootFieldsNotWrittenYet));
  });

  test('an unwritten field is an error with NOT_IMPLEMENTED and no data', async () => {
    const owner = await newUser(service, await newOrganization(service));
    const stubs = names.filter(({ name }) => (unwrittenFields as readonly string[]).includes(name));
    for (const { kind, name } of stubs) {
      const { query, variables } = sampleOperation(schema, kind, name);
      const { status, data, errors } = await owner.ask(query, variables);
      expect(errors).toEqual([
        expect.objectContaining({ path: [name], extensions: { code: 'NOT_IMPLEMENTED' } }) as object,
      ]);
      expect([status, data?.[name] ?? null]).toEqual([200, null]);
    }
  });
});
