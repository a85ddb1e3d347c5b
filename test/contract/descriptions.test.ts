// Both contracts explain everything that they name. These tests list each name without a description, or without a due example.
import { readFileSync } from 'node:fs';
import {
  getNamedType,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import type { OpenAPIV3 } from 'openapi-types';
import type { MutationResolvers } from '../../generated/graphql.ts';
import { type AuditAction, unrecorded } from '../../src/audit/audit.ts';
import { access, type Access, isForServices } from '../../src/graphql/authorization.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { adminSchema } from '../support/adminSchema.ts';
import { canaryOperation } from '../support/canaries.ts';
import { filledArguments, type Leaf } from '../support/filledInput.ts';
import { loadPublicDocument, type PublicDocument } from '../support/publicDocument.ts';
import { responseExamples } from '../support/publicExamples.ts';
import { documentedErrors, rootFields } from '../support/rootFields.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

describe('descriptions', () => {
  interface Named {
    at: string;
    description?: string | null | undefined;
  }

  /** A word is no explanation. */
  const unexplained = (found: Named[]) =>
    found.filter(({ description }) => !description || description.trim().length < 5).map(({ at }) => at);

  // Comments and pages cite a rule by file and heading.
  test.each(['openapi.yaml', 'schema.graphql'])('each heading of %s is plain text and stands in one place', (file) => {
    const text = readFileSync(projectFile(file), 'utf8');
    const headings = [...text.matchAll(/^ *#{2,4} (.+)$/gm)].map(([, heading]) => heading!);
    expect(headings.length).toBeGreaterThan(20);
    expect(headings.filter((heading, index) => headings.indexOf(heading) !== index)).toEqual([]);
    expect(headings.filter((heading) => !/^[A-Z][\w`, ()-]+$/.test(heading))).toEqual([]);
  });

  describe('openapi.yaml', () => {
    let document: PublicDocument;
    beforeAll(async () => {
      document = await loadPublicDocument();
    });

    function properties(at: string, schema: OpenAPIV3.SchemaObject): Named[] {
      const own = Object.entries(schema.properties ?? {}) as [string, OpenAPIV3.SchemaObject][];
      const items = schema.type === 'array' ? properties(`${at}[]`, schema.items as OpenAPIV3.SchemaObject) : [];
      return [
        ...own.flatMap(([name, property]) => [
          { at: `${at}.${name}`, description: property.description },
          ...properties(`${at}.${name}`, property),
        ]),
        ...items,
      ];
    }

    test('every schema and every property has a description', () => {
      const schemas = Object.entries(document.definition.components!.schemas!) as [string, OpenAPIV3.SchemaObject][];
      const found = schemas.flatMap(([at, schema]) => [
        { at, description: schema.description },
        ...properties(at, schema),
      ]);
      expect(unexplained(found)).toEqual([]);
      expect(found.length).toBeGreaterThan(100);
    });

    test('every operation, parameter, body, response and header has one too, and every tag', () => {
      const found = document.getOperations().flatMap((operation) => {
        const at = operation.operationId!;
        const { parameters = [], requestBody, responses } = operation;
        const body = requestBody as OpenAPIV3.RequestBodyObject | undefined;
        return [
          { at, description: operation.description },
          { at: `${at} summary`, description: operation.summary },
          ...(parameters as OpenAPIV3.ParameterObject[]).map(({ name, description }) => ({ at: name, description })),
          ...(body ? [{ at: `${at} body`, description: body.description }] : []),
          ...Object.entries(responses as Record<string, OpenAPIV3.ResponseObject>).flatMap(([status, response]) => [
            { at: `${at} ${status}`, description: response.description },
            ...Object.entries(response.headers ?? {}).map(([name, header]) => ({
              at: `${at} ${status} ${name}`,
              description: (header as OpenAPIV3.HeaderObject).description,
            })),
          ]),
        ];
      });
      const tags = document.definition.tags!.map(({ name, description }) => ({ at: name, description }));
      expect(unexplained([...found, ...tags])).toEqual([]);
      expect(found.length).toBeGreaterThan(60);
    });

    test('every parameter and every header has an example', () => {
      const { parameters = {}, headers = {} } = document.definition.components!;
      const holders = { ...parameters, ...headers } as Record<string, OpenAPIV3.ParameterObject>;
      expect(Object.keys(holders).filter((name) => holders[name]!.example === undefined)).toEqual([]);
    });

    test('every reason of a 403 and every unit of a 413 is shown by an example', () => {
      const schemas = document.definition.components!.schemas! as Record<string, OpenAPIV3.SchemaObject>;
      const words = (schema: string, property: string) =>
        (schemas[schema]!.properties![property] as OpenAPIV3.SchemaObject).enum as string[];
      const shown = (property: string) =>
        new Set(responseExamples(document).map(({ value }) => (value as Record<string, unknown>)[property]));
      expect([...shown('reason')]).toEqual(expect.arrayContaining(words('RequestNotAuthenticatedError', 'reason')));
      expect([...shown('unit')]).toEqual(expect.arrayContaining(words('PayloadTooLargeError', 'unit')));
    });
  });

  describe('schema.graphql', () => {
    const schema: GraphQLSchema = adminSchema();
    const builtIn = /^__|^(String|Int|Float|Boolean|ID)$/;
    const types = Object.values(schema.getTypeMap()).filter(({ name }) => !builtIn.test(name));

    interface Field extends Named {
      type: GraphQLType;
      args: readonly { name: string; description?: string | null | undefined; type: GraphQLType }[];
    }
    function fieldsOf(type: GraphQLNamedType): Field[] {
      const at = ({ name }: { name: string }) => `${type.name}.${name}`;
      if (isObjectType(type)) return Object.values(type.getFields()).map((field) => ({ ...field, at: at(field) }));
      if (!isInputObjectType(type)) return [];
      return Object.values(type.getFields()).map((field) => ({ ...field, at: at(field), args: [] }));
    }

    function partsOf(type: GraphQLNamedType): Named[] {
      if (isEnumType(type)) return type.getValues().map((value) => ({ ...value, at: `${type.name}.${value.name}` }));
      return fieldsOf(type).flatMap(({ at, description, args }) => [
        { at, description },
        ...args.map(({ name, description: text }) => ({ at: `${at}(${name})`, description: text })),
      ]);
    }

    test('every type, field, argument, input and value has a description', () => {
      const found = types.flatMap((type) => [{ at: type.name, description: type.description }, ...partsOf(type)]);
      expect(unexplained([{ at: 'schema', description: schema.description }, ...found])).toEqual([]);
      expect(found.length).toBeGreaterThan(250);
    });

    test('every root field says who may call it and what it refuses', () => {
      const roots = [schema.getQueryType()!, schema.getMutationType()!].flatMap((root) =>
        Object.values(root.getFields()),
      );
      const silent = roots.filter(({ description }) => !/^Access: .+\nErrors: /m.test(description ?? ''));
      expect(silent.map(({ name }) => name)).toEqual([]);
    });

    test('the least role that a root field names is the one that it is guarded by', () => {
      const rolesOf = (root: GraphQLObjectType) =>
        Object.fromEntries(
          Object.values(root.getFields()).map(({ name, description }) => {
            const least = /^Access: (\w+)/m.exec(description ?? '')?.[1];
            return [name, least];
          }),
        );
      const said = { Query: rolesOf(schema.getQueryType()!), Mutation: rolesOf(schema.getMutationType()!) };
      expect(said).toEqual(access);
    });

    test('the root fields that are not public list UNAUTHENTICATED, and those for more than a viewer or not for service tokens FORBIDDEN', () => {
      const least: Record<string, Access> = { ...access.Query, ...access.Mutation };
      const errors = [...documentedErrors(schema)];
      const listing = (code: string) => errors.filter(([, codes]) => codes.includes(code)).map(([name]) => name);
      const needing = (...levels: Access[]) => Object.keys(least).filter((name) => !levels.includes(least[name]!));
      // Without a challenge these two need a bearer.
      const entering = ['invitationAccept', 'organizationCreate'];
      expect(listing('UNAUTHENTICATED').sort()).toEqual([...needing('public'), ...entering].sort());
      const isForViewers = (name: string) => isForServices('Query', name) && least[name] === 'viewer';
      const refusing = needing('public').filter((name) => !isForViewers(name));
      // A setting refuses a sign-up.
      expect(listing('FORBIDDEN').sort()).toEqual([...refusing, ...entering, 'signup'].sort());
    });

    test('the actions that an audit entry names are those that are recorded', () => {
      const others = { apiKeyReveal: true, userCreate: true, userReset: true } satisfies Record<
        Exclude<AuditAction, keyof MutationResolvers>,
        true
      >;
      const silent = new Set<string>(unrecorded);
      const mutations = Object.keys(schema.getMutationType()!.getFields()).filter((name) => !silent.has(name));
      const { description } = (schema.getType('AuditEntry') as GraphQLObjectType).getFields()['action']!;
      const [recorded] = description!.split('mutation that changed nothing');
      const named = new Set([...recorded!.matchAll(/`(\w+)`/g)].map(([, name]) => name));
      expect(named).toEqual(new Set([...mutations, ...Object.keys(others)]));
    });

    test('only the error codes are a type that no field has', () => {
      const reached = new Set<string>();
      const visit = (type: GraphQLNamedType) => {
        if (reached.has(type.name)) return;
        reached.add(type.name);
        for (const field of fieldsOf(type)) for (const part of [field, ...field.args]) visit(getNamedType(part.type));
      };
      visit(schema.getQueryType()!);
      visit(schema.getMutationType()!);
      expect(types.map(({ name }) => name).filter((name) => !reached.has(name))).toEqual(['ErrorCode']);
    });
  });
});

// Every text of the admin API has a maximum length and no NUL. schema.graphql declares only types, so this test tries each operation's own check.
describe('everyTextIsBounded', () => {
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
});
