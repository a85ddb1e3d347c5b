// The scopes of service tokens: every root field, by each role, for an application in scope, one out of scope, and a random id.
import { randomUUID } from 'node:crypto';
import { getNamedType, isObjectType, type GraphQLObjectType, type GraphQLOutputType } from 'graphql';
import { access, isForServices } from '../../src/graphql/authorization.ts';
import { roles as allRoles, isAtLeast, type Role } from '../../src/workspace/workspace.ts';
import { askAdmin } from '../support/adminClient.ts';
import { adminSchema } from '../support/adminSchema.ts';
import { analyticsQueries } from '../support/analyticsQueries.ts';
import { storeCampaign } from '../support/campaigns.ts';
import { canaryOperation } from '../support/canaries.ts';
import { rootFields } from '../support/rootFields.ts';
import { storeServiceToken } from '../support/serviceTokens.ts';
import { storeWebhook } from '../support/webhooks.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { organizationOf } from '../support/testUsers.ts';
import { aDevice, aReport } from '../support/uploads.ts';

interface Objects {
  application: string;
  project: string;
  campaign: string;
  webhook: string;
  delivery: string;
}

/** What a service token may select, and what it then gets of an application that it reaches. */
const reachable: Record<string, (of: Objects) => string> = {
  ...Object.fromEntries(
    Object.entries(analyticsQueries).map(([name, query]) => [
      `Query.${name}`,
      ({ application }: Objects) => `{ ${query(application)} }`,
    ]),
  ),
  'Query.applications': ({ project }) =>
    `{ applications(projectId: "${project}") { id project { applications { id } } } }`,
  'Query.campaign': ({ campaign }) => `{ campaign(id: "${campaign}") { id } }`,
  'Query.campaigns': ({ application }) => `{ campaigns(applicationId: "${application}") { id } }`,
  'Query.campaignsCount': ({ application }) => `{ campaignsCount(applicationId: "${application}") }`,
  'Query.device': ({ application }) => `{ device(applicationId: "${application}", id: "d") { id } }`,
  'Query.entitlements': ({ application }) => `{ entitlements(applicationId: "${application}") { hasMore } }`,
  'Query.products': ({ application }) => `{ products(applicationId: "${application}") { productId } }`,
  'Query.storeTransactions': ({ application }) => `{ storeTransactions(applicationId: "${application}") { hasMore } }`,
  'Query.webhookDeliveries': ({ webhook }) => `{ webhookDeliveries(webhookId: "${webhook}") { nodes { id } } }`,
  'Query.webhooks': ({ application }) => `{ webhooks(applicationId: "${application}") { id } }`,
  'Mutation.webhookRedeliver': ({ delivery }) => `mutation { webhookRedeliver(deliveryId: "${delivery}") { id } }`,
  'Mutation.applicationDelete': ({ application }) => `mutation { applicationDelete(id: "${application}") }`,
  'Mutation.applicationEdit': ({ application }) =>
    `mutation { applicationEdit(input: { id: "${application}", name: "New" }) { id } }`,
  'Mutation.campaignChangeState': ({ campaign }) =>
    `mutation { campaignChangeState(id: "${campaign}", state: ACTIVE) { id } }`,
  'Mutation.campaignEdit': ({ campaign }) =>
    `mutation { campaignEdit(input: { id: "${campaign}", name: "New" }) { id } }`,
};

const schema = adminSchema();
const roles = allRoles.filter((role) => role !== 'owner');
const fields = rootFields(schema).map(({ kind, name }) => {
  const root = kind === 'query' ? ('Query' as const) : ('Mutation' as const);
  return { kind, name, root, least: (access[root] as Record<string, Role | 'public'>)[name]! };
});
const isOpen = ({ root, name }: (typeof fields)[number]) => isForServices(root, name);

let service: TestService;
let organizationId: string;
beforeAll(async () => {
  service = await startTestService();
  organizationId = await organizationOf(service, service.application.id);
});
afterAll(() => service.stop());

