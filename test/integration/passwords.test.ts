// Passwords: changed by their owner, or set with a mailed token.
import { randomBytes } from 'node:crypto';
import { hash } from 'argon2';
import { endPasswordTokens, openResetToken } from '../../src/accounts/mailedTokens.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { accept, type Account, addOwner, invitationOf, logIn, setPassword, signUp } from '../support/accounts.ts';
import { type AdminAnswer, askAdmin } from '../support/adminClient.ts';
import { auditLines } from '../support/auditLines.ts';
import { captureLog } from '../support/capturedLog.ts';
import { holdLock } from '../support/heldLock.ts';
import { allJobsDone, mailsTo, newPasswordToken, startMailWorker } from '../support/mail.ts';
import { type MailServer, type ReadMail, startMailServer } from '../support/mailServer.ts';
import { statementsOf } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newInvitation, newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// mutation passwordChange: a new password for the current one, which ends every other session.
describe('passwordChange', () => {
  const current = 'the current phrase';
  const next = ' the next phrase ✓ ';

  let service: TestService;
  let user: TestUser;
  let passwordHash: string;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    passwordHash = await service.deps.passwords.hash(current, 'known');
  });

  beforeEach(async () => {
    user = await newUserWithPassword(service);
  });

  async function newUserWithPassword(at: TestService): Promise<TestUser> {
    const made = await newUser(at, await newOrganization(at), 'viewer');
    await at.database.prisma.user.update({ where: { id: made.id }, data: { passwordHash } });
    return made;
  }

  const changeBy = (by: TestUser, input: object) =>
    by.ask('mutation C($input: PasswordChangeInput!) { passwordChange(input: $input) }', { input });
  const change = (currentPassword: string, newPassword = next, newPasswordRepeat = newPassword) =>
    changeBy(user, { currentPassword, newPassword, newPasswordRepeat });
  const login = (password: string) =>
    askAdmin(service.url, {
      query: 'mutation L($input: LoginInput!) { login(input: $input) { token refreshToken } }',
      variables: { input: { email: user.email, password } },
    });
  const idOf = async (token: string) => (await askAdmin(service.url, { query: '{ id }', token })).data!['id'];

  test("sets the password, ends every other session with its tokens, and keeps the caller's", async () => {
    const other = (await login(current)).data!['login'] as { token: string; refreshToken: string };
    const mailed = await newPasswordToken(service, user.email);
    expect((await change(current)).data).toEqual({ passwordChange: true });
    expect([await idOf(user.token), await idOf(other.token)]).toEqual([user.id, null]);
    const refresh = `mutation { refreshToken(token: "${other.refreshToken}") { token } }`;
    expect((await askAdmin(service.url, { query: refresh })).codes).toEqual(['INVALID_TOKEN']);
    expect((await login(current)).codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await login(next)).errors).toEqual([]);
    const input = `{ token: "${mailed}", newPassword: "a third phrase", newPasswordRepeat: "a third phrase" }`;
    const update = await askAdmin(service.url, { query: `mutation { updatePassword(input: ${input}) }` });
    expect(update.codes).toEqual(['INVALID_TOKEN']);
  });

  test('a wrong current password is INVALID_CREDENTIALS and changes nothing', async () => {
    const other = (await login(current)).data!['login'] as { token: string };
    for (const wrong of ['another phrase', '', 'a\u0000b']) {
      expect((await change(wrong)).codes).toEqual(['INVALID_CREDENTIALS']);
    }
    expect([await idOf(user.token), await idOf(other.token)]).toEqual([user.id, user.id]);
    expect((await login(current)).errors).toEqual([]);
  });

  test('the new password is judged first, and its faults are named', async () => {
    const pathsOf = async (...passwords: [string, string?]) =>
      ((await change('wrong', ...passwords)).errors[0]!.extensions['fields'] as { path: string }[]).map(
        ({ path }) => path,
      );
    expect(await pathsOf('short')).toEqual(['input.newPassword']);
    expect(await pathsOf('Password123')).toEqual(['input.newPassword']);
    expect(await pathsOf(next, next.trim())).toEqual(['input.newPasswordRepeat']);
  });

  test('of two changes at once one succeeds, and a login under way does not slip through', async () => {
    const lock = await holdLock(service.database.pool, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', user.id);
    const first = change(current);
    await lock.waiting(1);
    const second = change(current, 'yet another phrase');
    await lock.waiting(2);
    const loggingIn = login(current);
    await lock.waiting(3);
    await lock.release();
    expect((await first).data).toEqual({ passwordChange: true });
    expect((await second).codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await loggingIn).codes).toEqual(['INVALID_CREDENTIALS']);
  });

  test('attempts with a wrong password are limited, those with bad input are not counted', async () => {
    await using strict = await startTestService({
      attemptLimits: { perAccount: 2, perAddress: 100, windowSeconds: 900 },
    });
    const by = await newUserWithPassword(strict);
    const codes = [];
    for (const [password, repeat] of [['x', 'y'], ['x'], ['x'], ['x'], [current]] as [string, string?][]) {
      const input = { currentPassword: password, newPassword: next, newPasswordRepeat: repeat ?? next };
      codes.push(...(await changeBy(by, input)).codes);
    }
    expect(codes).toEqual([
      'BAD_USER_INPUT',
      'INVALID_CREDENTIALS',
      'INVALID_CREDENTIALS',
      'RATE_LIMITED',
      'RATE_LIMITED',
    ]);
  });

  test('each attempt has its line in the log, with its outcome', async () => {
    const captured = captureLog();
    await using logging = await startTestService({ log: captured.log });
    const by = await newUserWithPassword(logging);
    for (const currentPassword of ['wrong', current]) {
      await changeBy(by, { currentPassword, newPassword: next, newPasswordRepeat: next });
    }
    const lines = captured
      .text()
      .split('\n')
      .filter((line) => line.includes('"authentication"'));
    const seen = lines.map((line) => JSON.parse(line) as object);
    expect(seen).toMatchObject([
      { operation: 'passwordChange', outcome: 'INVALID_CREDENTIALS' },
      { operation: 'passwordChange', outcome: 'OK' },
    ]);
    captured.stop();
  });
});

