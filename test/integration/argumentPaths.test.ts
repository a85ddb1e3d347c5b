// Each refusal of an argument names its path, also when the GraphQL library refuses the argument before execution.
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let user: TestUser;
beforeAll(async () => {
  service = await startTestService();
  user = await newUser(service, await newOrganization(service));
});
afterAll(() => service.stop());

async function refused(query: string, variables: Record<string, unknown> = {}) {
  const { status, errors } = await user.ask(query, variables);
  const fields = errors.flatMap(({ extensions }) => extensions['fields'] as { path: string; message: string }[]);
  return { status, codes: [...new Set(errors.map(({ extensions }) => extensions.code))], fields };
}
const pathsOf = async (query: string, variables?: Record<string, unknown>) => {
  const { status, codes, fields } = await refused(query, variables);
  return [status, codes, fields.map(({ path }) => path)];
};

const login = 'mutation L($given: LoginInput!) { login(input: $given) { token } }';
const edit = 'mutation E($given: CampaignEditInput!) { campaignEdit(input: $given) { id } }';
const condition = { param: 'p', op: 'EQ', value: 1 };
const trigger = { event: 'e', type: 'CUSTOM', filters: [condition, { ...condition, op: 'LIKE' }] };

test.each<[string, string, Record<string, unknown>, string[]]>([
  ['a wrong scalar', 'query Q($given: UUID!) { campaign(id: $given) { id } }', { given: 'x' }, ['id']],
  ['null', 'query Q($given: UUID!) { campaign(id: $given) { id } }', { given: null }, ['id']],
  ['an absent variable', 'query Q($given: UUID!) { campaign(id: $given) { id } }', {}, ['id']],
  ['null and a wrong scalar inside', login, { given: { email: null, password: 7 } }, ['input.email', 'input.password']],
  ['an absent field', login, { given: { email: 'a' } }, ['input.password']],
  ['an unknown field', login, { given: { email: 'a', password: 'x', extra: 1 } }, ['input.extra']],
  ['no object', login, { given: 'x' }, ['input']],
  ['an unknown enum value in a list', edit, { given: { trigger } }, ['input.trigger.filters[1].op']],
  [
    'a variable inside a literal',
    'mutation E($op: ConditionOperator!) { campaignEdit(input: { trigger: { event: "e", type: CUSTOM, filters: [{ param: "p", op: $op }] } }) { id } }',
    { op: 'LIKE' },
    ['input.trigger.filters[0].op'],
  ],
  [
    'a variable below the root, in a fragment',
    'query Q($n: Int) { campaign(id: "018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90") { id } ...F } fragment F on Query { auditLog(limit: $n) { at } }',
    { n: 'x' },
    ['limit'],
  ],
])('of variables: %s', async (...[, query, variables, paths]) => {
  expect(await pathsOf(query, variables)).toEqual([400, ['BAD_USER_INPUT'], paths]);
});

test.each<[string, string, string[]]>([
  ['a wrong scalar', '{ campaign(id: "x") { id } }', ['id']],
  ['null', '{ campaign(id: null) { id } }', ['id']],
  ['an absent argument', '{ campaign { id } }', ['id']],
  ['an unknown argument', '{ campaign(id: "018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90", name: "x") { id } }', ['name']],
  ['an unknown enum value', '{ campaigns(state: RUNNING) { id } }', ['state']],
  ['a field', 'mutation { login(input: { email: 7, password: null }) { token } }', ['input.email', 'input.password']],
  ['an absent field', 'mutation { login(input: { email: "a" }) { token } }', ['input.password']],
  ['an unknown field', 'mutation { login(input: { email: "a", password: "x", extra: 1 }) { token } }', ['input.extra']],
  [
    'an entry of a list',
    'mutation { campaignEdit(input: { targeting: { platforms: ["iOS", 7] } }) { id } }',
    ['input.targeting.platforms[1]'],
  ],
  ['a variable of another type', 'query Q($given: String!) { campaign(id: $given) { id } }', ['id']],
  ['the default of a variable', 'query Q($given: Int = "x") { campaigns(limit: $given) { id } }', ['limit']],
])('of literals: %s', async (_name, query, paths) => {
  expect(await pathsOf(query)).toEqual([400, ['GRAPHQL_VALIDATION_FAILED'], paths]);
});

test('an error that concerns no argument has no fields', async () => {
  const { errors } = await user.ask('{ you }');
  expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: 'GRAPHQL_VALIDATION_FAILED' }]);
});

test('of so many wrong values the first twenty are named one by one', async () => {
  const given = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, 1]));
  const { fields } = await refused(login, { given: { email: 'a', password: 'x', ...given } });
  expect(fields.map(({ path }) => path)).toEqual(Array.from({ length: 20 }, (_, index) => `input.k${index}`));
});

test('no message repeats a value', async () => {
  const given = { email: ['CANARY'], password: { CANARY: 1 } };
  const { fields } = await refused(login, { given });
  expect(fields).toHaveLength(2);
  const { text } = await askAdmin(service.url, { query: login, variables: { given } });
  expect(text).not.toContain('CANARY');
  const literal = await askAdmin(service.url, {
    query: 'mutation { login(input: { email: CANARY, password: ["CANARY"] }) { token } }',
  });
  expect(literal.text).not.toContain('CANARY');
});
