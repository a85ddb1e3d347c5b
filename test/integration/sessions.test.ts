// query sessions: the caller's own live logins, with the device and the time of each.
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

interface Session {
  id: string;
  createdAt: string;
  lastUsedAt: string;
  userAgent: string | null;
  address: string | null;
  current: boolean;
}

const password = 'a fine phrase';
const minute = 60_000;
const day = 24 * 60 * minute;

let service: TestService;
let now: Date;
let user: TestUser;
let passwordHash: string;
beforeAll(async () => {
  now = new Date();
  service = await startTestService({ now: () => now });
  passwordHash = await service.deps.passwords.hash(password, 'known');
});
afterAll(() => service.stop());
beforeEach(async () => {
  now = new Date();
  user = await newUser(service, await newOrganization(service));
  await service.database.prisma.user.update({ where: { id: user.id }, data: { passwordHash } });
});

const pass = (millis: number) => void (now = new Date(now.getTime() + millis));

async function login(userAgent = 'a browser'): Promise<{ token: string; refreshToken: string }> {
  const query = `mutation { login(input: { email: "${user.email}", password: "${password}" }) { token refreshToken } }`;
  const { data } = await askAdmin(service.url, { query, headers: { 'User-Agent': userAgent } });
  return data!['login'] as { token: string; refreshToken: string };
}

async function sessions(token: string): Promise<Session[]> {
  const query = '{ sessions { id createdAt lastUsedAt userAgent address current } }';
  const { data, errors } = await askAdmin(service.url, { query, token });
  expect(errors).toEqual([]);
  return data!['sessions'] as Session[];
}

const currentOf = async (token: string) => (await sessions(token)).find(({ current }) => current)!;

test('the latest login comes first, with where it came from; the one of the bearer is marked', async () => {
  pass(1_000);
  const { token } = await login('Mozilla/5.0 (X11; Linux x86_64)');
  const [latest, first, ...more] = await sessions(token);
  expect(latest).toEqual({
    id: expect.any(String) as string,
    createdAt: now.toISOString(),
    lastUsedAt: now.toISOString(),
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64)',
    address: expect.stringMatching(/127\.0\.0\.1|::1/) as string,
    current: true,
  });
  expect(first).toMatchObject({ id: user.sessionId, userAgent: null, address: null, current: false });
  expect(more).toEqual([]);
});

test('a sign-up stores where it came from too', async () => {
  const input = `{ email: "new-${user.email}", password: "${password}", organization: "Acme", name: "Ann" }`;
  const query = `mutation { signup(input: ${input}) { token } }`;
  const { data } = await askAdmin(service.url, { query, headers: { 'User-Agent': 'another browser' } });
  const { token } = data!['signup'] as { token: string };
  expect(await sessions(token)).toMatchObject([{ userAgent: 'another browser', current: true }]);
});

test('a long User-Agent is cut to 512 characters', async () => {
  const { token } = await login('x'.repeat(4_000));
  expect((await currentOf(token)).userAgent).toBe('x'.repeat(512));
});

test('the last use is accurate to a minute, by the access token and by the refresh token', async () => {
  const { token, refreshToken } = await login();
  const { id } = await currentOf(token);
  const began = now.toISOString();
  pass(minute - 1);
  expect((await currentOf(token)).lastUsedAt).toBe(began);
  pass(1);
  expect((await currentOf(token)).lastUsedAt).toBe(now.toISOString());
  pass(2 * minute);
  const query = `mutation { refreshToken(token: "${refreshToken}") { token } }`;
  await askAdmin(service.url, { query });
  const seen = (await sessions(user.token)).find((session) => session.id === id)!;
  expect(seen.lastUsedAt).toBe(now.toISOString());
});

test('ended, expired, unused and foreign logins are not listed', async () => {
  const colleague = await newUser(service, user.organizationId);
  const { prisma } = service.database;
  const expiresAt = new Date(now.getTime() + 90 * day);
  const create = (data: object) =>
    prisma.loginSession.create({ data: { userId: user.id, organizationId: user.organizationId, expiresAt, ...data } });
  await create({ revokedAt: now });
  await create({ expiresAt: now });
  await create({ lastUsedAt: new Date(now.getTime() - 30 * day) });
  const kept = await create({ lastUsedAt: new Date(now.getTime() - 30 * day + minute) });
  const listed = (await sessions(user.token)).map(({ id }) => id);
  expect(listed.sort()).toEqual([kept.id, user.sessionId].sort());
  expect((await sessions(colleague.token)).map(({ id }) => id)).toEqual([colleague.sessionId]);
});
