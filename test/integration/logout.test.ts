// mutation logout: ends the bearer's session at once, and no other.
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('ends the access token and the refresh token of the session', async () => {
  const email = 'olga@example.com';
  const input = `{ email: "${email}", password: "a fine phrase", organization: "Acme", name: "Olga" }`;
  const query = `mutation { signup(input: ${input}) { token refreshToken } }`;
  const { data } = await askAdmin(service.url, { query });
  const { token, refreshToken } = data!['signup'] as { token: string; refreshToken: string };
  const out = await askAdmin(service.url, { query: 'mutation { logout }', token });
  expect([out.status, out.data, out.errors]).toEqual([200, { logout: true }, []]);
  expect((await askAdmin(service.url, { query: '{ me { email } }', token })).status).toBe(401);
  expect((await askAdmin(service.url, { query: 'mutation { logout }', token })).status).toBe(401);
  const refresh = `mutation { refreshToken(token: "${refreshToken}") { token } }`;
  expect((await askAdmin(service.url, { query: refresh })).codes).toEqual(['INVALID_TOKEN']);
});

test('leaves the other sessions of the user, and those of others', async () => {
  const user = await newUser(service, await newOrganization(service));
  const colleague = await newUser(service, user.organizationId);
  const other = await service.database.prisma.loginSession.create({
    data: { userId: user.id, organizationId: user.organizationId, expiresAt: new Date(Date.now() + 3_600_000) },
  });
  const token = await service.deps.accessTokens.issue({ userId: user.id, sessionId: other.id }, new Date());
  await user.ask('mutation { logout }');
  expect((await user.ask('{ id }')).data).toEqual({ id: null });
  expect((await askAdmin(service.url, { query: '{ id }', token })).data).toEqual({ id: user.id });
  expect((await colleague.ask('{ id }')).data).toEqual({ id: colleague.id });
});
