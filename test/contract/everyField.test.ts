// A field that is added to an input and read nowhere must fail the compiler, wherever inputs are read.
import { readFileSync } from 'node:fs';
import { isInputObjectType } from 'graphql';
import type { OpenAPIV3 } from 'openapi-types';
import { parse } from 'yaml';
import type { MutationResolvers } from '../../generated/graphql.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { type AdminResponse, askAdmin } from '../support/adminClient.ts';
import { adminSchema } from '../support/adminSchema.ts';
import { type Canaries, canary, canaryOperation } from '../support/canaries.ts';
import { filledArguments, type Leaf } from '../support/filledInput.ts';
import { loadPublicDocument } from '../support/publicDocument.ts';
import { sourceFiles } from '../support/sourceFiles.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

describe('everyField', () => {
  const sources = sourceFiles()
    .map(({ text }) => text)
    .join('\n');

  /** These inputs are never extended, or their reader removes the known fields and passes the rest on. */
  const withoutGuard = [
    'LoginInput',
    'ResetPasswordInput',
    'UpdatePasswordInput',
    'CampaignTriggerFilterInput',
    'UserPropertyConditionInput',
    'VersionRangeInput',
    'NamedValue',
    'SessionNumber',
  ];

  const isGuarded = (name: string) =>
    new RegExp(`(EveryField<\\s*|Required<)(Schemas\\['${name}'\\]|${name})[,>]`).test(sources);

  test('every input of the admin API names its fields where it is read', () => {
    const types = Object.values(adminSchema().getTypeMap());
    const inputs = types.filter(isInputObjectType).map(({ name }) => name);
    expect(inputs.length).toBeGreaterThan(10);
    expect(inputs.filter((name) => !isGuarded(name) && !withoutGuard.includes(name))).toEqual([]);
  });

  test('every object of a request body of the public API does so', () => {
    const text = readFileSync(projectFile('openapi.yaml'), 'utf8');
    const { paths, components } = parse(text) as OpenAPIV3.Document;
    const names = new Set<string>();
    const collect = (part: unknown): void => {
      for (const [, name] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g)) {
        if (names.has(name!)) continue;
        names.add(name!);
        collect(components!.schemas![name!]);
      }
    };
    for (const item of Object.values(paths)) collect(item?.post?.requestBody ?? {});
    const objects = [...names].filter((name) => 'properties' in (components!.schemas![name] as OpenAPIV3.SchemaObject));
    expect(objects).toContain('SessionEvent');
    expect(objects.filter((name) => !isGuarded(name) && !withoutGuard.includes(name))).toEqual([]);
  });
});