// mutation resetPassword: the same response and the same work for every address, and a mail only to existing accounts.
describe('resetPassword', () => {
  let service: TestService;
  let server: MailServer;
  let stopWorker: () => Promise<void>;
  beforeAll(async () => {
    [service, server] = await Promise.all([startTestService(), startMailServer()]);
    stopWorker = await startMailWorker(service, { smtpUrl: server.url });
  });
  afterAll(async () => {
    await stopWorker();
    await server.stop();
    await service.stop();
  });

  const reset = (email: string, url = service.url): Promise<AdminAnswer> =>
    askAdmin(url, {
      query: 'mutation R($email: String!) { resetPassword(input: { email: $email }) }',
      variables: { email },
      headers: { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Origin: 'https://evil.example' },
    });
  const newcomer = async (): Promise<TestUser> => newUser(service, await newOrganization(service));
  const tokens = () => service.database.prisma.passwordToken.findMany();

  test('an active account gets a mail with a link to the configured dashboard, whatever the request says', async () => {
    const user = await newcomer();
    const answer = await reset(` ${user.email.toUpperCase()} `);
    expect([answer.status, answer.data]).toEqual([200, { resetPassword: true }]);
    const [mail] = await mailsTo(server, user.email);
    expect(mail!.link.href).toMatch(
      /^https:\/\/dashboard\.example\.com\/app\/reset-password\?token=[A-Za-z0-9_-]{43}$/,
    );
    expect(mail!.headers).toMatchObject({
      to: user.email,
      from: 'Campaigns <no-reply@example.com>',
      'auto-submitted': 'auto-generated',
    });
    expect(server.mails.at(-1)!.raw).not.toContain('evil');
  });

  test('unknown and invited addresses get the same answer after the same statements, and no mail', async () => {
    const [active, invited] = [await newcomer(), await newInvitation(service, await newOrganization(service))];
    await stopWorker();
    const before = server.mails.length;
    const seen = [];
    for (const { email } of [active, invited, { email: 'nobody@example.com' }]) {
      const texts: string[] = [];
      const statements = await statementsOf(async () => void texts.push((await reset(email)).text));
      seen.push(JSON.stringify([texts, statements]));
    }
    expect(new Set(seen).size).toBe(1);
    stopWorker = await startMailWorker(service, { smtpUrl: server.url });
    await allJobsDone(service);
    expect(server.mails.slice(before).map(({ to }) => to)).toEqual([[active.email]]);
  });

  test('the token is nowhere in the database, neither before nor after the mail', async () => {
    const user = await newcomer();
    await stopWorker();
    await reset(user.email);
    const { rows } = await service.database.pool.query<{ text: string }>(
      'SELECT row_to_json(j)::text AS text FROM graphile_worker._private_jobs j',
    );
    stopWorker = await startMailWorker(service, { smtpUrl: server.url });
    const { token } = (await mailsTo(server, user.email))[0]!;
    expect(rows).toHaveLength(1);
    expect(rows[0]!.text).not.toContain(token);
    const stored = (await tokens()).map(({ hash }) => Buffer.from(hash).toString('hex'));
    expect(stored).toContain(service.deps.passwordTokens.hashOf(token).toString('hex'));
    expect(JSON.stringify(await tokens())).not.toContain(token);
  });

  test('of several that wait for one address only the latest goes out', async () => {
    const user = await newcomer();
    await stopWorker();
    for (let times = 0; times < 3; times += 1) await reset(user.email);
    stopWorker = await startMailWorker(service, { smtpUrl: server.url });
    await allJobsDone(service);
    expect(await mailsTo(server, user.email)).toHaveLength(1);
  });

  test('all spellings of one address wait as one mail, and none is too long for the queue', async () => {
    await stopWorker();
    const long = (letter: string) => `${letter.repeat(32)}@a.bc`;
    for (const email of ['x@xn--bcher-kva.example', 'X@bücher.example', long('e\u0301'), long('é')])
      expect((await reset(email)).data).toEqual({ resetPassword: true });
    const { rowCount } = await service.database.pool.query(
      `SELECT FROM graphile_worker._private_jobs WHERE payload->>'email' LIKE 'x@%' OR payload->>'email' LIKE '%@a.bc'`,
    );
    expect(rowCount).toBe(2);
    stopWorker = await startMailWorker(service, { smtpUrl: server.url });
    await allJobsDone(service);
  });

  test('the mail goes to the address that the account has, however it was spelt', async () => {
    const { id } = await newcomer();
    await service.database.prisma.user.update({ where: { id }, data: { email: 'bea@bücher.example' } });
    await reset('BEA@xn--bcher-kva.example');
    await allJobsDone(service);
    expect(await service.database.prisma.passwordToken.count({ where: { userId: id, mailedAt: { not: null } } })).toBe(
      1,
    );
  });

  test.each([
    '',
    'nobody',
    'a@b\r\nBcc: c@example.com',
    'a@b\nc',
    'a@b\u0000',
    'a\u0085@b.example',
    'a@b,c@d',
    'Ann <ann@example.com>',
    `${'a'.repeat(250)}@b.cd`,
  ])('is no e-mail address: %j', async (email) => {
    const { codes, errors } = await reset(email);
    expect(codes).toEqual(['BAD_USER_INPUT']);
    expect(errors[0]!.extensions['fields']).toEqual([
      { path: 'input.email', message: 'must be an e-mail address of at most 254 characters' },
    ]);
  });

  test('mails an account, known or not, only so often, and is refused for the network address alone', async () => {
    await using strict = await startTestService({
      attemptLimits: { perAccount: 2, perAddress: 5, windowSeconds: 900 },
    });
    const user = await newUser(strict, await newOrganization(strict));
    const codes = [];
    for (const email of [
      user.email,
      user.email.toUpperCase(),
      user.email,
      'x@y.example',
      'x@y.example',
      'x@y.example',
      'new@y.example',
    ]) {
      codes.push(...((await reset(email, strict.url)).codes.length > 0 ? ['limited'] : ['true']));
    }
    expect(codes).toEqual(['true', 'true', 'true', 'true', 'true', 'limited', 'limited']);
  });
});

