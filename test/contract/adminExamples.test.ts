// Dashboard developers copy the operations that schema.graphql shows: this test sends each of them to the running service.
import { randomUUID } from 'node:crypto';
import { Kind, parse, validate, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql.ts';
import { askAdmin } from '../support/adminClient.ts';
import { storeCampaign } from '../support/campaigns.ts';
import { newAccount } from '../support/fakeStore.ts';
import { newEmailToken, newPasswordToken } from '../support/mail.ts';
import { newServiceToken } from '../support/serviceTokens.ts';
import { newDelivery, newWebhook } from '../support/webhooks.ts';
import { rootFields } from '../support/rootFields.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newInvitation, newOrganization, newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { aDevice, aReport } from '../support/uploads.ts';
import { adminSchema } from '../support/adminSchema.ts';

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

  test('answers it without an error', async () => {
    for (const query of examplesOf(field)) {
      const stage = await newStage();
      const { status, errors, data } = await stage.owner.ask(query, await variables[field](stage));
      expect({ query, status, errors }).toEqual({ query, status: 200, errors: [] });
      expect(data![field] ?? null).not.toBeNull();
    }
  });
});