/** An application of the organization, in a project of its own, with a campaign and a device. */
async function newObjects(): Promise<Objects> {
  const application = await service.newApplication();
  const { database, client } = service;
  const { projectId: project } = await database.prisma.application.findUniqueOrThrow({ where: { id: application.id } });
  await database.prisma.project.update({ where: { id: project }, data: { organizationId } });
  const { id: campaign } = await storeCampaign({ database, application }, { state: 'DRAFT' });
  await client.send('reportSessions', { 'X-Api-Key': application.key.public }, aReport({ device: aDevice('d') }));
  return { application: application.id, project, campaign, ...(await storeWebhook(service, application.id)) };
}

const random = (): Objects => ({
  application: randomUUID(),
  project: randomUUID(),
  campaign: randomUUID(),
  webhook: randomUUID(),
  delivery: randomUUID(),
});

test('the table names what the service allows', () => {
  expect(
    fields
      .filter(isOpen)
      .map(({ root, name }) => `${root}.${name}`)
      .sort(),
  ).toEqual(Object.keys(reachable).sort());
});

/** The object types below a root field, at any depth. */
function typesBelow({ root, name }: Pick<(typeof fields)[number], 'root' | 'name'>): string[] {
  const found = new Set<string>();
  const visit = (type: GraphQLOutputType): void => {
    const named = getNamedType(type);
    if (!isObjectType(named) || found.has(named.name)) return;
    found.add(named.name);
    for (const field of Object.values(named.getFields())) visit(field.type);
  };
  visit((schema.getType(root) as GraphQLObjectType).getFields()[name]!.type);
  return [...found].sort();
}

/** Below these the application of the argument is the only one. Every other field reaches `Application`, whose lists are tested below. */
const ofOneApplication: Record<string, string[]> = {
  'Query.campaignsCount': [],
  'Query.device': [
    ...['Attribution', 'Device', 'DeviceEvent', 'DeviceInstall', 'DeviceSession', 'Entitlement', 'EntitlementOwner'],
    'StoreTransaction',
  ],
  'Query.activity': ['Activity', 'ActivityPoint', 'ActivityPrevious', 'ActivityTotals'],
  'Query.devices': ['DevicePage', 'ListedDevice'],
  'Query.devicesBehind': ['DevicePage', 'ListedDevice'],
  'Query.entitlements': ['Entitlement', 'EntitlementOwner', 'EntitlementPage'],
  'Query.eventNames': ['EventName', 'EventNamePage', 'PropertyName'],
  'Query.eventSeries': ['EventSeries', 'EventSeriesLine', 'EventSeriesPoint'],
  'Query.funnel': ['Funnel', 'FunnelBreakdown', 'FunnelStep'],
  'Query.ingestIssues': ['IngestIssue', 'IngestIssuePage'],
  'Query.propertyNames': ['PropertyName', 'PropertyNamePage'],
  'Query.recentEvents': ['RecentEvent', 'RecentEventPage'],
  'Query.retention': ['Retention', 'RetentionCohort', 'RetentionPeriod'],
  'Query.revenue': ['Revenue', 'RevenueBreakdownLine', 'RevenuePoint', 'RevenueTotals'],
  'Query.revenueCurrencies': [],
  'Query.subscriptions': ['MonthlyRevenue', 'Subscriptions'],
  'Query.userDevices': ['DevicePage', 'ListedDevice'],
  'Query.products': ['Product'],
  'Query.storeTransactions': ['StoreTransaction', 'StoreTransactionPage'],
  'Query.webhookDeliveries': ['WebhookDelivery', 'WebhookDeliveryPage'],
  'Query.webhooks': ['Webhook'],
  'Mutation.applicationDelete': [],
  'Mutation.webhookRedeliver': ['WebhookDelivery'],
};

test('no field below a list of one application leads to another one', () => {
  const below = fields.filter(isOpen).map((field) => [`${field.root}.${field.name}`, typesBelow(field)] as const);
  expect(Object.fromEntries(below.filter(([, types]) => !types.includes('Application')))).toEqual(ofOneApplication);
});

const closed = fields.filter((field) => !isOpen(field) && field.least !== 'public');
test.each(closed)('$root $name is out of reach for every service token', async ({ kind, name }) => {
  const { query, variables } = canaryOperation(schema, { kind, name }, { canaries: new Map(), fixed: () => undefined });
  for (const role of roles) {
    const { token } = await storeServiceToken(service, { organizationId, role });
    const { status, codes } = await askAdmin(service.url, { query, variables, token });
    expect([role, status, codes]).toEqual([role, 200, ['FORBIDDEN']]);
  }
});

