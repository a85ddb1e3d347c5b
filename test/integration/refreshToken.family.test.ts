// mutation refreshToken with a stolen token: the sessions that a thief has begun from it end too.
import { logIn, signUp, type Account } from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
let now = new Date();
beforeAll(async () => {
  service = await startTestService({ now: () => now });
});
afterAll(() => service.stop());

const refresh = (token: string) =>
  askAdmin(service.url, { query: `mutation { refreshToken(token: "${token}") { token refreshToken } }` });
const switchTo = async (id: string, token: string) => {
  const query = `mutation { organizationSwitch(id: "${id}") { token refreshToken } }`;
  return (await askAdmin(service.url, { query, token })).data!['organizationSwitch'] as Account;
};
const statusOf = async (token: string) => (await askAdmin(service.url, { query: '{ me { role } }', token })).status;

test('a stolen refresh token ends every session of its chain, and no other login', async () => {
  const victim = await signUp(service);
  const elsewhere = (await logIn(service, victim.email)).data!['login'] as Account;
  const stolen = (await refresh(victim.refreshToken)).data!['refreshToken'] as Account;
  const switched = await switchTo(victim.organization.id, stolen.token);
  const again = await switchTo(victim.organization.id, switched.token);
  expect([await statusOf(switched.token), await statusOf(again.token)]).toEqual([200, 200]);
  now = new Date(now.getTime() + 31_000);
  expect((await refresh(victim.refreshToken)).codes).toEqual(['INVALID_TOKEN']);
  for (const { token, refreshToken } of [stolen, switched, again]) {
    expect([await statusOf(token), (await refresh(refreshToken)).codes]).toEqual([401, ['INVALID_TOKEN']]);
  }
  expect(await statusOf(elsewhere.token)).toBe(200);
});

test('it ends also the session from which its own began', async () => {
  const victim = await signUp(service);
  const switched = await switchTo(victim.organization.id, victim.token);
  const { token } = (await refresh(switched.refreshToken)).data!['refreshToken'] as Account;
  expect(await statusOf(token)).toBe(200);
  now = new Date(now.getTime() + 31_000);
  expect((await refresh(switched.refreshToken)).codes).toEqual(['INVALID_TOKEN']);
  expect([await statusOf(token), await statusOf(victim.token)]).toEqual([401, 401]);
});
