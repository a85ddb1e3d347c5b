// Every field that a mutation of the admin API takes must be stored, on creation and on an edit: a query must return it.
import type { MutationResolvers } from '../../generated/graphql.ts';
import { askAdmin, type AdminAnswer } from '../support/adminClient.ts';
import { canaryOperation } from '../support/canaries.ts';
import { filledArguments, type Leaf } from '../support/filledInput.ts';
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
    const answer = data![name] as { id?: string; token?: string };
    const query = name === 'campaignEdit' ? 'campaign' : 'organization';
    const { text } = await ask('query', { name: query, values: { 'campaign.id': answer.id }, token: answer.token });
    const missing = leaves.filter((leaf) => leaf.path !== 'input.id' && !text.includes(shownAs(leaf)));
    const expected = notShown.filter((each) => each.startsWith(`${name} `));
    expect(missing.map(({ path }) => `${name} ${path}`)).toEqual(expected);
    id = answer.id ?? null;
  }
});

/** Selects every field of the response. */
async function ask(kind: 'query' | 'mutation', { name, values, token = owner.token }: Asked): Promise<AdminAnswer> {
  const making = { canaries: new Map(), fixed: (path: string) => values[path] };
  const answer = await askAdmin(service.url, { ...canaryOperation(schema, { kind, name }, making), token });
  expect(answer.errors).toEqual([]);
  return answer;
}
