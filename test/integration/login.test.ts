// Logins: how one begins, what is kept of it, and how it ends.
import { randomBytes, randomUUID } from 'node:crypto';
import { hash } from 'argon2';
import { decodeJwt } from 'jose';
import { defaultAttemptLimits } from '../../src/accounts/attempts.ts';
import { enterOrganization, revokeLoginSessions } from '../../src/accounts/authenticate.ts';
import { deleteExpiredLoginSessions } from '../../src/accounts/deleteExpired.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { type Account, logIn, signUp } from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { batchesOfTwo } from '../support/countedBatches.ts';
import { holdLock } from '../support/heldLock.ts';
import { newPasswordToken } from '../support/mail.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newInvitation, newOrganization, newUser, putMembership, type TestUser } from '../support/testUsers.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// mutation login: a token pair for the right password, one identical refusal for everything else.
describe('login', () => {
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
    service = await shared.withNewApplication();
    user = await newUser(service, await newOrganization(service, 'Acme'), 'editor');
    const passwordHash = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
    await service.database.prisma.user.update({ where: { id: user.id }, data: { passwordHash } });
  });

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
      const input = {
        token: await newPasswordToken(strict, email),
        newPassword: password,
        newPasswordRepeat: password,
      };
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
});

// Attempts over the limit are refused for a while, as a client sees it (schema.graphql, "Attempts").
describe('limits: attempts', () => {
  let service: TestService;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
    const attemptLimits = { perAccount: 3, perAddress: 8, windowSeconds: 60 };
    service = await startTestService({ now: () => now, attemptLimits });
  });
  afterAll(() => service.stop());

  const ask = (query: string) => askAdmin(service.url, { query });
  const login = (email: string) => `login(input: { email: "${email}", password: "x" }) { token }`;

  test('attempts at one account are limited for a while, and refused ones do not prolong it', async () => {
    now = new Date(now.getTime() + 120_000);
    const codes = async (email: string) => (await ask(`mutation { ${login(email)} }`)).codes;
    for (const email of ['one@x', ' ONE@x', 'one@X ']) expect(await codes(email)).toEqual(['INVALID_CREDENTIALS']);
    const { errors } = await ask(`mutation { ${login('one@x')} }`);
    expect(errors[0]!.extensions).toEqual({ code: 'RATE_LIMITED', retryAfterSeconds: 60 });
    now = new Date(now.getTime() + 45_000);
    const again = await ask(`mutation { ${login('one@x')} }`);
    expect(again.errors[0]!.extensions['retryAfterSeconds']).toBe(15);
    expect(await codes('two@x')).toEqual(['INVALID_CREDENTIALS']);
    now = new Date(now.getTime() + 15_000);
    expect(await codes('one@x')).toEqual(['INVALID_CREDENTIALS']);
  });

  test('attempts from one address are limited, each mutation for itself, and the others still count nothing', async () => {
    now = new Date(now.getTime() + 120_000);
    const all = await Promise.all(Array.from({ length: 12 }, (_, at) => ask(`mutation { ${login(`user${at}@x`)} }`)));
    const codes = all.flatMap((answer) => answer.codes);
    expect(codes.filter((code) => code === 'INVALID_CREDENTIALS')).toHaveLength(8);
    expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(4);
    expect((await ask('mutation { refreshToken(token: "none") { token } }')).codes).toEqual(['INVALID_TOKEN']);
  });
});

