// mutation organizationCreate: by a bearer or a challenge, which lives five minutes and works once.
import { addOwner, challengeOf, leave, signUp, type Account } from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { newPasswordToken } from '../support/mail.ts';
import { setPassword } from '../support/accounts.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let now = new Date();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ now: () => now });
});
afterAll(() => service.stop());

const create = (input: object, token: string | null = null) =>
  askAdmin(service.url, {
    query: `mutation C($input: OrganizationCreateInput!) { organizationCreate(input: $input) {
      token user { email role status } organization { name projectsCount } } }`,
    variables: { input },
    token,
  });
async function gone(): Promise<Account> {
  const account = await signUp(service);
  await addOwner(service, account.organization.id);
  await leave(service, account.token);
  return account;
}

test('with a bearer it founds another organization and leaves the session of the bearer', async () => {
  const account = await signUp(service);
  const { data } = await create({ name: ' Another ' }, account.token);
  const user = { email: account.email, role: 'owner', status: 'active' };
  expect(data!['organizationCreate']).toMatchObject({ user, organization: { name: 'Another', projectsCount: 0 } });
  const { token } = data!['organizationCreate'] as { token: string };
  const query = '{ organization { name } organizations { name } }';
  const organizations = [{ name: 'Own' }, { name: 'Another' }];
  expect((await askAdmin(service.url, { query, token })).data).toEqual({
    organization: { name: 'Another' },
    organizations,
  });
  expect((await askAdmin(service.url, { query: '{ organization { name } }', token: account.token })).data).toEqual({
    organization: { name: 'Own' },
  });
});

test('with a challenge it founds one for an account that has none, once', async () => {
  const { email } = await gone();
  const challenge = await challengeOf(service, email);
  expect((await create({ name: ' ', challenge })).codes).toEqual(['BAD_USER_INPUT']);
  expect((await create({ name: 'New', challenge })).data).toMatchObject({ organizationCreate: { user: { email } } });
  expect((await create({ name: 'New', challenge })).codes).toEqual(['INVALID_TOKEN']);
});

test('of two at once with one challenge exactly one succeeds', async () => {
  const { email } = await gone();
  const challenge = await challengeOf(service, email);
  const codes = (await Promise.all([1, 2].map(() => create({ name: 'New', challenge })))).flatMap((each) => each.codes);
  expect(codes).toEqual(['INVALID_TOKEN']);
});

test('a challenge ends after five minutes and with a new password', async () => {
  const { email } = await gone();
  const [late, changed] = [await challengeOf(service, email), await challengeOf(service, email)];
  await setPassword(service, await newPasswordToken(service, email));
  expect((await create({ name: 'New', challenge: changed })).codes).toEqual(['INVALID_TOKEN']);
  const again = await challengeOf(service, email);
  now = new Date(now.getTime() + 5 * 60_000);
  for (const challenge of [late, again, 'none', '']) {
    expect((await create({ name: 'New', challenge })).codes).toEqual(['INVALID_TOKEN']);
  }
});

test('without a bearer and a challenge it is 401', async () => {
  for (const input of [{ name: 'New' }, { name: 'New', challenge: null }]) {
    const { status, codes } = await create(input);
    expect([status, codes]).toEqual([401, ['UNAUTHENTICATED']]);
  }
  const query = 'mutation { organizationCreate(input: { name: "New" }) { token } }';
  expect((await askAdmin(service.url, { query })).status).toBe(401);
});

test('attempts are limited', async () => {
  await using strict = await startTestService({ attemptLimits: { perAccount: 2, perAddress: 99, windowSeconds: 900 } });
  const { token } = await signUp(strict);
  const query = 'mutation { organizationCreate(input: { name: "New" }) { token } }';
  const codes = [];
  for (let time = 0; time < 3; time += 1) codes.push((await askAdmin(strict.url, { query, token })).codes[0] ?? 'OK');
  expect(codes).toEqual(['OK', 'OK', 'RATE_LIMITED']);
});
