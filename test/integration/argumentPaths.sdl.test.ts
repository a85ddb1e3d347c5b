// Every argument and input field of schema.graphql: a value of another type is refused before execution, at its own path.
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
} from 'graphql';
import { adminSchema } from '../support/adminSchema.ts';
import { filledArguments, type Leaf } from '../support/filledInput.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

const schema = adminSchema();
let service: TestService;
let owner: TestUser;
beforeAll(async () => {
  service = await startTestService();
  owner = await newUser(service, await newOrganization(service));
});
afterAll(() => service.stop());

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
    ...(type.isOneOf ? [] : [{ path: unknown, change: (values: Record<string, unknown>) => set(values, unknown, 1) }]),
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