// mutation updatePassword: a token opens an account once, a refused attempt does not use it up, and every earlier login ends.
describe('updatePassword', () => {
  const minute = 60_000;
  const day = 24 * 60 * minute;
  const oldPassword = 'the old password of somebody';
  const newPassword = ' a new phrase, as it is ✓ ';
  const lockOfUser = 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE';

  let service: TestService;
  let user: TestUser;
  let oldHash: string;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
    service = await startTestService({ now: () => now });
    oldHash = await hash(oldPassword, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    now = new Date();
    user = await newUser(service, await newOrganization(service));
    await change({ passwordHash: oldHash });
  });

  const change = (data: { passwordHash: string }) =>
    service.database.prisma.user.update({ where: { id: user.id }, data });
  const updateAt = (url: string, token: string, [password, repeat]: [string, string] = [newPassword, newPassword]) =>
    askAdmin(url, {
      query: 'mutation U($input: UpdatePasswordInput!) { updatePassword(input: $input) }',
      variables: { input: { token, newPassword: password, newPasswordRepeat: repeat } },
    });
  const update = (token: string, password = newPassword, repeat = password) =>
    updateAt(service.url, token, [password, repeat]);
  const login = (password: string, email = user.email) =>
    askAdmin(service.url, {
      query: 'mutation L($input: LoginInput!) { login(input: $input) { token refreshToken } }',
      variables: { input: { email, password } },
    });
  const isIn = async (token: string) =>
    (await askAdmin(service.url, { query: '{ me { email } }', token })).status === 200;
  const pass = (millis: number) => void (now = new Date(now.getTime() + millis));

  test('sets the password and ends every session, with access and refresh tokens', async () => {
    const before = (await login(oldPassword)).data!['login'] as { token: string; refreshToken: string };
    const answer = await update(await newPasswordToken(service, user.email));
    expect([answer.status, answer.data, answer.errors]).toEqual([200, { updatePassword: true }, []]);
    expect([await isIn(user.token), await isIn(before.token)]).toEqual([false, false]);
    const query = 'mutation R($token: String!) { refreshToken(token: $token) { token } }';
    const refreshed = await askAdmin(service.url, { query, variables: { token: before.refreshToken } });
    expect(refreshed.codes).toEqual(['INVALID_TOKEN']);
    expect((await login(oldPassword)).codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await login(newPassword)).errors).toEqual([]);
  });

  test('leaves the sessions of others alone', async () => {
    const colleague = await newUser(service, user.organizationId);
    await update(await newPasswordToken(service, user.email));
    expect(await isIn(colleague.token)).toBe(true);
  });

  test('a refused attempt names what is wrong and does not use the token up', async () => {
    const token = await newPasswordToken(service, user.email);
    const pathsOf = async (password: string, repeat?: string) =>
      ((await update(token, password, repeat)).errors[0]!.extensions['fields'] as { path: string }[]).map(
        ({ path }) => path,
      );
    expect(await pathsOf('short')).toEqual(['input.newPassword']);
    expect(await pathsOf('Password123')).toEqual(['input.newPassword']);
    expect(await pathsOf('p'.repeat(257))).toEqual(['input.newPassword']);
    expect(await pathsOf('a\u0000bcdefghi')).toEqual(['input.newPassword']);
    expect(await pathsOf(newPassword, newPassword.trim())).toEqual(['input.newPasswordRepeat']);
    expect(await pathsOf('short', 'other')).toEqual(['input.newPassword', 'input.newPasswordRepeat']);
    expect(await isIn(user.token)).toBe(true);
    expect((await update(token)).data).toEqual({ updatePassword: true });
  });

  test('the input is judged before the token', async () => {
    expect((await update('no token', 'short')).codes).toEqual(['BAD_USER_INPUT']);
  });

  test('a token works once, and a new password ends the others', async () => {
    const [one, other] = [await newPasswordToken(service, user.email), await newPasswordToken(service, user.email)];
    expect((await update(one)).errors).toEqual([]);
    expect((await update(one)).codes).toEqual(['INVALID_TOKEN']);
    expect((await update(other)).codes).toEqual(['INVALID_TOKEN']);
    expect((await update(await newPasswordToken(service, user.email))).errors).toEqual([]);
  });

  test('of two at once with one token exactly one succeeds', async () => {
    const token = await newPasswordToken(service, user.email);
    const lock = await holdLock(service.database.pool, lockOfUser, user.id);
    const answers = [update(token, 'the first of the two'), update(token, 'the second of the two')];
    await lock.waiting(2);
    await lock.release();
    const codes = (await Promise.all(answers)).flatMap((answer) => answer.codes);
    expect(codes).toEqual(['INVALID_TOKEN']);
  });

  test.each([
    ['login first', true],
    ['updatePassword first', false],
  ])('a login under way does not slip through: %s', async (_, loginFirst) => {
    const token = await newPasswordToken(service, user.email);
    const lock = await holdLock(service.database.pool, lockOfUser, user.id);
    const updating = loginFirst ? null : update(token);
    if (updating) await lock.waiting(1);
    const loggingIn = login(oldPassword);
    await lock.waiting(loginFirst ? 1 : 2);
    const updatingLast = updating ?? update(token);
    await lock.waiting(2);
    await lock.release();
    expect((await updatingLast).data).toEqual({ updatePassword: true });
    const { data } = await loggingIn;
    if (data) expect(await isIn((data['login'] as { token: string }).token)).toBe(false);
    const live = await service.database.prisma.loginSession.count({ where: { userId: user.id, revokedAt: null } });
    expect(live).toBe(0);
  });

  test('a reset token lives 30 minutes, an invitation token 7 days', async () => {
    const late = await newPasswordToken(service, user.email);
    pass(30 * minute);
    expect((await update(late)).codes).toEqual(['INVALID_TOKEN']);
    const inTime = await newPasswordToken(service, user.email);
    pass(30 * minute - 1);
    expect((await update(inTime)).errors).toEqual([]);
    const [first, second] = [
      await newInvitation(service, user.organizationId),
      await newInvitation(service, user.organizationId),
    ];
    const invitations = [
      await newPasswordToken(service, first.email, 'invitation'),
      await newPasswordToken(service, second.email, 'invitation'),
    ] as const;
    pass(7 * day - 1);
    expect((await update(invitations[0])).errors).toEqual([]);
    pass(1);
    expect((await update(invitations[1])).codes).toEqual(['INVALID_TOKEN']);
  });

  test("an invitation's token makes an account that is verified, and a member, who can then log in", async () => {
    const { id, email } = await newInvitation(service, user.organizationId, { role: 'editor' });
    expect((await update(await newPasswordToken(service, email, 'invitation'))).data).toEqual({ updatePassword: true });
    expect((await login(newPassword, email)).errors).toEqual([]);
    const { prisma } = service.database;
    const membership = await prisma.membership.findUniqueOrThrow({ where: { id }, include: { user: true } });
    expect(membership).toMatchObject({ status: 'active', role: 'editor', invitedEmail: null, user: { email } });
    expect(membership.user!.emailVerifiedAt).toEqual(now);
  });

  test("an invitation's token adds the membership to the account of its address and sets its password", async () => {
    const elsewhere = await newOrganization(service);
    await newInvitation(service, elsewhere, { email: user.email });
    expect((await update(await newPasswordToken(service, user.email, 'invitation'))).errors).toEqual([]);
    expect(await isIn(user.token)).toBe(false);
    expect((await login(oldPassword)).codes).toEqual(['INVALID_CREDENTIALS']);
    const { token } = (await login(newPassword)).data!['login'] as { token: string };
    const { data } = await askAdmin(service.url, { query: '{ organizations { id } }', token });
    expect(data).toEqual({ organizations: [{ id: user.organizationId }, { id: elsewhere }] });
  });

  test('unknown tokens, other tokens, and those of an ended invitation are answered alike', async () => {
    const answers = [
      await update(''),
      await update('x'.repeat(43)),
      await update(user.token),
      await update('\u0000\ud800'),
    ];
    const { id, email } = await newInvitation(service, user.organizationId);
    const invitation = await newPasswordToken(service, email, 'invitation');
    await service.database.prisma.membership.update({ where: { id }, data: { status: 'disabled' } });
    answers.push(await update(invitation));
    await service.database.prisma.membership.delete({ where: { id } });
    answers.push(await update(invitation));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]!.codes).toEqual(['INVALID_TOKEN']);
  });

  test('attempts are limited for a token and for the network address', async () => {
    await using strict = await startTestService({
      attemptLimits: { perAccount: 2, perAddress: 5, windowSeconds: 900 },
    });
    const codes = [];
    for (const token of ['a', 'a', 'a', 'b', 'c', 'd']) {
      codes.push(...(await updateAt(strict.url, token)).codes);
    }
    expect(codes).toEqual([
      'INVALID_TOKEN',
      'INVALID_TOKEN',
      'RATE_LIMITED',
      'INVALID_TOKEN',
      'INVALID_TOKEN',
      'RATE_LIMITED',
    ]);
  });
});