test.each(fields.filter(isOpen))('$root $name reaches the applications of the token alone', async (field) => {
  const request = reachable[`${field.root}.${field.name}`]!;
  for (const role of roles) {
    const [inScope, outOfScope] = [await newObjects(), await newObjects()];
    const { token } = await storeServiceToken(service, { organizationId, role, applicationIds: [inScope.application] });
    const ask = (of: Objects) => askAdmin(service.url, { query: request(of), token });
    const unknown = await ask(random());
    expect((await ask(outOfScope)).text).toBe(unknown.text);
    const mine = await ask(inScope);
    const expected = isAtLeast(role, field.least as Role) ? [] : ['FORBIDDEN'];
    expect([role, mine.codes]).toEqual([role, expected]);
    if (expected.length === 0) expect(mine.text).not.toBe(unknown.text);
  }
});

describe('a token with applications', () => {
  let [mine, other]: Objects[] = [];
  let token: string;
  beforeAll(async () => {
    [mine, other] = [await newObjects(), await newObjects()];
    // One project holds both.
    const data = { projectId: mine.project };
    await service.database.prisma.application.update({ where: { id: other.application }, data });
    const applicationIds = [mine.application];
    ({ token } = await storeServiceToken(service, { organizationId, role: 'admin', applicationIds }));
  });
  const ask = (query: string) => askAdmin(service.url, { query, token });

  test('lists only these, at any depth', async () => {
    const { data, errors } = await ask(
      '{ applications { id project { applications { id } } } campaigns { id application { project { applications { id } } } } campaignsCount }',
    );
    const one = { id: mine!.application };
    const project = { applications: [one] };
    expect(errors).toEqual([]);
    expect(data).toEqual({
      applications: [{ ...one, project }],
      campaigns: [{ id: mine!.campaign, application: { project } }],
      campaignsCount: 1,
    });
  });

  test('reads no API key, also with the role admin', async () => {
    const { data, codes } = await ask('{ applications { id apiKeys { public secret } } }');
    expect(codes).toEqual(['FORBIDDEN']);
    expect(data).toEqual({ applications: [{ id: mine!.application, apiKeys: null }] });
  });

  test('creates campaigns in these alone', async () => {
    const create = (id: string) =>
      ask(`mutation { campaignEdit(input: { applicationId: "${id}", name: "New" }) { createdBy } }`);
    expect((await create(mine!.application)).data).toEqual({ campaignEdit: { createdBy: 'service token: Server' } });
    expect((await create(other!.application)).codes).toEqual(['NOT_FOUND']);
  });

  test.each([
    ['creates', () => `projectId: "${mine!.project}", name: "New", bundleId: "b", platform: "iOS"`],
    ['moves', () => `id: "${mine!.application}", projectId: "${other!.project}"`],
  ])('%s no application', async (_, input) => {
    expect((await ask(`mutation { applicationEdit(input: { ${input()} }) { id } }`)).codes).toEqual(['FORBIDDEN']);
  });

  test('founds and joins no organization', async () => {
    expect((await ask('mutation { organizationCreate(input: { name: "New" }) { token } }')).codes).toEqual([
      'FORBIDDEN',
    ]);
    expect((await ask('mutation { invitationAccept(token: "none") { token } }')).codes).toEqual(['FORBIDDEN']);
  });

  test('is no user, and public fields ignore it', async () => {
    expect((await ask('{ id countries { code } }')).data).toMatchObject({ id: null });
  });
});

test('a token without a list reaches every application of the organization, later ones too, and of no other', async () => {
  const { token } = await storeServiceToken(service, { organizationId });
  const { application } = await newObjects();
  const { data } = await askAdmin(service.url, { query: '{ applications { id } }', token });
  expect(data!['applications']).toContainEqual({ id: application });
  const foreign = await service.newApplication();
  expect(data!['applications']).not.toContainEqual({ id: foreign.id });
  const query = `{ campaigns(applicationId: "${foreign.id}") { id } }`;
  expect((await askAdmin(service.url, { query, token })).codes).toEqual(['NOT_FOUND']);
});