// Every field of the public API's bodies must be stored, and the admin API must return it.
describe('everyFieldComesBack', () => {
  type Schema = OpenAPIV3.SchemaObject;

  const notShown = [
    // Tells only whether the properties are the whole set, and is not stored.
    'reportSessions.user.lastSyncTS',
    // The same instant as `timestamp`, and not stored.
    'reportSessions.sessions.events.date',
    // Stored, but not returned.
    'reportAttribution.system.os_version',
    'reportAttribution.device.external_id',
    'reportStoreTransactions.device.external_id',
  ];

  const schema = adminSchema();

  let service: TestService;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await startTestService();
    viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  });
  afterAll(() => service.stop());

  /** A body in which every leaf has a unique value; `places` maps the text of each value in a response to its place. */
  function tokenBody(schema: Schema, place: string, places: Canaries): unknown {
    const next = places.size + 1;
    const named = (text: string): string => {
      places.set(text, place);
      return text;
    };
    if (schema.oneOf) return tokenBody(schema.oneOf[0] as Schema, place, places);
    if (schema.enum) return named(String(schema.enum.at(-1)));
    if (schema.type === 'array') return [tokenBody(schema.items as Schema, place, places)];
    if (schema.type === 'object') {
      const members = Object.entries(schema.properties ?? {});
      // The service stores an object without declared fields as it is.
      if (members.length === 0) return { [canary(places, `${place} (a key)`)]: canary(places, place) };
      return Object.fromEntries(
        members.map(([name, property]) => [name, tokenBody(property as Schema, `${place}.${name}`, places)]),
      );
    }
    if (schema.type === 'integer') return Number(named(String(770_000 + next)));
    const instant = new Date(Date.UTC(2026, 8, 10) + next * 1_000);
    if (schema.type === 'number' && /\.(timestamp|lastSyncTS)$/.test(place))
      return Date.parse(named(instant.toISOString())) / 1_000;
    if (schema.type === 'number') return Number(named(String(770_000 + next)));
    if (schema.format === 'date-time') return named(instant.toISOString());
    return schema.type === 'boolean' ? true : canary(places, place);
  }

  interface Report {
    device: { id: string };
    sessions: { id: string }[];
  }

  /** The body schemas, by operation. */
  async function bodySchemas(): Promise<Map<string, Schema>> {
    const { definition } = await loadPublicDocument();
    const posts = Object.values(definition.paths).flatMap((item) => item?.post ?? []);
    // A notification of the store is verified first. It has no field that a device shows.
    const operations = posts.filter(({ operationId }) => operationId !== 'receiveStoreNotification');
    return new Map(
      operations.map(({ operationId, requestBody }) => {
        const { content } = requestBody as OpenAPIV3.RequestBodyObject;
        return [operationId!, content['application/json']!.schema as Schema];
      }),
    );
  }

  async function send(operationId: string, body: unknown): Promise<void> {
    const response = await service.client.send(operationId, { 'X-Api-Key': service.application.key.public }, body);
    expect([operationId, response.body]).toEqual([operationId, {}]);
  }

  async function readDevice(id: string): Promise<string> {
    const given: Record<string, unknown> = { 'device.applicationId': service.application.id, 'device.id': id };
    const making = { canaries: new Map(), fixed: (path: string) => given[path] };
    const { query, variables } = canaryOperation(schema, { kind: 'query', name: 'device' }, making);
    const { text, errors } = await viewer.ask(query, variables);
    expect(errors).toEqual([]);
    return text;
  }

  test('a device shows every field of its uploads', async () => {
    const places: Canaries = new Map();
    const id = 'the-device';
    for (const [operationId, schema] of await bodySchemas()) {
      const body = tokenBody(schema, operationId, places) as Report;
      body.device.id = id;
      await send(operationId, body);
    }
    const text = await readDevice(id);
    const missing = [...places].filter(
      ([token, place]) => !text.toLowerCase().includes(token.toLowerCase()) && !place.endsWith('.device.id'),
    );
    expect(missing.map(([, place]) => place).sort()).toEqual([...notShown].sort());
  });

  test('every field of a session that comes twice is merged, in one upload or in two, whichever is first', async () => {
    const reports = (await bodySchemas()).get('reportSessions')!;
    const places: Canaries = new Map();
    const [one, other] = [1, 2].map(() => tokenBody(reports, 'reportSessions', places) as Report);
    const sessions = [...one!.sessions, ...other!.sessions].map((session) => ({ ...session, id: 'the-session' }));
    expect(sessions[0]).not.toEqual(sessions[1]);
    const stored = async (id: string, uploads: object[][]) => {
      for (const sessions of uploads)
        await send('reportSessions', { ...one, device: { ...one!.device, id }, sessions });
      const text = await readDevice(id);
      const { data } = JSON.parse(text.replace(/"receivedAt":"[^"]*"/g, '"receivedAt":null')) as {
        data: { device: { sessions: { events: { id: string }[] }[] } };
      };
      // They come in the order of the uploads.
      const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
      return data.device.sessions.map((session) => ({ ...session, events: session.events.toSorted(byId) }));
    };
    const together = await stored('together', [sessions]);
    expect(together).toHaveLength(1);
    expect(await stored('one by one', [[sessions[0]!], [sessions[1]!]])).toEqual(together);
    expect(await stored('the other way', [[sessions[1]!], [sessions[0]!]])).toEqual(together);
  });
});