// mutation updatePassword with an invitation, for an account that leaves an organization by it: two at once do not wait for each other.
describe('updatePassword: locks', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  test('two unconfirmed owners who join the organization of each other both succeed', async () => {
    const [one, other] = [await signUp(service), await signUp(service)];
    const tokens = [
      await invitationOf(service, other.organization.id, one.email),
      await invitationOf(service, one.organization.id, other.email),
    ];
    const lock = await holdLock(service.database.pool, 'LOCK TABLE password_tokens IN SHARE MODE');
    const answers = tokens.map((token) => setPassword(service, token));
    await lock.waiting(2);
    await lock.release();
    expect((await Promise.all(answers)).map(({ data }) => data)).toEqual([
      { updatePassword: true },
      { updatePassword: true },
    ]);
    for (const [joined, left] of [
      [other, one],
      [one, other],
    ]) {
      const where = { organizationId: joined!.organization.id, status: 'active' } as const;
      const members = await service.database.prisma.membership.findMany({ where, include: { user: true } });
      expect(members.map(({ user }) => user!.email)).toEqual([left!.email]);
    }
  });
});

// mutation updatePassword for an account that a stranger may have made: the mailbox's owner gets it without the stranger's organizations.
describe('updatePassword: unproven', () => {
  const own = 'the phrase of the mailbox';
  let service: TestService;
  let server: MailServer;
  let stopWorker: () => Promise<void>;
  let stranger: Account;
  let accomplice: string;
  beforeAll(async () => {
    [service, server] = await Promise.all([startTestService(), startMailServer()]);
    stopWorker = await startMailWorker(service, { smtpUrl: server.url });
  });
  afterAll(async () => {
    await stopWorker();
    await server.stop();
    await service.stop();
  });
  beforeEach(async () => {
    stranger = await signUp(service);
    accomplice = await addOwner(service, stranger.organization.id);
  });

  const membersOf = async (organizationId: string) => {
    const rows = await service.database.prisma.membership.findMany({
      where: { organizationId },
      include: { user: true },
      orderBy: { createdAt: 'asc' },
    });
    return rows.map(({ user, invitedEmail, status }) => [user?.email ?? invitedEmail, status]);
  };

  /** The mail that tells of the lost membership. Another one came at the sign-up. */
  async function wayBack(): Promise<ReadMail> {
    const mails = await mailsTo(server, stranger.email, 2);
    return mails.find(({ text }) => text.includes('no longer belongs'))!;
  }

  test('a reset leaves the organization of the stranger, ends every session, and a mail tells of it', async () => {
    await setPassword(service, await newPasswordToken(service, stranger.email), own);
    expect((await askAdmin(service.url, { query: '{ me { role } }', token: stranger.token })).status).toBe(401);
    expect((await logIn(service, stranger.email)).codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await logIn(service, stranger.email, own)).codes).toEqual(['NO_ORGANIZATION']);
    expect(await membersOf(stranger.organization.id)).toEqual([
      [stranger.email, 'invited'],
      [accomplice, 'active'],
    ]);
    await allJobsDone(service);
    const { text } = await wayBack();
    expect(text).toContain('\n  "Own"\n');
    const lines = await auditLines(service, stranger.organization.id);
    expect(lines.at(-1)).toMatchObject({ action: 'updatePassword', details: { left: true } });
  });

  test('the mail is the way back for whoever signed up themselves, with the same role', async () => {
    await setPassword(service, await newPasswordToken(service, stranger.email), own);
    const { token } = await wayBack();
    const challenge = (await logIn(service, stranger.email, own)).errors[0]!.extensions['challenge'];
    const { data } = await accept(service, { token, challenge });
    expect(data!['invitationAccept']).toMatchObject({
      user: { role: 'owner', emailVerified: true },
      organization: stranger.organization,
    });
  });

  test('while the organization has no owner, a further reset mails the way back again', async () => {
    const { prisma } = service.database;
    await prisma.membership.updateMany({ where: { user: { email: accomplice } }, data: { role: 'admin' } });
    await setPassword(service, await newPasswordToken(service, stranger.email), own);
    await wayBack();
    await allJobsDone(service);
    await prisma.passwordToken.updateMany({
      where: { membership: { invitedEmail: stranger.email } },
      data: { expiresAt: new Date(0) },
    });
    await setPassword(service, await newPasswordToken(service, stranger.email), own);
    const mails = await mailsTo(server, stranger.email, 3);
    await setPassword(service, mails.at(-1)!.token, own);
    expect((await logIn(service, stranger.email, own)).data).toMatchObject({
      login: { organization: stranger.organization },
    });
    await setPassword(service, await newPasswordToken(service, stranger.email), own);
    await allJobsDone(service);
    expect(await mailsTo(server, stranger.email, 3)).toHaveLength(3);
  });

  test("an invitation's token joins its organization, and leaves that of the stranger", async () => {
    const company = await newOrganization(service);
    await setPassword(service, await invitationOf(service, company, stranger.email), own);
    expect((await logIn(service, stranger.email, own)).data).toMatchObject({
      login: { organization: { id: company } },
    });
    expect(await membersOf(company)).toEqual([[stranger.email, 'active']]);
    expect((await membersOf(stranger.organization.id))[0]).toEqual([stranger.email, 'invited']);
  });

  test('a membership in which the account is disabled stays disabled, and no longer is the account', async () => {
    const where = { user: { email: stranger.email } };
    await service.database.prisma.membership.updateMany({ where, data: { status: 'disabled' } });
    await setPassword(service, await newPasswordToken(service, stranger.email), own);
    expect((await membersOf(stranger.organization.id))[0]).toEqual([stranger.email, 'disabled']);
    expect(await service.database.prisma.membership.count({ where })).toBe(0);
  });

  test('an account that has confirmed its address keeps its memberships', async () => {
    const company = await newOrganization(service);
    const token = await invitationOf(service, company, stranger.email);
    await accept(service, { token }, stranger.token);
    await setPassword(service, await newPasswordToken(service, stranger.email), own);
    expect((await membersOf(stranger.organization.id))[0]).toEqual([stranger.email, 'active']);
    expect(await membersOf(company)).toEqual([[stranger.email, 'active']]);
  });
});

