// The access matrix: every root field, called without a token and by each role, for an own object, another organization's (of the caller too, as its owner), a deleted one and a random id.
import { randomUUID } from 'node:crypto';
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql.ts';
import { access, type Access } from '../../src/graphql/authorization.ts';
import type { Role } from '../../src/workspace/workspace.ts';
import { askAdmin } from '../support/adminClient.ts';
import { analyticsQueries, type AnalyticsField } from '../support/analyticsQueries.ts';
import { storeCampaign } from '../support/campaigns.ts';
import { storeWebhook } from '../support/webhooks.ts';
import { storeServiceToken } from '../support/serviceTokens.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

interface Objects {
  organization: string;
  project: string;
  application: string;
  campaign: string;
  key: string;
  email: string;
  session: string;
  serviceToken: string;
  webhook: string;
  delivery: string;
}

const roles: Role[] = ['viewer', 'editor', 'admin', 'owner'];
const analytics = Object.entries(analyticsQueries).map(([name, query]) => [
  name,
  ({ application }: Objects) => `{ ${query(application)} }`,
]);
const queries: Record<keyof QueryResolvers, (of: Objects) => string> = {
  ...(Object.fromEntries(analytics) as Record<AnalyticsField, (of: Objects) => string>),
  applications: ({ project }) => `{ applications(projectId: "${project}") { __typename } }`,
  auditLog: () => '{ auditLog(limit: 1) { __typename } }',
  campaign: ({ campaign }) => `{ campaign(id: "${campaign}") { name } }`,
  campaigns: ({ application }) => `{ campaigns(applicationId: "${application}") { name } }`,
  products: ({ application }) => `{ products(applicationId: "${application}") { productId } }`,
  campaignsCount: ({ application }) => `{ campaignsCount(applicationId: "${application}") }`,
  countries: () => '{ countries { code } }',
  device: ({ application }) => `{ device(applicationId: "${application}", id: "d") { id } }`,
  entitlements: ({ application }) => `{ entitlements(applicationId: "${application}") { hasMore } }`,
  id: () => '{ id }',
  me: () => '{ me { role } }',
  organization: () => '{ organization { name } }',
  organizations: () => '{ organizations { name } }',
  projects: () => '{ projects { name } }',
  webhookDeliveries: ({ webhook }) => `{ webhookDeliveries(webhookId: "${webhook}") { hasMore } }`,
  webhooks: ({ application }) => `{ webhooks(applicationId: "${application}") { __typename } }`,
  serviceTokens: () => '{ serviceTokens { name } }',
  sessions: () => '{ sessions { current } }',
  storeTransactions: ({ application }) => `{ storeTransactions(applicationId: "${application}") { hasMore } }`,
};
const mutations: Record<keyof MutationResolvers, (of: Objects) => string> = {
  accountDelete: () => 'accountDelete(password: "x")',
  apiKeyCreate: ({ application }) => `apiKeyCreate(applicationId: "${application}") { __typename }`,
  apiKeyEdit: ({ key }) => `apiKeyEdit(input: { public: "${key}" }) { label }`,
  apiKeyRevoke: ({ key }) => `apiKeyRevoke(public: "${key}")`,
  applicationDelete: ({ application }) => `applicationDelete(id: "${application}")`,
  applicationEdit: ({ application }) => `applicationEdit(input: { id: "${application}" }) { __typename }`,
  campaignChangeState: ({ campaign }) => `campaignChangeState(id: "${campaign}", state: ACTIVE) { name }`,
  campaignEdit: ({ campaign }) => `campaignEdit(input: { id: "${campaign}" }) { name }`,
  emailChange: () => 'emailChange(input: { newEmail: "x", password: "x" })',
  emailConfirm: () => 'emailConfirm(token: "none")',
  invitationAccept: () => 'invitationAccept(token: "none", challenge: "none") { token }',
  login: ({ email }) => `login(input: { email: "${email}", password: "x" }) { token }`,
  logout: () => 'logout',
  logoutEverywhere: () => 'logoutEverywhere',
  organizationCreate: () => 'organizationCreate(input: { name: "x", challenge: "none" }) { token }',
  organizationEdit: () => 'organizationEdit(input: {}) { name }',
  organizationLeave: () => 'organizationLeave',
  organizationSwitch: ({ organization }) => `organizationSwitch(id: "${organization}") { token }`,
  passwordChange: () => 'passwordChange(input: { currentPassword: "x", newPassword: "x", newPasswordRepeat: "x" })',
  projectDelete: ({ project }) => `projectDelete(id: "${project}")`,
  projectEdit: ({ project }) => `projectEdit(input: { id: "${project}" }) { __typename }`,
  refreshToken: () => 'refreshToken(token: "none") { token }',
  resetPassword: ({ email }) => `resetPassword(input: { email: "${email}" })`,
  webhookDelete: ({ webhook }) => `webhookDelete(id: "${webhook}")`,
  webhookEdit: ({ webhook }) => `webhookEdit(input: { id: "${webhook}" }) { secret }`,
  webhookRedeliver: ({ delivery }) => `webhookRedeliver(deliveryId: "${delivery}") { state }`,
  serviceTokenCreate: ({ application }) =>
    `serviceTokenCreate(input: { name: "x", role: "viewer", applicationIds: ["${application}"] }) { serviceToken { name } }`,
  serviceTokenRevoke: ({ serviceToken }) => `serviceTokenRevoke(id: "${serviceToken}")`,
  sessionRevoke: ({ session }) => `sessionRevoke(id: "${session}")`,
  signup: () => 'signup(input: { email: "x", password: "x", organization: "x", name: "x" }) { token }',
  productEdit: ({ application }) =>
    `productEdit(input: { applicationId: "${application}", productId: "pass" }) { productId }`,
  storeCredentialsEdit: ({ application }) => `storeCredentialsEdit(input: { applicationId: "${application}" })`,
  updatePassword: () => 'updatePassword(input: { token: "none", newPassword: "x", newPasswordRepeat: "x" })',
  userEdit: ({ email }) => `userEdit(input: { email: "${email}" }) { role }`,
  userInvite: () => 'userInvite(input: { email: "x", role: "x" }) { role }',
  userRemove: ({ email }) => `userRemove(email: "${email}")`,
};