// A user has a bounded number of logins, and a login a bounded number of refreshes (schema.graphql, "Sessions").
describe('numberOfLogins', () => {
  let service: TestService;
  let account: Account;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
    service = await startTestService({ now: () => now });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    account = await signUp(service);
  });

  const most = 100;
  const minute = 60_000;
  const pass = () => void (now = new Date(now.getTime() + minute));
  const rows = () => service.database.prisma.loginSession.count({ where: { user: { email: account.email } } });
  const isIn = async ({ token }: Pick<Account, 'token'>) =>
    (await askAdmin(service.url, { query: '{ me { email } }', token })).status === 200;
  function askForSwitch() {
    const query = `mutation { organizationSwitch(id: "${account.organization.id}") { token refreshToken } }`;
    return askAdmin(service.url, { query, token: account.token });
  }
  async function switched(): Promise<Account> {
    const { data } = await askForSwitch();
    return data!['organizationSwitch'] as Account;
  }
  const refresh = (refreshToken: string) =>
    askAdmin(service.url, {
      query: 'mutation R($token: String!) { refreshToken(token: $token) { refreshToken } }',
      variables: { token: refreshToken },
    });

  test('the login beyond 100 ends the one that was used least lately, with its tokens', async () => {
    const [unused, used] = [await switched(), await switched()];
    pass();
    while ((await rows()) < most) await switched();
    expect([await isIn(unused), await isIn(used), await isIn(account)]).toEqual([true, true, true]);
    // Looking at them was a use.
    const id = decodeJwt<{ sid: string }>(unused.token).sid;
    const lastUsedAt = new Date(now.getTime() - 5 * minute);
    await service.database.prisma.loginSession.update({ where: { id }, data: { lastUsedAt } });
    expect((await logIn(service, account.email)).errors).toEqual([]);
    expect(await rows()).toBe(most);
    expect([await isIn(unused), await isIn(used), await isIn(account)]).toEqual([false, true, true]);
    expect((await refresh(unused.refreshToken)).codes).toEqual(['INVALID_TOKEN']);
    expect((await refresh(used.refreshToken)).errors).toEqual([]);
  });

  test('switches and logouts without an end leave 100 rows, and ended logins go before live ones', async () => {
    const kept = await switched();
    pass();
    for (let turn = 0; turn < most + 20; turn += 1) {
      const { token } = await switched();
      await askAdmin(service.url, { query: 'mutation { logout }', token });
    }
    expect(await rows()).toBe(most);
    expect(await isIn(kept)).toBe(true);
  });

  test('many switches at once leave no more rows than one after the other, once the next login begins', async () => {
    const answers = await Promise.all(Array.from({ length: most + 30 }, askForSwitch));
    // On a busy machine the last ones come, or go on, when a hundred logins are newer than the one that asks. Of one user six
    // requests run at once and a hundred wait; further ones are refused.
    const codes = answers.flatMap((answer) => answer.codes);
    expect(codes.filter((code) => !['UNAUTHENTICATED', 'NOT_FOUND', 'UNAVAILABLE'].includes(String(code)))).toEqual([]);
    expect((await logIn(service, account.email)).errors).toEqual([]);
    expect(await rows()).toBe(most);
  });

  test('after 5,000 refreshes a login must be made anew, and no further token is stored', async () => {
    const put = (generation: number) =>
      service.database.prisma.refreshToken.updateMany({
        where: { session: { user: { email: account.email } } },
        data: { generation },
      });
    await put(4_999);
    const { data } = await refresh(account.refreshToken);
    const { refreshToken: last } = data!['refreshToken'] as { refreshToken: string };
    expect((await refresh(last)).codes).toEqual(['INVALID_TOKEN']);
    expect(await service.database.prisma.refreshToken.count({ where: { generation: { gt: 5_000 } } })).toBe(0);
    expect((await logIn(service, account.email)).errors).toEqual([]);
  });
});

// mutation logout: ends the bearer's session at once, and no other.
describe('logout', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

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
});

// mutation logoutEverywhere: ends every other session of the caller, and keeps the bearer's.
describe('logoutEverywhere', () => {
  const password = 'a fine phrase';

  let service: TestService;
  let user: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

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
});

// The SQL that begins and ends logins: a user who is locked out meanwhile gets none, and an ended login stays ended.
describe('loginSessionsStore', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  test('a login that is ended again, by itself or with all of its user, ended the first time', async () => {
    const { adminPool, prisma } = service.database;
    const { id: userId, sessionId: id } = await newUser(service, await newOrganization(service));
    const times = [1, 2, 3].map((second) => new Date(Date.UTC(2026, 8, 10, 0, 0, second)));
    await inTransaction(adminPool, (transaction) => revokeLoginSessions(transaction, { userId, id }, times[0]!));
    await inTransaction(adminPool, (transaction) => revokeLoginSessions(transaction, { userId, id }, times[1]!));
    await inTransaction(adminPool, (transaction) => revokeLoginSessions(transaction, { userId }, times[2]!));
    expect((await prisma.loginSession.findUniqueOrThrow({ where: { id } })).revokedAt).toEqual(times[0]);
  });

  test('a login begins for an active user whose password is still the one that was compared, and for nobody else', async () => {
    const { adminPool, prisma } = service.database;
    const user = await newUser(service, await newOrganization(service));
    const { id: userId, organizationId } = user;
    const begins = (compared: string) => {
      const entry = { userId, organizationId, passwordHash: compared, now: new Date() };
      return inTransaction(adminPool, (transaction) => enterOrganization(transaction, entry));
    };
    const put = (data: object) => prisma.user.update({ where: { id: userId }, data });
    await put({ passwordHash: 'one' });
    expect([await begins('one'), await begins('other')]).toEqual([true, false]);
    await putMembership(service, user, { status: 'disabled' });
    expect(await begins('one')).toBe(false);
  });
});

// query sessions: the caller's own live logins, with the device and the time of each.
describe('sessions', () => {
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
      prisma.loginSession.create({
        data: { userId: user.id, organizationId: user.organizationId, expiresAt, ...data },
      });
    await create({ revokedAt: now });
    await create({ expiresAt: now });
    await create({ lastUsedAt: new Date(now.getTime() - 30 * day) });
    const kept = await create({ lastUsedAt: new Date(now.getTime() - 30 * day + minute) });
    const listed = (await sessions(user.token)).map(({ id }) => id);
    expect(listed.sort()).toEqual([kept.id, user.sessionId].sort());
    expect((await sessions(colleague.token)).map(({ id }) => id)).toEqual([colleague.sessionId]);
  });
});