// The SQL of password tokens: which open tokens prevent a repeated mail, and which transaction waits for which.
describe('passwordTokensStore', () => {
  const minute = 60_000;
  let service: TestService;
  let user: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });
  beforeEach(async () => {
    user = await newUser(service, await newOrganization(service));
  });

  /** Opens the token, or opens it again, that many minutes from now; returns whether a mail is due. */
  async function open(hash: Buffer, minutes = 0): Promise<boolean> {
    const now = new Date(Date.now() + minutes * minute);
    const token = { hash, email: user.email, now, expiresAt: new Date(now.getTime() + 30 * minute) };
    return (await openResetToken(service.database.pool, token)) !== null;
  }

  test('a later token of its kind stands in the way, as long as it has not ended', async () => {
    const [hash, later] = [randomBytes(32), randomBytes(32)];
    expect([await open(hash), await open(later, 1), await open(hash, 2)]).toEqual([true, true, false]);
    const where = { hash: Uint8Array.from(later) };
    await service.database.prisma.passwordToken.update({ where, data: { endedAt: new Date() } });
    expect(await open(hash, 3)).toBe(true);
  });

  test('one that has ended meanwhile is not opened again', async () => {
    const { adminPool } = service.database;
    const [hash, other] = [randomBytes(32), randomBytes(32)];
    expect(await open(hash)).toBe(true);
    const of = { userId: user.id };
    await inTransaction(adminPool, (transaction) => endPasswordTokens(transaction, of, new Date()));
    expect([await open(hash, 1), await open(other, 1)]).toEqual([false, true]);
  });
});