/** The least role for a field about another user than the caller. */
const leastForOthers: Partial<Record<string, Role>> = { userEdit: 'admin' };

let service: TestService;
const users = new Map<Role, TestUser>();
let organizationId: string;
/** Every caller is an owner here too: a request has the role and the objects of its token's organization only. */
let otherId: string;
beforeAll(async () => {
  service = await startTestService();
  organizationId = await organizationOf(service, service.application.id);
  otherId = await newOrganization(service);
  for (const role of roles) users.set(role, await newCaller(role));
});
afterAll(() => service.stop());

async function newCaller(role: Role): Promise<TestUser> {
  const user = await newUser(service, organizationId, role);
  const owner = { role: 'owner', status: 'active', acceptedAt: new Date() } as const;
  await service.database.prisma.membership.create({ data: { organizationId: otherId, userId: user.id, ...owner } });
  return user;
}

const random = (): Objects => ({
  organization: randomUUID(),
  project: randomUUID(),
  application: randomUUID(),
  campaign: randomUUID(),
  key: `pub_${'0'.repeat(32)}`,
  email: `${randomUUID()}@example.com`,
  session: randomUUID(),
  serviceToken: randomUUID(),
  webhook: randomUUID(),
  delivery: randomUUID(),
});

/** Creates new objects for each call, so that no earlier call has changed them. */
async function foreign(): Promise<Objects> {
  const application = await service.newApplication();
  const { database } = service;
  const { projectId } = await database.prisma.application.findUniqueOrThrow({ where: { id: application.id } });
  const campaign = await storeCampaign({ database, application });
  const { email, sessionId: session } = await newUser(service, await organizationOf(service, application.id), 'viewer');
  const key = application.key.public;
  const organization = await organizationOf(service, application.id);
  const { id: serviceToken } = await storeServiceToken(service, { organizationId: organization });
  const objects = { organization, project: projectId, application: application.id, campaign: campaign.id, key };
  return { ...objects, email, session, serviceToken, ...(await storeWebhook(service, application.id)) };
}

async function ofOrganization(id = organizationId): Promise<Objects> {
  const objects = await foreign();
  await service.database.prisma.project.update({ where: { id: objects.project }, data: { organizationId: id } });
  const { email } = await newUser(service, id, 'viewer');
  return { ...objects, organization: id, email };
}

/** The organization itself stays a stranger's, because the caller may switch to the other one. */
async function ofOther(): Promise<Objects> {
  return { ...(await ofOrganization(otherId)), organization: random().organization };
}

/** With another session of the user of this role. */
async function own(role: Role = 'viewer'): Promise<Objects> {
  const { id: session } = await service.database.prisma.loginSession.create({
    data: { userId: users.get(role)!.id, organizationId, expiresAt: new Date(Date.now() + 3_600_000) },
  });
  const { id: serviceToken } = await storeServiceToken(service, { organizationId });
  return { ...(await ofOrganization()), session, serviceToken };
}

async function deleted(): Promise<Objects> {
  const objects = await ofOrganization();
  const owner = users.get('owner')!;
  const { errors } = await owner.ask('mutation D($id: UUID!) { projectDelete(id: $id) }', { id: objects.project });
  expect(errors).toEqual([]);
  // Here no user, organization or service token is deleted, and sessions only end.
  const { organization, email, session, serviceToken } = random();
  return { ...objects, organization, email, session, serviceToken };
}

const cases: [string, Access, (of: Objects) => string][] = [
  ...Object.entries(queries).map(([name, query]) => caseOf('Query', name, query)),
  ...Object.entries(mutations).map(([name, field]) => caseOf('Mutation', name, (of) => `mutation { ${field(of)} }`)),
];
function caseOf(root: 'Query' | 'Mutation', name: string, query: (of: Objects) => string): (typeof cases)[number] {
  return [name, (access[root] as Record<string, Access>)[name]!, query];
}

test.each(cases)('%s (%s)', async (name, least, query) => {
  for (const make of [() => own(), foreign, deleted, random]) {
    const { status } = await askAdmin(service.url, { query: query(await make()) });
    expect(status).toBe(least === 'public' ? 200 : 401);
  }
  for (const role of roles) {
    const ask = async (make: () => Objects | Promise<Objects>) => {
      // These mutations end the session that they are asked with.
      const user = ['logout', 'organizationLeave'].includes(name) ? await newCaller(role) : users.get(role)!;
      return user.ask(query(await make()));
    };
    const unknown = await ask(random);
    expect((await ask(foreign)).text).toBe(unknown.text);
    expect((await ask(ofOther)).text).toBe(unknown.text);
    expect((await ask(deleted)).text).toBe(unknown.text);
    const needed = leastForOthers[name] ?? least;
    const refused = needed !== 'public' && roles.indexOf(role) < roles.indexOf(needed);
    expect([role, unknown.status, unknown.codes.includes('FORBIDDEN')]).toEqual([role, 200, refused]);
    const mine = await ask(() => own(role));
    if (refused) expect(mine.text).toBe(unknown.text);
    else expect(mine.codes.filter((code) => ['FORBIDDEN', 'NOT_FOUND'].includes(code))).toEqual([]);
  }
});
