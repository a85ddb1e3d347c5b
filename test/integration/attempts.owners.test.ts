// Attempts as owners meet them (schema.graphql, "Attempts"): success counts against nobody, and no stranger locks an owner out.
import { askAdmin } from '../support/adminClient.ts';
import { allJobsDone, mailsTo, newPasswordToken, startMailWorker } from '../support/mail.ts';
import { startMailServer, type MailServer } from '../support/mailServer.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

const password = 'a phrase of the owner';
const stranger = '203.0.113.9';
/** Small, so that few requests show that none of them counts. */
const attemptLimits = { perAccount: 3, perAddress: 4, windowSeconds: 900 };

let service: TestService;
let server: MailServer;
let stopWorker: () => Promise<void>;
let passwordHash: string;
let owner: TestUser;
beforeAll(async () => {
  [service, server] = await Promise.all([startTestService({ attemptLimits }), startMailServer()]);
  stopWorker = await startMailWorker(service, { smtpUrl: server.url });
  passwordHash = await service.deps.passwords.hash(password, 'known');
});
afterAll(async () => {
  await stopWorker();
  await server.stop();
  await service.stop();
});
beforeEach(async () => {
  await service.database.pool.query('DELETE FROM attempts');
  owner = await newUserWithPassword();
});

async function newUserWithPassword(): Promise<TestUser> {
  const user = await newUser(service, await newOrganization(service));
  await service.database.prisma.user.update({ where: { id: user.id }, data: { passwordHash } });
  return user;
}

const ask = (query: string, variables: Record<string, unknown>) => askAdmin(service.url, { query, variables });
const login = (email: string, secret = password) =>
  ask('mutation L($input: LoginInput!) { login(input: $input) { token refreshToken } }', {
    input: { email, password: secret },
  });
const refresh = (token: string) =>
  ask('mutation R($token: String!) { refreshToken(token: $token) { token } }', { token });
const reset = (email: string) =>
  ask('mutation R($email: String!) { resetPassword(input: { email: $email }) }', { email });
const update = (token: string) =>
  ask('mutation U($input: UpdatePasswordInput!) { updatePassword(input: $input) }', {
    input: { token, newPassword: password, newPasswordRepeat: password },
  });
const change = (of: TestUser, currentPassword: string) =>
  of.ask('mutation C($input: PasswordChangeInput!) { passwordChange(input: $input) }', {
    input: { currentPassword, newPassword: password, newPasswordRepeat: password },
  });
/** A stranger's attempts from another network, up to the refusal. */
async function useUp(mutation: 'login' | 'passwordChange' | 'accountDelete'): Promise<void> {
  const guess = () => service.deps.attempts({ mutation, account: owner.email, address: stranger });
  for (let time = 0; time < attemptLimits.perAccount; time += 1) await guess();
  await expect(guess()).rejects.toMatchObject({ code: 'rate_limited' });
}

test('colleagues behind one address log in, refresh, change and reset their passwords, more than it has attempts', async () => {
  const codes = [];
  for (let colleague = 0; colleague < 7; colleague += 1) {
    const user = await newUserWithPassword();
    const { data, codes: refused } = await login(user.email);
    const { refreshToken } = data!['login'] as { refreshToken: string };
    codes.push(refused, (await refresh(refreshToken)).codes, (await change(user, password)).codes);
    codes.push((await update(await newPasswordToken(service, user.email))).codes);
  }
  expect(codes.flat()).toEqual([]);
});

test('one user does each of them more often than the account has attempts', async () => {
  const codes = [];
  for (let time = 0; time < 7; time += 1) {
    const { data, codes: refused } = await login(owner.email);
    const { refreshToken } = data!['login'] as { refreshToken: string };
    codes.push(refused, (await refresh(refreshToken)).codes, (await change(owner, password)).codes);
  }
  for (let time = 0; time < 7; time += 1) {
    codes.push((await update(await newPasswordToken(service, owner.email))).codes);
  }
  expect(codes.flat()).toEqual([]);
});

test('calls of resetPassword by a stranger neither lock the reset nor outlast their own mails', async () => {
  for (let time = 0; time <= attemptLimits.perAccount; time += 1) expect((await reset(owner.email)).codes).toEqual([]);
  await allJobsDone(service);
  const mails = await mailsTo(server, owner.email);
  expect(mails.length).toBeLessThanOrEqual(attemptLimits.perAccount);
  expect((await update(mails[0]!.token)).data).toEqual({ updatePassword: true });
  // The network address has used up its own attempts. The mailbox is proved: from now on there are mails again.
  await service.database.pool.query('DELETE FROM attempts WHERE count > $1', [attemptLimits.perAccount]);
  await reset(owner.email);
  expect(await mailsTo(server, owner.email, mails.length + 1)).toHaveLength(mails.length + 1);
});

test('a mailbox gets two mails of resetPassword in 15 minutes, whoever asks, and both links work', async () => {
  await login(owner.email);
  for (let time = 0; time < attemptLimits.perAddress; time += 1) {
    expect((await reset(owner.email)).data).toEqual({ resetPassword: true });
    await allJobsDone(service);
  }
  const mails = await mailsTo(server, owner.email);
  expect(mails).toHaveLength(2);
  expect((await update(mails[0]!.token)).data).toEqual({ updatePassword: true });
});

test.each<[string, () => Promise<unknown>]>([
  ['passwordChange, which proves the password', () => change(owner, password)],
  [
    'emailChange, which proves it too',
    () =>
      owner.ask('mutation C($input: EmailChangeInput!) { emailChange(input: $input) }', {
        input: { newEmail: owner.email, password },
      }),
  ],
  ['updatePassword, which proves the mailbox', async () => update(await newPasswordToken(service, owner.email))],
])('the attempts at an account end with %s', async (_, prove) => {
  await useUp('login');
  expect((await login(owner.email)).codes).toEqual(['RATE_LIMITED']);
  expect(await prove()).toMatchObject({ errors: [] });
  expect((await login(owner.email)).codes).toEqual([]);
});

test('whoever has stolen a bearer and used up passwordChange does not lock the owner out of it', async () => {
  await useUp('passwordChange');
  expect((await change(owner, password)).codes).toEqual(['RATE_LIMITED']);
  await login(owner.email);
  expect((await change(owner, password)).codes).toEqual([]);
});

test('attempts at accountDelete by a stolen bearer end with a login, too', async () => {
  await useUp('accountDelete');
  const remove = () =>
    owner.ask('mutation D($password: String!) { accountDelete(password: $password) }', { password: 'wrong' });
  expect((await remove()).codes).toEqual(['RATE_LIMITED']);
  await login(owner.email);
  expect((await remove()).codes).toEqual(['INVALID_CREDENTIALS']);
});
