// Every text of the admin API has a maximum length and no NUL. schema.graphql declares only types, so this test tries each operation's own check.
import { type GraphQLArgument } from 'graphql';
import { canaryOperation } from '../support/canaries.ts';
import { filledArguments, type Leaf } from '../support/filledInput.ts';
import { rootFields } from '../support/rootFields.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { adminSchema } from '../support/adminSchema.ts';

const schema = adminSchema();

let service: TestService;
let owner: TestUser;
beforeAll(async () => {
  service = await startTestService();
  owner = await newUser(service, await organizationOf(service, service.application.id));
});
afterAll(() => service.stop());

/**
 * These texts are only compared with stored ones. A wrong text matches nothing, and gets the response of any unknown
 * one.
 */
const compared = [
  'accountDelete password',
  'apiKeyEdit input.public',
  'apiKeyRevoke public',
  'emailChange input.password',
  'emailConfirm token',
  'invitationAccept challenge',
  'invitationAccept token',
  'login input.email',
  'login input.password',
  'organizationCreate input.challenge',
  'passwordChange input.currentPassword',
  'refreshToken token',
  'updatePassword input.token',
  'userEdit input.email',
  'userRemove email',
];

const texts: [string, string][] = [
  ['NUL', 'a\0b'],
  ['half of a surrogate pair', 'a\ud800b'],
  ['70,000 characters', 'x'.repeat(70_000)],
];

interface Place {
  kind: 'query' | 'mutation';
  name: string;
  args: readonly GraphQLArgument[];
  leaf: Leaf;
}

const places = rootFields(schema).flatMap(({ kind, name }): Place[] => {
  const type = kind === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
  const { args } = type.getFields()[name]!;
  const { leaves } = filledArguments(args, {});
  const ofText = leaves.filter(({ type }) => type === 'String' || type === 'JSON');
  return ofText.map((leaf) => ({ kind, name, args, leaf }));
});

test.each(places)('$name $leaf.path', async ({ kind, name, args, leaf: { path, type } }) => {
  for (const [what, text] of texts) {
    const { variables } = filledArguments(args, { [path]: text });
    const making = { canaries: new Map(), fixed: (path: string) => variables[path.slice(name.length + 1)] };
    const { query } = canaryOperation(schema, { kind, name }, making);
    const { status, errors, codes } = await owner.ask(query, variables);
    expect(codes).not.toContain('INTERNAL_SERVER_ERROR');
    if (compared.includes(`${name} ${path}`)) continue;
    // The scalar JSON refuses the text before execution.
    if (type === 'JSON' && status === 400) continue;
    // The response also names the faults of other fields.
    const faults = errors.flatMap(({ extensions }) => (extensions['fields'] ?? []) as { path: string }[]);
    expect([what, faults.map(({ path }) => path)]).toEqual([what, expect.arrayContaining([path])]);
  }
});

test('no text is left that is compared only and does not exist', () => {
  const existing = places.map(({ name, leaf }) => `${name} ${leaf.path}`);
  expect(existing.length).toBeGreaterThan(40);
  expect(existing).toEqual(expect.arrayContaining(compared));
});
