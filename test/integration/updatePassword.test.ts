// mutation updatePassword: a token opens an account once, a refused attempt does not use it up, and every earlier login ends.
import { hash } from 'argon2';
import { askAdmin } from '../support/adminClient.ts';
import { holdLock } from '../support/heldLock.ts';
import { newPasswordToken } from '../support/mail.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newInvitation, newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const oldPassword = 'the old password of somebody';
const newPassword = ' a new phrase, as it is ✓ ';
const lockOfUser = 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE';

let service: TestService;
let user: TestUser;
let oldHash: string;
let now = new Date();
beforeAll(async () => {
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
  await using strict = await startTestService({ attemptLimits: { perAccount: 2, perAddress: 5, windowSeconds: 900 } });
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
