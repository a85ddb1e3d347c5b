// mutation login: a token pair for the right password, one identical refusal for everything else.
import { hash } from 'argon2';
import { defaultAttemptLimits } from '../../src/accounts/attempts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { newPasswordToken } from '../support/mail.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newInvitation, newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

const password = ' correct horse ✓ ';
const mutation = `mutation Login($email: String!, $password: String!) {
  login(input: { email: $email, password: $password }) {
    token refreshToken user { email name role status avatar }
    organization { id name projectsCount projects { name } users { email } }
  }
}`;

let service: TestService;
let user: TestUser;
beforeAll(async () => {
  service = await startTestService();
  user = await newUser(service, await newOrganization(service, 'Acme'), 'editor');
  const passwordHash = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  await service.database.prisma.user.update({ where: { id: user.id }, data: { passwordHash } });
});
afterAll(() => service.stop());

const login = (email: string, secret: string, url = service.url) =>
  askAdmin(url, { query: mutation, variables: { email, password: secret } });

test('gives tokens, the user and the organization', async () => {
  const { status, data } = await login(`\u00a0 ${user.email.toUpperCase()} `, password);
  expect(status).toBe(200);
  expect(data!['login']).toEqual({
    token: expect.any(String) as string,
    refreshToken: expect.stringMatching(/^[\w-]{43}$/) as string,
    user: { email: user.email, name: 'The editor', role: 'editor', status: 'active', avatar: null },
    organization: {
      id: user.organizationId,
      name: 'Acme',
      projectsCount: 0,
      projects: [],
      users: [{ email: user.email }],
    },
  });
  const { token } = data!['login'] as { token: string };
  const me = await askAdmin(service.url, { query: '{ id me { email } }', token });
  expect(me.data).toEqual({ id: user.id, me: { email: user.email } });
});

test('ends after 90 days, and its first refresh token after 30', async () => {
  await login(user.email, password);
  const { expiresAt, createdAt, refreshTokens } = await service.database.prisma.loginSession.findFirstOrThrow({
    where: { userId: user.id },
    orderBy: { createdAt: 'desc' },
    include: { refreshTokens: true },
  });
  const days = (end: Date) => (end.getTime() - createdAt.getTime()) / 86_400_000;
  expect([days(expiresAt), refreshTokens.map((token) => days(token.expiresAt))]).toEqual([90, [30]]);
});

test('every refusal is the same, byte for byte', async () => {
  const texts = new Set<string>();
  const refuse = async (email: string, secret: string) => {
    const answer = await login(email, secret);
    expect([answer.status, answer.codes, answer.data]).toEqual([200, ['INVALID_CREDENTIALS'], null]);
    texts.add(answer.text);
  };
  await refuse(user.email, 'wrong');
  await refuse(user.email, password.trim());
  await refuse('nobody@example.com', password);
  await refuse('', '');
  await refuse('a\u0000b@example.com', '\u0000\ud800');
  await refuse('x'.repeat(50_000), 'y'.repeat(40_000));
  await refuse((await newInvitation(service, user.organizationId)).email, password);
  await service.database.prisma.user.update({ where: { id: user.id }, data: { passwordHash: null } });
  await refuse(user.email, password);
  await refuse(user.email, '');
  expect(texts.size).toBe(1);
});

test('all spellings of an address and of its domain are one account', async () => {
  const email = 'ann@bücher.example';
  const passwordHash = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  const { id } = await newUser(service, await newOrganization(service));
  await service.database.prisma.user.update({ where: { id }, data: { email, passwordHash } });
  for (const typed of [email, ' ANN@BÜCHER.example', 'ann@xn--bcher-kva.example', 'ann@bücher\u3002example']) {
    expect((await login(typed, password)).data).toMatchObject({ login: { user: { email } } });
  }
});

describe('attempts', () => {
  const stranger = '203.0.113.9';
  let strict: TestService;
  let email: string;
  beforeAll(async () => {
    strict = await startTestService({ attemptLimits: defaultAttemptLimits });
  });
  afterAll(() => strict.stop());
  beforeEach(async () => {
    const { id, email: address } = await newUser(strict, await newOrganization(strict));
    email = address;
    const passwordHash = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
    await strict.database.prisma.user.update({ where: { id }, data: { passwordHash } });
    await strict.database.pool.query('DELETE FROM attempts');
  });
  /** A stranger's wrong passwords, up to the refusal. */
  async function useUp(): Promise<void> {
    const guess = () => strict.deps.attempts({ mutation: 'login', account: email, address: stranger });
    for (let time = 0; time < 10; time += 1) await guess();
    await expect(guess()).rejects.toMatchObject({ code: 'rate_limited' });
  }

  test('eleven correct logins in a row are let in', async () => {
    for (let time = 0; time < 11; time += 1) expect((await login(email, password, strict.url)).codes).toEqual([]);
  });

  test('a stranger who uses them up does not lock the owner out where the owner has logged in before', async () => {
    await login(email, password, strict.url);
    await useUp();
    expect((await login(email, 'wrong', strict.url)).codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await login(email, password, strict.url)).codes).toEqual([]);
  });

  test('an owner who is new to a network is let in after a reset by mail', async () => {
    await useUp();
    expect((await login(email, password, strict.url)).codes).toEqual(['RATE_LIMITED']);
    const reset = 'mutation R($email: String!) { resetPassword(input: { email: $email }) }';
    for (let time = 0; time < 11; time += 1) {
      expect((await askAdmin(strict.url, { query: reset, variables: { email } })).codes).toEqual([]);
    }
    const input = { token: await newPasswordToken(strict, email), newPassword: password, newPasswordRepeat: password };
    const update = 'mutation U($input: UpdatePasswordInput!) { updatePassword(input: $input) }';
    expect((await askAdmin(strict.url, { query: update, variables: { input } })).codes).toEqual([]);
    // The stranger goes on guessing before the owner has logged in.
    await useUp();
    expect((await login(email, password, strict.url)).codes).toEqual([]);
  });

  test('whoever has just signed up has attempts of their own', async () => {
    const query = 'mutation S($input: RegistrationUserInput!) { signup(input: $input) { token } }';
    const input = { email: `new-${email}`, password, organization: 'New', name: 'Ann' };
    expect((await askAdmin(strict.url, { query, variables: { input } })).codes).toEqual([]);
    email = input.email;
    await useUp();
    expect((await login(email, password, strict.url)).codes).toEqual([]);
  });
});

test('the token of a login is not stored, nor is the password', async () => {
  const { pool } = service.database;
  const { rows } = await pool.query<{ text: string }>(
    'SELECT row_to_json(t)::text AS text FROM refresh_tokens t UNION ALL SELECT row_to_json(s)::text FROM login_sessions s',
  );
  expect(rows.length).toBeGreaterThan(1);
  expect(rows.every(({ text }) => !text.includes('correct horse'))).toBe(true);
});