// mutation sessionRevoke: ends one live session of the caller; every other id is NOT_FOUND.
describe('sessionRevoke', () => {
  let service: TestService;
  let user: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  beforeEach(async () => {
    user = await newUser(service, await newOrganization(service));
  });

  const revoke = (id: string) => user.ask('mutation R($id: UUID!) { sessionRevoke(id: $id) }', { id });
  const later = () => new Date(Date.now() + 3_600_000);

  test('ends the session at once, and a second time it is NOT_FOUND', async () => {
    const { id } = await service.database.prisma.loginSession.create({
      data: { userId: user.id, organizationId: user.organizationId, expiresAt: later() },
    });
    const token = await service.deps.accessTokens.issue({ userId: user.id, sessionId: id }, new Date());
    const me = () => askAdmin(service.url, { query: '{ me { email } }', token });
    expect((await me()).status).toBe(200);
    expect((await revoke(id)).data).toEqual({ sessionRevoke: true });
    expect((await me()).status).toBe(401);
    expect((await revoke(id)).codes).toEqual(['NOT_FOUND']);
    expect((await user.ask('{ id }')).data).toEqual({ id: user.id });
  });

  test("ends the bearer's own session like logout", async () => {
    expect((await revoke(user.sessionId)).data).toEqual({ sessionRevoke: true });
    expect((await user.ask('{ id }')).data).toEqual({ id: null });
  });

  test("another user's, an expired and an unknown session are NOT_FOUND", async () => {
    const colleague = await newUser(service, user.organizationId);
    const expired = { userId: user.id, organizationId: user.organizationId, expiresAt: new Date(Date.now() - 1_000) };
    const { id } = await service.database.prisma.loginSession.create({ data: expired });
    for (const each of [colleague.sessionId, id, randomUUID()]) {
      expect((await revoke(each)).codes).toEqual(['NOT_FOUND']);
    }
    expect((await colleague.ask('{ id }')).data).toEqual({ id: colleague.id });
  });
});

// The removal of expired logins: a few at a time, found by the index, with their refresh tokens; live logins stay.
describe('deleteExpiredLoginSessions', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const day = 24 * 3_600_000;

  test('removes logins a day past their end with their tokens, never many in one statement', async () => {
    const { prisma, pool } = service.database;
    const user = await newUser(service, await newOrganization(service));
    for (const endedDaysAgo of [5, 4, 3, 2, 1.1, 0.9]) {
      const expiresAt = new Date(Date.now() - endedDaysAgo * day);
      const { id: userId, organizationId } = user;
      const { id: sessionId } = await prisma.loginSession.create({ data: { userId, organizationId, expiresAt } });
      const hashes = [1, 2].map(() => Uint8Array.from(randomBytes(32)));
      await prisma.refreshToken.createMany({ data: hashes.map((hash) => ({ hash, sessionId, expiresAt })) });
    }
    const [tokens, logins] = [
      [2, 2, 2, 2, 2, 0],
      [2, 2, 1],
    ];
    expect(await batchesOfTwo(pool, deleteExpiredLoginSessions)).toEqual([...tokens, ...logins]);
    const left = await prisma.loginSession.findMany({ where: { userId: user.id }, orderBy: { expiresAt: 'asc' } });
    expect(left.map(({ id }) => id === user.sessionId)).toEqual([false, true]);
    expect(await prisma.refreshToken.count()).toBe(2);
  });

  test('leaves a login that somebody holds for the next time, and waits for nobody', async () => {
    const { prisma, pool } = service.database;
    const { id: userId, organizationId } = await newUser(service, await newOrganization(service));
    const expiresAt = new Date(Date.now() - 2 * day);
    const held = await prisma.loginSession.create({ data: { userId, organizationId, expiresAt } });
    await prisma.loginSession.create({ data: { userId, organizationId, expiresAt } });
    const lock = await holdLock(pool, 'SELECT 1 FROM login_sessions WHERE id = $1 FOR UPDATE', held.id);
    const removed = await deleteExpiredLoginSessions(pool).finally(lock.release);
    expect([removed, await deleteExpiredLoginSessions(pool)]).toEqual([1, 1]);
  });

  test('finds them by their end', async () => {
    const client = await service.database.pool.connect();
    try {
      await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        'EXPLAIN SELECT id FROM login_sessions WHERE expires_at < now() ORDER BY expires_at LIMIT 100',
      );
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(
        'Index Scan using login_sessions_expires_at_idx',
      );
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});
