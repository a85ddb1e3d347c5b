// The tokens of a login: refreshed, stolen, signed by a key that changes, and asked for with every request.
import { createHash } from 'node:crypto';
import { SignJWT, UnsecuredJWT } from 'jose';
import { createAccessTokens } from '../../src/accounts/authenticate.ts';
import { createPasswordTokens } from '../../src/accounts/mailedTokens.ts';
import { createRefreshTokens, type RefreshTokens } from '../../src/accounts/startLogin.ts';
import { type MailDeps, sendPasswordMail } from '../../src/accounts/mails.ts';
import { newId } from '../../src/platform/inputRules.ts';
import { type Account, logIn, signUp } from '../support/accounts.ts';
import { type AdminRequest, askAdmin } from '../support/adminClient.ts';
import { testKey } from '../support/keys.ts';
import { statementsOf } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, putMembership, type TestUser } from '../support/testUsers.ts';

// mutation refreshToken: rotation, the grace period for a second tab, retries after a lost reply, and the end of a login whose token was copied.
describe('refreshToken', () => {
  const second = 1_000;
  const day = 24 * 3_600 * second;

  let service: TestService;
  let user: TestUser;
  let first: string;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
    service = await startTestService({ now: () => now });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    now = new Date();
    user = await newUser(service, await newOrganization(service));
    first = service.deps.refreshTokens.first();
    const expiresAt = new Date(now.getTime() + 30 * day);
    await service.database.prisma.refreshToken.create({
      data: {
        hash: Uint8Array.from(service.deps.refreshTokens.hashOf(first)),
        sessionId: user.sessionId,
        createdAt: now,
        expiresAt,
      },
    });
  });

  const pass = (millis: number) => void (now = new Date(now.getTime() + millis));
  const refresh = (token: string, url = service.url) =>
    askAdmin(url, {
      query: 'mutation R($token: String!) { refreshToken(token: $token) { token refreshToken user { email } } }',
      variables: { token },
    });
  async function pairOf(token: string): Promise<{ token: string; refreshToken: string }> {
    const { data, text } = await refresh(token);
    if (!data) throw new Error(text);
    return data['refreshToken'] as { token: string; refreshToken: string };
  }
  const isIn = async (token: string) =>
    (await askAdmin(service.url, { query: '{ me { email } }', token })).status === 200;

  test('gives a new pair that works, again and again', async () => {
    const one = await pairOf(first);
    const two = await pairOf(one.refreshToken);
    expect(new Set([first, one.refreshToken, two.refreshToken]).size).toBe(3);
    expect(await isIn(one.token)).toBe(true);
    expect(await isIn(two.token)).toBe(true);
  });

  test('two tabs at once, and within 30 seconds, get the same successor', async () => {
    const pairs = await Promise.all([pairOf(first), pairOf(first), pairOf(first)]);
    pass(30 * second);
    pairs.push(await pairOf(first));
    expect(new Set(pairs.map(({ refreshToken }) => refreshToken)).size).toBe(1);
    const rows = await service.database.prisma.refreshToken.count({ where: { sessionId: user.sessionId } });
    expect(rows).toBe(2);
  });

  test.each<[string, (successor: { token: string; refreshToken: string }) => Promise<unknown>]>([
    ['its access token', ({ token }) => isIn(token)],
    ['its refresh token', ({ refreshToken }) => pairOf(refreshToken)],
  ])('used again later, after its successor was used by %s, it ends the login with all its tokens', async (_, use) => {
    const successor = await pairOf(first);
    await use(successor);
    pass(31 * second);
    expect((await refresh(first)).codes).toEqual(['INVALID_TOKEN']);
    expect((await refresh(successor.refreshToken)).codes).toEqual(['INVALID_TOKEN']);
    expect(await isIn(successor.token)).toBe(false);
  });

  test('while nobody has used its successor it gives the same successor at any time: the reply was lost', async () => {
    const lost = await pairOf(first);
    for (const wait of [33 * second, 3_600 * second, 29 * day - 3_700 * second]) {
      pass(wait);
      expect((await pairOf(first)).refreshToken).toBe(lost.refreshToken);
    }
    const again = await pairOf(first);
    expect(await isIn(again.token)).toBe(true);
    // The successor lives on from when it was last given.
    pass(20 * day);
    expect((await refresh(again.refreshToken)).codes).toEqual([]);
  });

  test('the retries after a lost reply end after 30 days, and end nothing else', async () => {
    const { refreshToken } = await pairOf(first);
    pass(29 * day);
    await pairOf(first);
    pass(day + second);
    expect((await refresh(first)).codes).toEqual(['INVALID_TOKEN']);
    expect((await refresh(refreshToken)).codes).toEqual([]);
  });

  test('a reply lost several refreshes later is retried too, and a copy of an older token is still found out', async () => {
    const one = await pairOf(first);
    await isIn(one.token);
    const two = await pairOf(one.refreshToken);
    pass(33 * second);
    expect((await pairOf(one.refreshToken)).refreshToken).toBe(two.refreshToken);
    expect((await refresh(first)).codes).toEqual(['INVALID_TOKEN']);
    expect((await refresh(two.refreshToken)).codes).toEqual(['INVALID_TOKEN']);
  });

  test('the 30 seconds count from the first use, however often it is used within them', async () => {
    const { token } = await pairOf(first);
    await isIn(token);
    pass(20 * second);
    await pairOf(first);
    pass(20 * second);
    expect((await refresh(first)).codes).toEqual(['INVALID_TOKEN']);
    expect(await isIn(token)).toBe(false);
  });

  test('an access token notes its generation once', async () => {
    const { token } = await pairOf(first);
    const statements = await statementsOf(async () => {
      await isIn(token);
      await isIn(token);
    });
    expect(statements.filter((text) => /^UPDATE .*"used_generation"/.test(text))).toHaveLength(1);
  });

  test('another login of the same user goes on', async () => {
    const other = await newUser(service, user.organizationId);
    await isIn((await pairOf(first)).token);
    pass(31 * second);
    await refresh(first);
    expect(await isIn(other.token)).toBe(true);
  });

  test('is dead 30 days after it was given', async () => {
    pass(30 * day - second);
    const { refreshToken } = await pairOf(first);
    pass(30 * day);
    expect((await refresh(refreshToken)).codes).toEqual(['INVALID_TOKEN']);
  });

  test('no refresh goes past 90 days from the login', async () => {
    let token = first;
    for (let times = 0; times < 4; times += 1) {
      pass(22 * day);
      token = (await pairOf(token)).refreshToken;
    }
    pass(2 * day - second);
    const last = await pairOf(token);
    pass(2 * second);
    expect((await refresh(last.refreshToken)).codes).toEqual(['INVALID_TOKEN']);
    expect(await isIn(last.token)).toBe(false);
  });

  test('unknown tokens, access tokens and a disabled user are answered alike', async () => {
    const texts = [
      await refresh(''),
      await refresh('x'.repeat(43)),
      await refresh(user.token),
      await refresh('\u0000'),
    ];
    await putMembership(service, user, { status: 'disabled' });
    texts.push(await refresh(first));
    expect(new Set(texts.map(({ text }) => text)).size).toBe(1);
    expect(texts[0]!.codes).toEqual(['INVALID_TOKEN']);
  });

  test('only hashes are stored', async () => {
    const { refreshToken } = await pairOf(first);
    const rows = await service.database.prisma.refreshToken.findMany({ where: { sessionId: user.sessionId } });
    const hashes = [first, refreshToken].map((token) => createHash('sha256').update(token).digest('hex'));
    expect(rows.map(({ hash }) => Buffer.from(hash).toString('hex')).sort()).toEqual(hashes.sort());
  });

  test('attempts are limited for a token and for the network address', async () => {
    await using strict = await startTestService({
      attemptLimits: { perAccount: 2, perAddress: 5, windowSeconds: 900 },
    });
    const codes: string[] = [];
    for (const token of ['a', 'a', 'a', 'b', 'c', 'd', 'e']) codes.push(...(await refresh(token, strict.url)).codes);
    const [wrong, limited] = ['INVALID_TOKEN', 'RATE_LIMITED'];
    expect(codes).toEqual([wrong, wrong, limited, wrong, wrong, wrong, limited]);
  });

  test('valid refreshes of a whole office count against nobody, one after the other and at once', async () => {
    await using strict = await startTestService({
      attemptLimits: { perAccount: 2, perAddress: 5, windowSeconds: 900 },
    });
    const tokens = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { sessionId } = await newUser(strict, await newOrganization(strict));
        const token = strict.deps.refreshTokens.first();
        const hash = Uint8Array.from(strict.deps.refreshTokens.hashOf(token));
        const [createdAt, expiresAt] = [new Date(), new Date(Date.now() + day)];
        await strict.database.prisma.refreshToken.create({ data: { hash, sessionId, createdAt, expiresAt } });
        return token;
      }),
    );
    const answers = await Promise.all(tokens.map((token) => refresh(token, strict.url)));
    for (const token of [...tokens, ...Array<string>(5).fill(tokens[0]!)])
      answers.push(await refresh(token, strict.url));
    expect(answers.flatMap(({ codes }) => codes)).toEqual([]);
    expect((await refresh('none', strict.url)).codes).toEqual(['INVALID_TOKEN']);
  });
});

