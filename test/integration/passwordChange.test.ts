// mutation passwordChange: a new password for the current one, which ends every other session.
import { askAdmin } from '../support/adminClient.ts';
import { captureLog } from '../support/capturedLog.ts';
import { holdLock } from '../support/heldLock.ts';
import { newPasswordToken } from '../support/mail.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

const current = 'the current phrase';
const next = ' the next phrase ✓ ';

let service: TestService;
let user: TestUser;
let passwordHash: string;
beforeAll(async () => {
  service = await startTestService();
  passwordHash = await service.deps.passwords.hash(current, 'known');
});
afterAll(() => service.stop());
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