// Every field that a mutation of the admin API takes must be stored, on creation and on an edit: a query must return it.
describe('everyEditComesBack', () => {
  const schema = adminSchema();

  let service: TestService;
  let owner: TestUser;
  beforeAll(async () => {
    service = await startTestService();
    owner = await newUser(service, await organizationOf(service, service.application.id));
  });
  afterAll(() => service.stop());

  /** By the path of a field: its value when the object is created, and its value when the object is edited. */
  type Choices = Record<string, [unknown, unknown]>;

  const twice = (value: unknown): [unknown, unknown] => [value, value];

  /** Fields whose value cannot be any word or number. Null: the mutation stores nothing that a query returns. */
  const mutations: Record<keyof MutationResolvers, (() => Choices | Promise<Choices>) | null> = {
    async applicationEdit() {
      const [project, other] = [await newProject(), await newProject()];
      return {
        'input.projectId': [project, other],
        'input.platform': ['iOS', 'Android'],
        'input.timeZone': ['Europe/Berlin', 'America/New_York'],
        'input.entitlementPolicy': ['SHARE', 'TRANSFER'],
      };
    },
    campaignEdit: () => ({
      'input.applicationId': twice(service.application.id),
      'input.expectedVersion': [null, 1],
      'input.trigger.type': ['CUSTOM', 'SYSTEM'],
      'input.trigger.event': ['checkout', 'SessionStarted'],
      'input.trigger.filters[0].op': ['EQ', 'NEQ'],
      'input.targeting.platforms[0]': ['iOS', 'Android'],
      'input.targeting.countries[0]': ['DE', 'FR'],
      'input.targeting.userProperties[0][0].op': ['EQ', 'NEQ'],
    }),
    organizationEdit: () => ({}),
    projectEdit: () => ({}),
    signup: () => ({}),
    async userEdit() {
      // Another owner, because a caller who is no owner any more sees less.
      await newUser(service, owner.organizationId, 'owner');
      return {
        'input.email': twice(owner.email),
        'input.role': ['owner', 'admin'],
        'input.status': ['active', 'active'],
      };
    },
    userInvite: () => ({ 'input.email': twice('invited@example.com'), 'input.role': ['editor', 'admin'] }),
    ...{
      // serviceTokens.test.ts: only creates, and its fields have a form.
      // webhooks.test.ts: its response has no id of its own.
      webhookEdit: null,
      webhookDelete: null,
      webhookRedeliver: null,
      serviceTokenCreate: null,
      serviceTokenRevoke: null,
      apiKeyCreate: null,
      // applications.test.ts: only edits, and its response is a key without an id.
      apiKeyEdit: null,
      apiKeyRevoke: null,
      applicationDelete: null,
      projectDelete: null,
      campaignChangeState: null,
    },
    ...{ login: null, refreshToken: null, resetPassword: null, updatePassword: null },
    ...{ logout: null, logoutEverywhere: null, sessionRevoke: null, passwordChange: null },
    // The change comes with the mailed token: signup.test.ts.
    ...{ emailChange: null, emailConfirm: null },
    ...{
      accountDelete: null,
      userRemove: null,
      organizationLeave: null,
      organizationSwitch: null,
      invitationAccept: null,
    },
    // organizations.test.ts: it gives a token of its own for the query.
    organizationCreate: null,
    // No query returns them. storeCredentials.test.ts checks that the store is called with them.
    storeCredentialsEdit: null,
    // entitlements.test.ts: its response is a product without an id.
    productEdit: null,
  };

  /** These fields choose the object, are stored as a hash, or have another name in the response (`Organization.name`). */
  const notShown = [
    'campaignEdit input.applicationId',
    'campaignEdit input.expectedVersion',
    'applicationEdit input.projectId',
    'signup input.password',
    'signup input.organization',
  ];

  async function newProject(): Promise<string> {
    const { data } = await owner.ask('mutation { projectEdit(input: { name: "A project" }) { id } }');
    return (data!['projectEdit'] as { id: string }).id;
  }

  /** The part of a response that contains this leaf. */
  function shownAs({ path, value }: Leaf): string {
    const [, name, list] = /(\w+)((?:\[0\])*)$/.exec(path)!;
    return `"${name}":${list ? '[' : ''}${JSON.stringify(value)}`;
  }

  interface Asked {
    name: string;
    /** The values of the arguments, by path. */
    values: Record<string, unknown>;
    token?: string | undefined;
  }

  const shown = Object.entries(mutations).flatMap(([name, choose]) => (choose ? [{ name, choose }] : []));

  test.each(shown)('$name', async ({ name, choose }) => {
    const { args } = schema.getMutationType()!.getFields()[name]!;
    const choices = await choose();
    let id: string | null = null;
    for (const time of [0, 1] as const) {
      const given = Object.fromEntries(Object.entries(choices).map(([path, values]) => [path, values[time]]));
      const { variables, leaves } = filledArguments(args, { 'input.id': id, ...given });
      const { data } = await ask('mutation', { name, values: { [`${name}.input`]: variables['input'] } });
      const response = data![name] as { id?: string; token?: string };
      const query = name === 'campaignEdit' ? 'campaign' : 'organization';
      const { text } = await ask('query', {
        name: query,
        values: { 'campaign.id': response.id },
        token: response.token,
      });
      const missing = leaves.filter((leaf) => leaf.path !== 'input.id' && !text.includes(shownAs(leaf)));
      const expected = notShown.filter((each) => each.startsWith(`${name} `));
      expect(missing.map(({ path }) => `${name} ${path}`)).toEqual(expected);
      id = response.id ?? null;
    }
  });

  /** Selects every field of the response. */
  async function ask(kind: 'query' | 'mutation', { name, values, token = owner.token }: Asked): Promise<AdminResponse> {
    const making = { canaries: new Map(), fixed: (path: string) => values[path] };
    const response = await askAdmin(service.url, { ...canaryOperation(schema, { kind, name }, making), token });
    expect(response.errors).toEqual([]);
    return response;
  }
});
