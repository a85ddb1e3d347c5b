// Dashboard developers copy the operations that schema.graphql shows: this test sends each of them to the running service.
import { randomUUID } from 'node:crypto';
import { type DocumentNode, type GraphQLEnumType, Kind, type OperationDefinitionNode, parse, validate } from 'graphql';
import type { ErrorCode, MutationResolvers, QueryResolvers } from '../../generated/graphql.ts';
import { AnalyticsUnavailable } from '../../src/analytics/engine/engine.ts';
import type { Deps } from '../../src/deps.ts';
import { type AdminResponse, type AdminRequest, askAdmin } from '../support/adminClient.ts';
import { adminSchema } from '../support/adminSchema.ts';
import { storeCampaign } from '../support/campaigns.ts';
import { newAccount } from '../support/fakeStore.ts';
import { newEmailToken, newPasswordToken } from '../support/mail.ts';
import { rootFields } from '../support/rootFields.ts';
import { newServiceToken } from '../support/serviceTokens.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import {
  newInvitation,
  newOrganization,
  newUser,
  organizationOf,
  putMembership,
  type TestUser,
} from '../support/testUsers.ts';
import { aDevice, aReport } from '../support/uploads.ts';
import { newDelivery, newWebhook } from '../support/webhooks.ts';

describe('adminExamples', () => {
  type Variables = Record<string, unknown>;
  type RootField = keyof QueryResolvers | keyof MutationResolvers;

  const schema = adminSchema();
  const roots = [schema.getQueryType()!, schema.getMutationType()!];
  const described = Object.assign({}, ...roots.map((root) => root.getFields())) as Record<
    RootField,
    { description?: string | null }
  >;

  /** The indented blocks of a description that are operations. */
  function examplesOf(field: RootField): string[] {
    const blocks = (described[field].description ?? '')
      .split('\n\n')
      .filter((block) => /^ {4}(query|mutation) /.test(block));
    return blocks.map((block) => block.replaceAll(/^ {4}/gm, ''));
  }

  const selected = (document: DocumentNode) =>
    (document.definitions[0] as OperationDefinitionNode).selectionSet.selections.map((selection) =>
      selection.kind === Kind.FIELD ? selection.name.value : '',
    );

  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  interface Stage {
    owner: TestUser;
    application: string;
    project: string;
    campaign: string;
    key: string;
  }

  /** Each example has an organization of its own, so that a deletion does not affect the next example. */
  async function newStage(): Promise<Stage> {
    const application = await service.newApplication();
    const { database, client } = service;
    const owner = await newUser(service, await organizationOf(service, application.id), 'owner');
    const { projectId } = await database.prisma.application.findUniqueOrThrow({ where: { id: application.id } });
    const { id } = await storeCampaign({ database, application }, { state: 'DRAFT' });
    await client.send(
      'reportSessions',
      { 'X-Api-Key': application.key.public },
      aReport({ device: aDevice('a device') }),
    );
    return { owner, application: application.id, project: projectId, campaign: id, key: application.key.public };
  }

  const password = 'a fine phrase';
  const someone = () => `${randomUUID()}@example.com`;
  async function withPassword({ owner }: Stage): Promise<{ email: string; password: string }> {
    const passwordHash = await service.deps.passwords.hash(password, 'known');
    await service.database.prisma.user.update({ where: { id: owner.id }, data: { passwordHash } });
    return { email: owner.email, password };
  }

  async function refreshTokenOf(stage: Stage): Promise<string> {
    const query = 'mutation L($input: LoginInput!) { login(input: $input) { refreshToken } }';
    const { data } = await askAdmin(service.url, { query, variables: { input: await withPassword(stage) } });
    return (data!['login'] as { refreshToken: string }).refreshToken;
  }

  /** The values for the variables of each example. */
  const variables: Record<RootField, (stage: Stage) => Variables | Promise<Variables>> = {
    id: () => ({}),
    countries: () => ({}),
    me: () => ({}),
    sessions: () => ({}),
    organization: () => ({}),
    organizations: () => ({}),
    projects: () => ({}),
    applications: ({ project }) => ({ project }),
    campaigns: ({ application }) => ({ app: application }),
    campaignsCount: ({ application }) => ({ app: application }),
    campaign: ({ campaign }) => ({ id: campaign }),
    device: ({ application }) => ({ app: application, device: 'a device' }),
    products: ({ application }) => ({ applicationId: application }),
    entitlements: ({ application }) => ({ app: application, customer: 'crm-1001' }),
    storeTransactions: ({ application }) => ({ app: application }),
    webhooks: ({ application }) => ({ app: application }),
    activity: ({ application }) => ({ app: application }),
    devices: ({ application }) => ({ app: application }),
    devicesBehind: ({ application }) => ({ app: application }),
    eventNames: ({ application }) => ({ app: application }),
    eventSeries: ({ application }) => ({ app: application }),
    funnel: ({ application }) => ({ app: application }),
    ingestIssues: ({ application }) => ({ app: application }),
    propertyNames: ({ application }) => ({ app: application }),
    recentEvents: ({ application }) => ({ app: application }),
    retention: ({ application }) => ({ app: application }),
    revenue: ({ application }) => ({ app: application }),
    revenueCurrencies: ({ application }) => ({ app: application }),
    subscriptions: ({ application }) => ({ app: application }),
    userDevices: ({ application }) => ({ app: application }),
    webhookDeliveries: async ({ owner, application }) => ({ webhook: (await newWebhook(owner, application)).id }),
    webhookEdit: ({ application }) => ({ app: application }),
    webhookDelete: async ({ owner, application }) => ({ id: (await newWebhook(owner, application)).id }),
    webhookRedeliver: async ({ owner, application, campaign }) => ({
      id: await newDelivery(service, { owner, application, campaign }),
    }),
    serviceTokens: () => ({}),
    serviceTokenCreate: ({ application }) => ({ application }),
    serviceTokenRevoke: async ({ owner }) => ({ id: (await newServiceToken(owner)).id }),
    auditLog: () => ({ before: '2099-01-01T00:00:00Z' }),
    refreshToken: async (stage) => ({ token: await refreshTokenOf(stage) }),
    login: async (stage) => ({ input: await withPassword(stage) }),
    resetPassword: ({ owner: { email } }) => ({ input: { email } }),
    signup: () => ({ input: { email: someone(), password, organization: 'Acme', name: 'Ann' } }),
    async updatePassword({ owner: { email } }) {
      const token = await newPasswordToken(service, email);
      return { input: { token, newPassword: password, newPasswordRepeat: password } };
    },
    logout: () => ({}),
    logoutEverywhere: () => ({}),
    async passwordChange(stage) {
      const { password: currentPassword } = await withPassword(stage);
      return { input: { currentPassword, newPassword: 'a new phrase', newPasswordRepeat: 'a new phrase' } };
    },
    async emailChange(stage) {
      return { input: { newEmail: someone(), password: (await withPassword(stage)).password } };
    },
    emailConfirm: async ({ owner }) => ({ token: await newEmailToken(service, owner, someone()) }),
    sessionRevoke: ({ owner }) => ({ id: owner.sessionId }),
    organizationSwitch: ({ owner }) => ({ id: owner.organizationId }),
    organizationCreate: () => ({ input: { name: 'Acme' } }),
    async organizationLeave({ owner }) {
      await newUser(service, owner.organizationId, 'owner');
      return {};
    },
    async invitationAccept({ owner: { email } }) {
      await newInvitation(service, await newOrganization(service), { email });
      return { token: await newPasswordToken(service, email, 'invitation') };
    },
    async accountDelete(stage) {
      await newUser(service, stage.owner.organizationId, 'owner');
      return { password: (await withPassword(stage)).password };
    },
    async userRemove({ owner: { organizationId } }) {
      return { email: (await newUser(service, organizationId, 'viewer')).email };
    },
    async userEdit({ owner: { organizationId } }) {
      return { email: (await newUser(service, organizationId, 'viewer')).email };
    },
    userInvite: () => ({ input: { email: someone(), role: 'viewer' } }),
    organizationEdit: () => ({ name: 'Acme' }),
    projectEdit: () => ({ name: 'Shop' }),
    projectDelete: ({ project }) => ({ id: project }),
    applicationEdit: ({ project }) => ({ project }),
    applicationDelete: ({ application }) => ({ id: application }),
    apiKeyCreate: ({ application }) => ({ application }),
    apiKeyEdit: ({ key }) => ({ key }),
    apiKeyRevoke: ({ key }) => ({ key }),
    storeCredentialsEdit({ application }) {
      const { issuerId, keyId, privateKey } = newAccount();
      return { input: { applicationId: application, issuerId, keyId, privateKey } };
    },
    productEdit: ({ application }) => ({ input: { applicationId: application, productId: 'pass', durationDays: 30 } }),
    campaignEdit: ({ campaign }) => ({ id: campaign, name: 'Autumn', seen: 1 }),
    campaignChangeState: ({ campaign }) => ({ id: campaign, seen: 1 }),
  };

  describe.each(rootFields(schema).map(({ name }) => name as RootField))('%s', (field) => {
    test('is shown by an operation that this schema allows', () => {
      const documents = examplesOf(field).map((example) => parse(example));
      expect(documents.flatMap((document) => validate(schema, document))).toEqual([]);
      expect(documents.flatMap(selected)).toContain(field);
    });

    test('is served without an error', async () => {
      for (const query of examplesOf(field)) {
        const stage = await newStage();
        const { status, errors, data } = await stage.owner.ask(query, await variables[field](stage));
        expect({ query, status, errors }).toEqual({ query, status: 200, errors: [] });
        expect(data![field] ?? null).not.toBeNull();
      }
    });
  });
});

