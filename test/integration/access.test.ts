// The access matrix: every root field, asked by nobody and by each role, for an own object, another organization's, and a random id.
import { randomUUID } from 'node:crypto';
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql.ts';
import { access, type Access } from '../../src/graphql/access.ts';
import { operations } from '../../src/graphql/resolvers.ts';
import { unwritten } from '../../src/graphql/unwritten.ts';
import type { Role } from '../../src/workspace/caller.ts';
import { askAdmin } from '../support/adminClient.ts';
import { storeCampaign } from '../support/campaigns.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import type { TestApplication } from '../support/testWorkspace.ts';

interface Objects {
  project: string;
  application: string;
  campaign: string;
  key: string;
  email: string;
}

const roles: Role[] = ['viewer', 'editor', 'admin', 'owner'];
const queries: Record<keyof QueryResolvers, (of: Objects) => string> = {
  applications: ({ project }) => `{ applications(projectId: "${project}") { __typename } }`,
  auditLog: () => '{ auditLog { __typename } }',
  campaign: ({ campaign }) => `{ campaign(id: "${campaign}") { name } }`,
  campaigns: ({ application }) => `{ campaigns(applicationId: "${application}") { name } }`,
  countries: () => '{ countries { code } }',
  device: ({ application }) => `{ device(applicationId: "${application}", id: "d") { id } }`,
  id: () => '{ id }',
  me: () => '{ me { role } }',
  organization: () => '{ organization { name } }',
  projects: () => '{ projects { name } }',
};
/** Without effect on an own object, so that the order of the questions does not matter. */
const mutations: Record<keyof MutationResolvers, (of: Objects) => string> = {
  apiKeyCreate: ({ application }) => `apiKeyCreate(applicationId: "${application}") { __typename }`,
  apiKeyRevoke: ({ key }) => `apiKeyRevoke(public: "${key}")`,
  applicationDelete: ({ application }) => `applicationDelete(id: "${application}")`,
  applicationEdit: ({ application }) => `applicationEdit(input: { id: "${application}" }) { __typename }`,
  campaignChangeState: ({ campaign }) => `campaignChangeState(id: "${campaign}", state: ACTIVE) { name }`,
  campaignEdit: ({ campaign }) => `campaignEdit(input: { id: "${campaign}" }) { name }`,
  login: ({ email }) => `login(input: { email: "${email}", password: "x" }) { token }`,
  organizationEdit: () => 'organizationEdit(input: {}) { name }',
  projectDelete: ({ project }) => `projectDelete(id: "${project}")`,
  projectEdit: ({ project }) => `projectEdit(input: { id: "${project}" }) { __typename }`,
  refreshToken: () => 'refreshToken(token: "none") { token }',
  resetPassword: ({ email }) => `resetPassword(input: { email: "${email}" })`,
  signup: () => 'signup(input: { email: "x", password: "x", organization: "x", name: "x" }) { token }',
  storeCredentialsEdit: ({ application }) => `storeCredentialsEdit(input: { applicationId: "${application}" })`,
  updatePassword: () => 'updatePassword(input: { token: "none", newPassword: "x", newPasswordRepeat: "x" })',
  userEdit: ({ email }) => `userEdit(input: { email: "${email}" }) { role }`,
  userInvite: () => 'userInvite(input: { email: "x", role: "x" }) { role }',
};

let service: TestService;
const users = new Map<Role, TestUser>();
let own: () => Promise<Objects>;
let foreign: () => Promise<Objects>;
const random = (): Objects => ({
  project: randomUUID(),
  application: randomUUID(),
  campaign: randomUUID(),
  key: `pub_${'0'.repeat(32)}`,
  email: `${randomUUID()}@example.com`,
});

beforeAll(async () => {
  service = await startTestService();
  const organizationId = await organizationOf(service, service.application.id);
  for (const role of roles) users.set(role, await newUser(service, organizationId, role));
  const stranger = await newUser(service, await organizationOf(service, (await service.newApplication()).id), 'owner');
  own = () => objects(service.application, users.get('admin')!);
  foreign = async () => objects(await service.newApplication(), stranger);
});
afterAll(() => service.stop());

async function objects(application: TestApplication, user: TestUser): Promise<Objects> {
  const { projectId } = await service.database.prisma.application.findUniqueOrThrow({ where: { id: application.id } });
  const campaign = await storeCampaign({ database: service.database, application });
  const { id, key } = application;
  return { project: projectId, application: id, campaign: campaign.id, key: key.public, email: user.email };
}

/** With an address it is about somebody else, which the table cannot know. */
const leastWhenAboutOthers: Record<string, Role> = { userEdit: 'admin' };

const cases: [string, Access, (of: Objects) => string][] = [
  ...Object.entries(queries).map(([name, query]) => caseOf('Query', name, query)),
  ...Object.entries(mutations).map(([name, field]) => caseOf('Mutation', name, (of) => `mutation { ${field(of)} }`)),
];
function caseOf(root: 'Query' | 'Mutation', name: string, query: (of: Objects) => string): (typeof cases)[number] {
  return [name, (access[root] as Record<string, Access>)[name]!, query];
}

test.each(cases)('%s (%s)', async (name, listed, query) => {
  const least = leastWhenAboutOthers[name] ?? listed;
  for (const make of [random, foreign]) {
    const { status } = await askAdmin(service.url, { query: query(await make()) });
    expect(status).toBe(least === 'public' ? 200 : 401);
  }
  for (const role of roles) {
    const ask = async (of: Objects) => users.get(role)!.ask(query(of));
    const [unknown, others] = [await ask(random()), await ask(await foreign())];
    expect(others.text).toBe(unknown.text);
    const refused = least !== 'public' && roles.indexOf(role) < roles.indexOf(least);
    expect([role, unknown.status, unknown.codes.includes('FORBIDDEN')]).toEqual([role, 200, refused]);
    // An owner's questions would change the own objects for the others.
    if (refused) expect((await ask(await own())).text).toBe(unknown.text);
  }
});

test('the list of what is not written yet says which operations are', () => {
  const all = { ...operations.Query, ...operations.Mutation };
  const missing = Object.entries(all).filter(([, operation]) => operation.name === 'notImplemented');
  expect(missing.map(([name]) => name).sort()).toEqual([...unwritten].sort());
});
