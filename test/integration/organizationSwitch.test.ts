// mutation organizationSwitch and query organizations: a token acts in one organization, and a switch starts a session in another.
import { accept, invitationOf, logIn, signUp, type Account } from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, putMembership } from '../support/testUsers.ts';

let service: TestService;
let account: Account;
let second: string;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  account = await signUp(service);
  second = await newOrganization(service, 'Second');
  const token = await invitationOf(service, second, account.email);
  await accept(service, { token }, account.token);
});

const switchTo = (id: string, token = account.token) =>
  askAdmin(service.url, {
    query:
      'mutation S($id: UUID!) { organizationSwitch(id: $id) { token refreshToken organization { id } user { role } } }',
    variables: { id },
    token,
  });
const ask = async (query: string, token: string) => (await askAdmin(service.url, { query, token })).data;
const organizationOfLogin = async () =>
  ((await logIn(service, account.email)).data!['login'] as Account).organization.id;

test('gives tokens for the other organization, with the role there, and leaves the session of the bearer', async () => {
  const { data } = await switchTo(second);
  const switched = data!['organizationSwitch'] as Account;
  expect(switched).toMatchObject({ organization: { id: second }, user: { role: 'viewer' } });
  const query = '{ organization { name } me { role } }';
  expect(await ask(query, switched.token)).toEqual({ organization: { name: 'Second' }, me: { role: 'viewer' } });
  expect(await ask(query, account.token)).toEqual({ organization: { name: 'Own' }, me: { role: 'owner' } });
});

test('a refresh stays in its organization, and the next login begins where the user was last', async () => {
  expect(await organizationOfLogin()).toBe(second);
  const switched = (await switchTo(account.organization.id)).data!['organizationSwitch'] as Account;
  const refresh = `mutation { refreshToken(token: "${switched.refreshToken}") { organization { id } } }`;
  const { data } = await askAdmin(service.url, { query: refresh });
  expect(data).toEqual({ refreshToken: { organization: account.organization } });
  expect(await organizationOfLogin()).toBe(account.organization.id);
});

test('the new session lives no longer than the one of the bearer', async () => {
  const { prisma } = service.database;
  const expiresAt = new Date(Date.now() + 60_000);
  await prisma.loginSession.updateMany({ where: { user: { email: account.email } }, data: { expiresAt } });
  await switchTo(second);
  const where = { user: { email: account.email }, expiresAt: { gt: expiresAt } };
  expect(await prisma.loginSession.count({ where })).toBe(0);
});

test('an organization of others, and one in which the user is disabled, are NOT_FOUND alike', async () => {
  const foreign = await switchTo(await newOrganization(service));
  const { id } = await service.database.prisma.user.findUniqueOrThrow({ where: { email: account.email } });
  await putMembership(service, { id, organizationId: second }, { status: 'disabled' });
  const disabled = await switchTo(second);
  expect([foreign.codes, disabled.text]).toEqual([['NOT_FOUND'], foreign.text]);
});

test('organizations lists those where the user is active, and shows objects of the bearer only', async () => {
  const query = '{ organizations { id name users { email } projectsCount projects { id } } }';
  const own = {
    id: account.organization.id,
    name: 'Own',
    users: [{ email: account.email }],
    projectsCount: 0,
    projects: [],
  };
  const other = { id: second, name: 'Second', users: null, projectsCount: null, projects: null };
  expect(await ask(query, account.token)).toEqual({ organizations: [own, other] });
});
