// Makes the skeleton of a root field of schema.graphql. It does not compile where no return value can be made up.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import { roomFor, sourceFile, testFile } from './placement.ts';
import type { Wanted } from './publicStub.ts';
import { firstSentence, StubError, type Skeleton } from './skeleton.ts';

type Field = GraphQLField<unknown, unknown>;
interface Root {
  name: 'Query' | 'Mutation';
  field: Field;
  access: string;
}

const examplesFile = 'test/contract/adminExamples.test.ts';

/** Null when neither root type has a field of this name. */
export function adminStub({ root, name, room: given }: Wanted): Skeleton | null {
  const schema = buildSchema(readFileSync(path.join(root, 'schema.graphql'), 'utf8'));
  const found = rootOf(schema, name);
  if (!found) return null;
  const room = roomFor(root, isLeafType(getNamedType(found.field.type)) ? [] : siblingsOf(schema, found.field), given);
  const table = found.name === 'Query' ? 'queries' : 'mutations';
  const left = [
    `write ${sourceFile(room, name)}`,
    `test/integration/access.test.ts does not compile until ${table} has a line for it`,
    `${examplesFile} sends the operation of its description, and fails until the response is right`,
  ];
  if (neededArgs(found.field).length > 0)
    left.push(`${testFile(name)} sends made-up values, and may fail until they are those of existing objects`);
  if (found.name === 'Mutation') {
    left.push('test/integration/auditLog.coverage.test.ts does not compile until it has a case for it');
    left.push('name it in the description of AuditEntry.action in schema.graphql');
  }
  return {
    files: [
      { name: sourceFile(room, name), text: handlerText(found) },
      { name: testFile(name), text: testText(found) },
    ],
    lines: [
      {
        file: 'src/graphql/resolvers.ts',
        after: /^import type \{ MutationResolvers.*\n/m,
        line: `import { ${name} } from '../${room}/${name}.ts';`,
      },
      { file: 'src/graphql/resolvers.ts', after: new RegExp(`^const ${found.name} = \\{\\n`, 'm'), line: `  ${name},` },
      {
        file: 'src/graphql/authorization.ts',
        after: new RegExp(`^ {2}${found.name}: \\{\\n`, 'm'),
        line: `    ${name}: '${found.access}',`,
      },
      {
        file: examplesFile,
        after: /^ *const variables: .*\n/m,
        line: `    ${name}: () => (${sampleVariables(neededArgs(found.field))}),`,
      },
    ],
    left,
  };
}

function rootOf(schema: GraphQLSchema, name: string): Root | null {
  const roots = [schema.getQueryType()!, schema.getMutationType()!];
  const type = roots.find((one) => one.getFields()[name]);
  if (!type) return null;
  const field = type.getFields()[name]!;
  const access = /^Access: (public|viewer|editor|admin|owner)\b/m.exec(field.description ?? '')?.[1];
  if (!access) throw new StubError(`the description of ${name} has no line "Access: …" with the least role, or public`);
  return { name: type.name as Root['name'], field, access };
}

/** The names of the root fields that return the same type. */
function siblingsOf(schema: GraphQLSchema, field: Field): string[] {
  const all = [schema.getQueryType()!, schema.getMutationType()!].flatMap((type) => Object.values(type.getFields()));
  return all.filter((one) => getNamedType(one.type) === getNamedType(field.type)).map(({ name }) => name);
}

const titleOf = ({ name, field }: Root) => `${name.toLowerCase()} ${field.name}: ${firstSentence(field.description!)}`;

function handlerText(root: Root): string {
  const { name: rootName, field, access } = root;
  const argsType = `${rootName}${field.name[0]!.toUpperCase()}${field.name.slice(1)}Args`;
  const hasArgs = field.args.length > 0;
  const response = isNonNullType(field.type)
    ? `${rootName}['${field.name}']`
    : `Exclude<${rootName}['${field.name}'], undefined>`;
  const context = access === 'public' ? '' : ', _context: { caller: { organizationId: string } }';
  return `// ${titleOf(root)}
    import type { ${hasArgs ? `${argsType}, ` : ''}${rootName} } from '../../generated/graphql.ts';

    export async function ${field.name}(_args: ${hasArgs ? argsType : 'unknown'}${context}): Promise<${response}> {
      ${isNonNullType(field.type) ? '' : 'return null;'}
    }
    `;
}

function testText(root: Root): string {
  const { name: rootName, field, access } = root;
  const needed = neededArgs(field);
  const declared = needed.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const given = needed.map(({ name }) => `${name}: $${name}`).join(', ');
  const selection = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
  const operation = `${rootName.toLowerCase()} Asked${declared && `(${declared})`} { ${field.name}${given && `(${given})`}${selection} }`;
  const variables = sampleVariables(needed);
  const role = access === 'public' ? 'viewer' : access;
  return `// ${titleOf(root)}
    import { startTestService, type TestService } from '../support/testService.ts';
    import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

    describe('${field.name}', () => {
      let service: TestService;
      let caller: TestUser;
      beforeAll(async () => {
        service = await startTestService();
        caller = await newUser(service, await newOrganization(service), '${role}');
      });
      afterAll(() => service.stop());

      const query = '${operation}';

      test('the role ${role} is answered', async () => {
        const { status, errors, data } = await caller.ask(query, ${variables});
        expect({ status, errors }).toEqual({ status: 200, errors: [] });
        expect(data).toHaveProperty('${field.name}');
      });

      test.todo('what the answer holds');
      test.todo('what it refuses');
    });
    `;
}

const neededArgs = (field: Field) => field.args.filter(({ type }) => isNonNullType(type));

/** The variables as source code. */
function sampleVariables(args: Field['args']): string {
  return JSON.stringify(Object.fromEntries(args.map(({ name, type }) => [name, sampleOf(type)])));
}

/** A made-up value of the type, for a person to replace. */
function sampleOf(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return sampleOf(type.ofType);
  if (isListType(type)) return [sampleOf(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const needed = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    return Object.fromEntries(needed.map((field) => [field.name, sampleOf(field.type)]));
  }
  const samples: Record<string, unknown> = {
    Boolean: true,
    Int: 1,
    Float: 1,
    DateTime: '2026-09-10T00:26:40Z',
    Date: '2026-09-10',
    JSON: {},
  };
  return samples[type.name] ?? (type.name === 'UUID' ? '018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90' : 'a text');
}
