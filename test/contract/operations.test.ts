// Both lists of operations against both contracts: nothing missing, nothing extra, and what is unwritten says so.
import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { resolvers } from '../../src/graphql/resolvers.ts';
import { unwritten as unwrittenFields } from '../../src/graphql/unwritten.ts';
import { operations } from '../../src/http/operations.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { rootFields, sampleOperation } from '../support/graphqlSamples.ts';
import { loadPublicDocument, type PublicDocument } from '../support/publicDocument.ts';
import { rootFieldsNotWrittenYet } from '../support/ratchets.ts';
import { startTestService, type TestService } from '../support/testService.ts';

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
    const stubs = [...stubsOf(resolvers.Query), ...stubsOf(resolvers.Mutation)];
    expect(sorted(unwrittenFields)).toEqual(sorted(stubs));
  });

  test('has no more unwritten fields than it had: a written one leaves the ratchet, a new one never joins it', () => {
    expect(sorted(unwrittenFields)).toEqual(sorted(rootFieldsNotWrittenYet));
  });

  const stubs = names.filter(({ name }) => (unwrittenFields as readonly string[]).includes(name));
  test.each(stubs.map(({ kind, name }) => [kind, name] as const))(
    '%s %s is an error with NOT_IMPLEMENTED and no data',
    async (kind, name) => {
      const answer = await fetch(`${service.url}/admin/graphql/`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(sampleOperation(schema, kind, name)),
      });
      const body = (await answer.json()) as { data: Record<string, unknown> | null; errors: unknown[] };
      expect(body.errors).toEqual([
        expect.objectContaining({ path: [name], extensions: { code: 'NOT_IMPLEMENTED' } }) as object,
      ]);
      expect(body.data?.[name] ?? null).toBeNull();
      expect(answer.status).toBe(200);
    },
  );
});