// The running service must return the example of each error code in schema.graphql, word by word.
describe('adminErrors', () => {
  const schema = adminSchema();
  const codes = (schema.getType('ErrorCode') as GraphQLEnumType).getValues();

  let service: TestService;
  let owner: TestUser;
  let viewer: TestUser;
  let campaign: string;
  let nowhere: TestUser;
  beforeAll(async () => {
    const attemptLimits = { perAccount: 1, perAddress: 1_000, windowSeconds: 900 };
    const hash = () => Promise.reject(new Error('for this test'));
    const matches = async (_hash: string | null, password: string) => password === 'the right one';
    const building = () => Promise.reject(new AnalyticsUnavailable({ reason: 'building', progress: 0.25 }));
    const change = (deps: Deps): Deps => ({
      ...deps,
      passwords: { ...deps.passwords, hash, matches },
      analytics: { ...deps.analytics, ask: building },
    });
    service = await startTestService({ attemptLimits, change });
    const organizationId = await organizationOf(service, service.application.id);
    owner = await newUser(service, organizationId, 'owner');
    viewer = await newUser(service, organizationId, 'viewer');
    nowhere = await newUser(service, organizationId, 'viewer');
    await putMembership(service, nowhere, { status: 'disabled' });
    campaign = (await storeCampaign(service, { state: 'DRAFT' })).id;
  });
  afterAll(() => service.stop());

  const anybody = (operation: AdminRequest) => askAdmin(service.url, operation);
  const login = (email: string, password = 'x') =>
    anybody({ query: `mutation { login(input: { email: "${email}", password: "${password}" }) { token } }` });

  const provocations: Record<ErrorCode, () => Promise<AdminResponse>> = {
    UNAUTHENTICATED: () => anybody({ query: '{ me { email } }' }),
    FORBIDDEN: () => viewer.ask('{ auditLog { at } }'),
    BAD_USER_INPUT: () => owner.ask('mutation { userInvite(input: { email: "x", role: "viewer" }) { email } }'),
    NOT_FOUND: () => owner.ask('mutation { projectDelete(id: "018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90") }'),
    CONFLICT: () => owner.ask(`mutation { campaignEdit(input: { id: "${campaign}", expectedVersion: 7 }) { id } }`),
    INVALID_CREDENTIALS: () => login('nobody@example.com'),
    INVALID_TOKEN: () => anybody({ query: 'mutation { refreshToken(token: "none") { token } }' }),
    NO_ORGANIZATION: () => login(nowhere.email, 'the right one'),
    ILLEGAL_TRANSITION: () => owner.ask(`mutation { campaignChangeState(id: "${campaign}", state: FINISHED) { id } }`),
    async RATE_LIMITED() {
      await login('often@example.com');
      return login('often@example.com');
    },
    async UNAVAILABLE() {
      const none = { atOnce: 0, longestQueue: 0 };
      await using busy = await startTestService({ places: { callers: none, requests: none, large: none } });
      return await askAdmin(busy.url, { query: '{ id }' });
    },
    ANALYTICS_UNAVAILABLE: () => {
      const { id } = service.application;
      return owner.ask(
        `{ activity(input: { applicationId: "${id}", from: "2026-03-01", to: "2026-03-01" }) { asOf } }`,
      );
    },
    INTERNAL_SERVER_ERROR: () => {
      const input = '{ email: "ann@example.com", password: "a fine phrase", organization: "Acme", name: "Ann" }';
      return anybody({ query: `mutation { signup(input: ${input}) { token } }` });
    },
    GRAPHQL_PARSE_FAILED: () => anybody({ query: '{ me {' }),
    GRAPHQL_VALIDATION_FAILED: () => anybody({ query: '{ you }' }),
    OPERATION_RESOLUTION_FAILURE: () => anybody({ query: 'query One { id }', operationName: 'Other' }),
    BAD_REQUEST: () => anybody({} as AdminRequest),
    PAYLOAD_TOO_LARGE: () => anybody({ query: `{ id } #${' '.repeat(100_000)}` }),
  };

  interface Shown {
    message: string;
    path?: unknown;
    extensions: Record<string, unknown>;
  }

  /** The error in the form of a description, without its random retry time and challenge. */
  function comparable({ message, path, extensions }: Shown): Shown {
    const { retryAfterSeconds, challenge, ...rest } = extensions;
    const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds: typeof retryAfterSeconds };
    return {
      message,
      ...(path !== undefined && { path }),
      extensions: { ...rest, ...wait, ...(challenge !== undefined && { challenge: typeof challenge }) },
    };
  }

  test.each(codes.map(({ name, description }) => [name as ErrorCode, description ?? '']))(
    '%s is given as it is shown',
    async (code, description) => {
      const block = description.split('\n\n').find((part) => part.startsWith('    {"message"'));
      const { errors } = await provocations[code]();
      expect(errors.map(comparable)).toEqual([comparable(JSON.parse(block ?? '{"extensions":{}}') as Shown)]);
    },
  );
});
