// Arguments that are refused name their path, each of schema.graphql.
import {
  getNamedType,
  getNullableType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { askAdmin } from '../support/adminClient.ts';
import { adminSchema } from '../support/adminSchema.ts';
import { filledArguments, type Leaf } from '../support/filledInput.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// Each refusal of an argument names its path, also when the GraphQL library refuses the argument before execution.
describe('argumentPaths', () => {
  let service: TestService;
  let user: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    user = await newUser(service, await newOrganization(service));
  });

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
    [
      'null and a wrong scalar inside',
      login,
      { given: { email: null, password: 7 } },
      ['input.email', 'input.password'],
    ],
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
    [
      'an unknown field',
      'mutation { login(input: { email: "a", password: "x", extra: 1 }) { token } }',
      ['input.extra'],
    ],
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
});

// Every argument and input field of schema.graphql: a value of another type is refused before execution, at its own path.
describe('argumentPaths: sdl', () => {
  const schema = adminSchema();
  let service: TestService;
  let owner: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    owner = await newUser(service, await newOrganization(service));
  });

  /** A field with arguments, with the selection that leads to it. */
  interface Place {
    name: string;
    kind: string;
    around(field: string): string;
    field: GraphQLField<unknown, unknown>;
  }

  const places: Place[] = [];
  const visited = new Set<string>();
  function walk(type: GraphQLObjectType, kind: string, around: Place['around']): void {
    if (visited.has(type.name)) return;
    visited.add(type.name);
    for (const field of Object.values(type.getFields())) {
      const below = getNamedType(field.type);
      const tail = isObjectType(below) ? ' { __typename }' : '';
      if (field.args.length > 0)
        places.push({ name: `${type.name}.${field.name}`, kind, field, around: (text) => around(`${text}${tail}`) });
      if (!isObjectType(below)) continue;
      const { variables } = filledArguments(field.args.filter(isRequiredArgument), {});
      const call = `${field.name}${passed(field.args, variables)}`;
      walk(below, kind, (text) => around(`${call} { ${text} }`));
    }
  }
  walk(schema.getQueryType()!, 'query', (text) => `{ ${text} }`);
  walk(schema.getMutationType()!, 'mutation', (text) => `{ ${text} }`);

  /** The arguments as literals. */
  function passed(args: readonly GraphQLArgument[], values: Record<string, unknown>): string {
    const given = args.filter(({ name }) => Object.hasOwn(values, name));
    const texts = given.map(({ name, type }) => `${name}: ${literal(type, values[name])}`);
    return texts.length > 0 ? `(${texts.join(', ')})` : '';
  }

  function literal(declared: GraphQLInputType, value: unknown): string {
    const type = getNullableType(declared);
    if (isListType(type) && Array.isArray(value))
      return `[${value.map((item) => literal(type.ofType, item)).join(', ')}]`;
    if (isInputObjectType(type) && typeof value === 'object' && value !== null) {
      const fields = type.getFields();
      const texts = Object.entries(value).map(([name, item]) => {
        const field = fields[name];
        return `${name}: ${field ? literal(field.type, item) : JSON.stringify(item)}`;
      });
      return `{ ${texts.join(', ')} }`;
    }
    return isEnumType(type) && typeof value === 'string' ? value : JSON.stringify(value);
  }

  function asVariables({ kind, around, field }: Place, values: Record<string, unknown>) {
    const declared = field.args.map(({ name, type }) => `$v_${name}: ${String(type)}`).join(', ');
    const call = field.args.map(({ name }) => `${name}: $v_${name}`).join(', ');
    const variables = Object.fromEntries(Object.entries(values).map(([name, value]) => [`v_${name}`, value]));
    return { query: `${kind} Q(${declared}) ${around(`${field.name}(${call})`)}`, variables };
  }
  const asLiterals = ({ kind, around, field }: Place, values: Record<string, unknown>) => ({
    query: `${kind} ${around(`${field.name}${passed(field.args, values)}`)}`,
    variables: {},
  });

  async function refused({ query, variables }: { query: string; variables: Record<string, unknown> }) {
    const { status, errors } = await owner.ask(query, variables);
    const paths = errors.flatMap(({ extensions }) => (extensions['fields'] ?? []) as { path: string }[]);
    return { status, codes: errors.map(({ extensions }) => extensions.code), paths: paths.map(({ path }) => path) };
  }

  /** Both forms name exactly this path, and nothing is executed. */
  async function expectRefused(place: Place, values: Record<string, unknown>, path: string): Promise<void> {
    const code = { variables: 'BAD_USER_INPUT', literals: 'GRAPHQL_VALIDATION_FAILED' };
    const variables = { form: 'variables', path, ...(await refused(asVariables(place, values))) };
    expect(variables).toEqual({ form: 'variables', path, status: 400, codes: [code.variables], paths: [path] });
    const literals = { form: 'literals', path, ...(await refused(asLiterals(place, values))) };
    expect(literals).toEqual({ form: 'literals', path, status: 400, codes: [code.literals], paths: [path] });
  }

  /** For each type values that are none of it. */
  const wrong: Record<string, unknown[]> = {
    String: [7, true],
    Int: ['1', 1.5, 2 ** 31, true],
    Float: ['1', true],
    Boolean: ['true', 0],
    UUID: ['', 'x', '{018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90}', 7],
    DateTime: [
      '',
      '2026-03-01',
      '2026-03-01T09:30:00',
      '2026-03-01T09:30',
      '2026-02-30T09:30:00Z',
      '0000-01-01T00:00:00Z',
      1_772_357_400,
    ],
    Date: ['', '2026-03', '2026-3-1', '2026-02-30', '0000-01-01', '10000-01-01', '2026-03-01T00:00:00Z', 20_260_301],
    JSON: ['\0', nested(33)],
  };

  function nested(levels: number): unknown {
    return levels === 0 ? 1 : [nested(levels - 1)];
  }

  function wrongFor({ type }: Leaf): unknown[] {
    if (isEnumType(schema.getType(type))) return ['NOPE', 'active', 1];
    const values = wrong[type];
    if (!values) throw new Error(`no wrong value for the scalar ${type}`);
    return values;
  }

  test('every field with arguments is found', () => {
    const fields = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter(({ args }) => args.length > 0 && !type.name.startsWith('__'))
          .map(({ name }) => `${type.name}.${name}`),
      );
    expect(places.map(({ name }) => name).sort()).toEqual(fields.sort());
  });

  describe.each(places)('$name', (place) => {
    const { args } = place.field;
    const { leaves } = filledArguments(args, {});

    test('a value of another type', async () => {
      for (const leaf of leaves) {
        for (const value of wrongFor(leaf))
          await expectRefused(place, filledArguments(args, { [leaf.path]: value }).variables, leaf.path);
      }
    });

    test('null and nothing where a value is required, and a field that does not exist', async () => {
      const faults = args.flatMap(({ name, type }) => faultsIn(type, name));
      for (const { path, change } of faults) {
        const { variables } = filledArguments(args, {});
        change(variables);
        await expectRefused(place, variables, path);
      }
    });
  });

  interface Fault {
    path: string;
    change(variables: Record<string, unknown>): void;
  }

  /** The faults that an object or a list of this type can have at this path. */
  function faultsIn(declared: GraphQLInputType, path: string): Fault[] {
    const type = getNullableType(declared);
    const nulled: Fault[] = isNonNullType(declared) ? [{ path, change: (values) => set(values, path, null) }] : [];
    if (isListType(type)) return [...nulled, ...faultsIn(type.ofType, `${path}[0]`)];
    if (!isInputObjectType(type)) return nulled;
    const all = Object.values(type.getFields());
    // The filled value has the first field of these alone.
    const fields = type.isOneOf ? all.slice(0, 1) : all;
    const absent = fields.filter(isRequiredInputField).map(({ name }) => `${path}.${name}`);
    const unknown = `${path}.${fields[0]!.name}s`;
    return [
      ...nulled,
      { path, change: (values) => set(values, path, 'x') },
      ...absent.map((field) => ({ path: field, change: (values: Record<string, unknown>) => set(values, field) })),
      // Beside the one field that is allowed it would be two faults.
      ...(type.isOneOf
        ? []
        : [{ path: unknown, change: (values: Record<string, unknown>) => set(values, unknown, 1) }]),
      ...fields.flatMap(({ name, type }) => faultsIn(type, `${path}.${name}`)),
    ];
  }

  /** Without a value the field is taken out. */
  function set(values: Record<string, unknown>, path: string, ...value: [unknown?]): void {
    const steps = path.split(/\.|\[|\]\.?/).filter((step) => step !== '');
    const last = steps.pop()!;
    const holder = steps.reduce((at, step) => at[step] as Record<string, unknown>, values);
    if (value.length > 0) holder[last] = value[0];
    else delete holder[last];
  }
});
