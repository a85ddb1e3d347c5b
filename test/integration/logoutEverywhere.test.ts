// mutation logoutEverywhere: ends every other session of the caller, and keeps the bearer's.
import { askAdmin } from '../support/adminClient.ts';
import { holdLock } from '../support/heldLock.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

const password = 'a fine phrase';

let service: TestService;
let user: TestUser;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  user = await newUser(service, await newOrganization(service));
  const passwordHash = await service.deps.passwords.hash(password, 'known');
  await service.database.prisma.user.update({ where: { id: user.id }, data: { passwordHash } });
});

async function login(): Promise<{ token: string; refreshToken: string }> {
  const query = `mutation { login(input: { email: "${user.email}", password: "${password}" }) { token refreshToken } }`;
  const { data } = await askAdmin(service.url, { query });
  return data!['login'] as { token: string; refreshToken: string };
}
const idOf = async (token: string) => (await askAdmin(service.url, { query: '{ id }', token })).data!['id'];

test('ends the other sessions, with access and refresh tokens', async () => {
  const { token, refreshToken } = await login();
  const colleague = await newUser(service, user.organizationId);
  const { data } = await user.ask('mutation { logoutEverywhere }');
  expect(data).toEqual({ logoutEverywhere: true });
  expect(await idOf(token)).toBeNull();
  const query = `mutation { refreshToken(token: "${refreshToken}") { token } }`;
  expect((await askAdmin(service.url, { query })).codes).toEqual(['INVALID_TOKEN']);
  expect(await idOf(user.token)).toBe(user.id);
  expect(await idOf(colleague.token)).toBe(colleague.id);
  expect((await user.ask('mutation { logoutEverywhere }')).data).toEqual({ logoutEverywhere: true });
});

test('a login under way ends too', async () => {
  const lock = await holdLock(service.database.pool, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', user.id);
  const loggingIn = login();
  await lock.waiting(1);
  const ending = user.ask('mutation { logoutEverywhere }');
  await lock.waiting(2);
  await lock.release();
  expect((await ending).errors).toEqual([]);
  expect(await idOf((await loggingIn).token)).toBeNull();
});