// mutation refreshToken with a stolen token: the sessions that a thief has begun from it end too.
describe('refreshToken: family', () => {
  let service: TestService;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
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
});

// While TOKEN_KEY changes, processes with different key orders issue the same refresh tokens and mail the same links.
describe('tokenKeys: processes', () => {
  const [old, next] = [testKey('old'), testKey('next')];
  let tokens: RefreshTokens;
  let service: TestService;
  let user: TestUser;
  beforeAll(async () => {
    const refreshTokens: RefreshTokens = {
      first: () => tokens.first(),
      successorOf: (token) => tokens.successorOf(token),
      otherSuccessorsOf: (token) => tokens.otherSuccessorsOf(token),
      hashOf: (token) => tokens.hashOf(token),
    };
    service = await startTestService({ change: (deps) => ({ ...deps, refreshTokens }) });
    user = await newUser(service, await newOrganization(service));
  });
  afterAll(() => service.stop());

  async function refresh(token: string, ...keys: [Buffer, ...Buffer[]]): Promise<string> {
    tokens = createRefreshTokens(...keys);
    const query = 'mutation R($token: String!) { refreshToken(token: $token) { refreshToken } }';
    const { data, text } = await askAdmin(service.url, { query, variables: { token } });
    if (!data) throw new Error(text);
    return (data['refreshToken'] as { refreshToken: string }).refreshToken;
  }

  test.each([
    ['that uses the new key already', [next, old]],
    ['that uses the old key still', [old, next]],
  ] as [string, [Buffer, Buffer]][])('a second tab gets the same successor from a process %s', async (_, keys) => {
    const [current, other] = keys;
    tokens = createRefreshTokens(current);
    const first = tokens.first();
    const { sessionId } = user;
    const hash = Uint8Array.from(tokens.hashOf(first));
    const createdAt = new Date();
    const expiresAt = new Date(Date.now() + 3_600_000);
    await service.database.prisma.refreshToken.create({ data: { hash, sessionId, createdAt, expiresAt } });
    const successor = await refresh(first, other, current);
    expect(await refresh(first, current, other)).toBe(successor);
    expect(await refresh(first, other, current)).toBe(successor);
    // From then on, each process uses its own key.
    expect(await refresh(successor, current)).not.toBe(successor);
  });

  test('a mail that is tried again under the new key carries the same token, and one that went out is not sent again', async () => {
    const mailed: string[] = [];
    let away = true;
    const sendMail = async ({ text }: { text: string }): Promise<void> => {
      mailed.push(/token=(\S+)/.exec(text)![1]!);
      if (away) throw new Error('the mail server is away');
    };
    const depsWith = (...keys: [Buffer, ...Buffer[]]) =>
      ({
        pool: service.database.pool,
        log: service.deps.log,
        passwordTokens: createPasswordTokens(...keys),
        sendMail,
        dashboardUrl: 'https://dashboard.example.com',
        mailBackoff: { firstMillis: 1_000, longestMillis: 1_000, attempts: 5 },
        mailEnded: () => undefined,
        now: () => new Date(),
      }) satisfies MailDeps;
    const job = { mailId: newId(), purpose: 'reset' as const, email: user.email };
    const { signal } = new AbortController();
    await sendPasswordMail(job, depsWith(old), signal);
    away = false;
    await sendPasswordMail(job, depsWith(next, old), signal);
    await sendPasswordMail(job, depsWith(next, old), signal);
    expect(mailed).toHaveLength(2);
    expect(new Set(mailed).size).toBe(1);
  });
});

// An admin request without a valid bearer gets 401, and nothing of it is executed (schema.graphql, "Access").
describe('authentication', () => {
  let service: TestService;
  let user: TestUser;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
    service = await startTestService({ now: () => now });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    now = new Date();
    user = await newUser(service, await newOrganization(service), 'viewer');
  });

  const ask = (request: AdminRequest) => askAdmin(service.url, request);
  const withHeader = (authorization: string) =>
    ask({ query: '{ me { email } }', headers: { Authorization: authorization } });

  test('a protected field without a bearer is 401 and nothing is executed', async () => {
    const answer = await ask({ query: '{ countries { code } me { email } }' });
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.text)).toEqual({
      errors: [{ message: 'A valid bearer token is needed.', extensions: { code: 'UNAUTHENTICATED' } }],
    });
  });

  test('a valid bearer is let in, whatever the case of the scheme', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const answer = await withHeader(`${scheme} ${user.token}`);
      expect([answer.status, answer.data]).toEqual([200, { me: { email: user.email } }]);
    }
  });

  test.each([
    ['an alias', '{ a: me { email } }'],
    ['a fragment', 'query { ...F } fragment F on Query { ...G } fragment G on Query { me { email } }'],
    ['an inline fragment', '{ ... { ... on Query { me { email } } } }'],
    ['@skip', '{ __typename me @skip(if: true) { email } }'],
    ['@include', '{ __typename ...F @include(if: false) } fragment F on Query { me { email } }'],
    ['a mutation', 'mutation { projectDelete(id: "018f3d6e-7c1a-7b3e-9a51-2f0c6d1e4b90") }'],
  ])('selecting by %s is selecting', async (_by, query) => {
    expect((await ask({ query })).status).toBe(401);
  });

  test('only the operation that runs counts', async () => {
    const query = 'query Public { id } query Protected { me { email } }';
    expect((await ask({ query, operationName: 'Public' })).data).toEqual({ id: null });
    expect((await ask({ query, operationName: 'Protected' })).status).toBe(401);
    const none = await ask({ query });
    expect([none.status, none.codes]).toEqual([400, ['OPERATION_RESOLUTION_FAILURE']]);
  });

  test('public fields and introspection need no bearer and ignore a bad one', async () => {
    for (const token of [null, 'nonsense', `${user.token}x`]) {
      const answer = await ask({ query: '{ id __typename __schema { queryType { name } } }', token });
      expect([answer.status, answer.data!['id']]).toEqual([200, null]);
    }
  });

  test('what cannot be read or is over a limit is 400 before 401, and 401 comes before validation', async () => {
    expect((await ask({ query: '{ me {' })).codes).toEqual(['GRAPHQL_PARSE_FAILED']);
    expect((await ask({ query: `{ ${'me { email } '.repeat(435)} }` })).codes).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    expect((await ask({ query: '{ me { nothing } }' })).codes).toEqual(['UNAUTHENTICATED']);
    expect((await ask({ query: '{ ...A } fragment A on Query { me { nothing } }' })).codes).toEqual([
      'UNAUTHENTICATED',
    ]);
    expect((await ask({ query: '{ nothing }' })).codes).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });

  test.each([
    ['another scheme', () => `Basic ${user.token}`],
    ['no token', () => 'Bearer'],
    ['two tokens', () => `Bearer ${user.token}, Bearer ${user.token}`],
    ['a token with something behind it', () => `Bearer ${user.token} x`],
  ])('401 for %s', async (_what, header) => {
    expect((await withHeader(header())).status).toBe(401);
  });

  test.each([
    ['signed with another key', async () => createAccessTokens(Buffer.alloc(32, 9)).issue(claims(), now)],
    ['without exp', async () => sign({ sid: user.sessionId }, (jwt) => jwt.setSubject(user.id))],
    ['without sub', async () => sign({ sid: user.sessionId }, (jwt) => jwt.setExpirationTime('1h'))],
    ['without sid', async () => sign({}, (jwt) => jwt.setSubject(user.id).setExpirationTime('1h'))],
    ['of another type', async () => sign({ sid: user.sessionId }, (jwt) => whole(jwt), { typ: 'JWT' })],
    ['of another key id', async () => sign({ sid: user.sessionId }, (jwt) => whole(jwt), { kid: 'other' })],
    ['of another algorithm', async () => sign({ sid: user.sessionId }, (jwt) => whole(jwt), { alg: 'HS512' })],
    [
      'unsigned',
      async () => new UnsecuredJWT({ sid: user.sessionId }).setSubject(user.id).setExpirationTime('1h').encode(),
    ],
    ['of a login that has no id of ours', async () => sign({ sid: 'a\0' }, whole)],
    [
      'of a user that has no id of ours',
      async () => sign({ sid: user.sessionId }, (jwt) => whole(jwt).setSubject('x')),
    ],
    ['of a login that does not exist', async () => issue({ userId: user.id, sessionId: user.id })],
    ['of another user', async () => issue({ userId: user.sessionId, sessionId: user.sessionId })],
  ])('401 for a token %s', async (_what, token) => {
    expect((await withHeader(`Bearer ${await token()}`)).status).toBe(401);
  });

  test('the hand-made token of the cases above is let in when nothing is wrong with it', async () => {
    const token = await sign({ sid: user.sessionId }, whole);
    expect((await withHeader(`Bearer ${token}`)).status).toBe(200);
  });

  test('a token lives 90 minutes', async () => {
    const issued = now.getTime();
    now = new Date(issued + 90 * 60_000 - 2_000);
    expect((await user.ask('{ me { email } }')).status).toBe(200);
    now = new Date(issued + 90 * 60_000 + 1_000);
    expect((await user.ask('{ me { email } }')).status).toBe(401);
  });

  test('a revoked login, one past its end and a disabled user are out at once', async () => {
    const { prisma } = service.database;
    await putMembership(service, user, { status: 'disabled' });
    expect((await user.ask('{ me { email } }')).status).toBe(401);
    await putMembership(service, user, { status: 'active' });
    expect((await user.ask('{ id }')).data).toEqual({ id: user.id });
    await prisma.loginSession.update({ where: { id: user.sessionId }, data: { expiresAt: now } });
    expect((await user.ask('{ me { email } }')).status).toBe(401);
    await prisma.loginSession.update({
      where: { id: user.sessionId },
      data: { expiresAt: new Date(now.getTime() + 60_000), revokedAt: now },
    });
    expect((await user.ask('{ me { email } }')).status).toBe(401);
    expect((await user.ask('{ id }')).data).toEqual({ id: null });
  });

  test('a role that does not suffice is FORBIDDEN with 200, and a change of role counts from the next request on', async () => {
    const query = '{ auditLog { action } }';
    const refused = await user.ask(query);
    expect([refused.status, refused.codes]).toEqual([200, ['FORBIDDEN']]);
    await putMembership(service, user, { role: 'admin' });
    expect((await user.ask(query)).codes).not.toContain('FORBIDDEN');
  });

  test('one request asks for its login once', async () => {
    const statements = await statementsOf(() => user.ask('{ id me { email } organization { name } }'));
    expect(statements.filter((text) => text.includes('findLiveCaller'))).toHaveLength(1);
  });

  test('a database that is away logs nobody out', async () => {
    await using broken = await startTestService();
    const other = await newUser(broken, await newOrganization(broken));
    await broken.database.pool.query('ALTER TABLE login_sessions RENAME TO gone');
    const answer = await other.ask('{ me { email } }');
    expect([answer.status, answer.codes]).toEqual([500, ['INTERNAL_SERVER_ERROR']]);
    expect(answer.text).not.toMatch(/login_sessions|relation/);
  });

  const claims = () => ({ userId: user.id, sessionId: user.sessionId });
  const issue = (of: { userId: string; sessionId: string }) => service.deps.accessTokens.issue(of, now);
  const whole = (jwt: SignJWT) => jwt.setSubject(user.id).setExpirationTime('1h');

  async function sign(payload: object, add: (jwt: SignJWT) => SignJWT, header: Record<string, string> = {}) {
    const [head] = user.token.split('.');
    const { kid } = JSON.parse(Buffer.from(head!, 'base64url').toString()) as { kid: string };
    const jwt = new SignJWT({ ...payload }).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid, ...header });
    return add(jwt).sign(Buffer.alloc(32, 2));
  }
});
