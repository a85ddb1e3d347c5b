// mutation emailConfirm: a mailed token proves the account's address or changes it, once, and every session lives on.
import { randomUUID } from 'node:crypto';
import { askAdmin } from '../support/adminClient.ts';
import { auditLines } from '../support/auditLines.ts';
import { holdLock } from '../support/heldLock.ts';
import { newEmailToken, newPasswordToken, mailsTo, startMailWorker } from '../support/mail.ts';
import { startMailServer } from '../support/mailServer.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

const day = 24 * 3_600_000;
const password = 'the current phrase';

let service: TestService;
let passwordHash: string;
let user: TestUser;
let now = new Date();
beforeAll(async () => {
  service = await startTestService({ now: () => now });
  passwordHash = await service.deps.passwords.hash(password, 'known');
});
afterAll(() => service.stop());
beforeEach(async () => {
  now = new Date();
  user = await newUser(service, await newOrganization(service));
  await service.database.prisma.user.update({ where: { id: user.id }, data: { passwordHash, emailVerifiedAt: null } });
});

const someone = () => `new-${randomUUID()}@example.com`;
const confirm = (token: string, url = service.url) =>
  askAdmin(url, { query: 'mutation C($token: String!) { emailConfirm(token: $token) }', variables: { token } });
const login = (email: string, secret = password) =>
  askAdmin(service.url, {
    query: 'mutation L($input: LoginInput!) { login(input: $input) { token } }',
    variables: { input: { email, password: secret } },
  });
const stored = () => service.database.prisma.user.findUniqueOrThrow({ where: { id: user.id } });
const emailSeen = async ({ token }: TestUser) =>
  (await askAdmin(service.url, { query: '{ me { email } }', token })).data!['me'];

test('makes the new address the account’s; sessions live on, and the old address opens nothing', async () => {
  const newEmail = someone();
  const reset = await newPasswordToken(service, user.email);
  const { data, errors } = await confirm(await newEmailToken(service, user, newEmail));
  expect([data, errors]).toEqual([{ emailConfirm: true }, []]);
  expect(await emailSeen(user)).toEqual({ email: newEmail });
  expect((await stored()).emailVerifiedAt).toEqual(now);
  expect((await login(user.email)).codes).toEqual(['INVALID_CREDENTIALS']);
  expect((await login(newEmail)).errors).toEqual([]);
  const input = `{ token: "${reset}", newPassword: "another phrase", newPasswordRepeat: "another phrase" }`;
  const update = await askAdmin(service.url, { query: `mutation { updatePassword(input: ${input}) }` });
  expect(update.codes).toEqual(['INVALID_TOKEN']);
  const lines = await auditLines(service, user.organizationId);
  expect(lines).toMatchObject([
    {
      actor: user.email,
      action: 'emailConfirm',
      objectType: 'user',
      objectId: user.email,
      details: { email: { from: user.email, to: newEmail } },
    },
  ]);
});

test('confirms the address of the account, with one line in the audit log however often', async () => {
  const confirmation = { email: user.email, purpose: 'confirmation' } as const;
  const [one, other] = [
    await newEmailToken(service, user, confirmation),
    await newEmailToken(service, user, confirmation),
  ];
  expect((await stored()).emailVerifiedAt).toBeNull();
  expect((await confirm(one)).data).toEqual({ emailConfirm: true });
  expect((await stored()).emailVerifiedAt).toEqual(now);
  for (const used of [one, other]) expect((await confirm(used)).codes).toEqual(['INVALID_TOKEN']);
  expect((await confirm(await newEmailToken(service, user, confirmation))).errors).toEqual([]);
  const lines = await auditLines(service, user.organizationId);
  expect(lines.map(({ action, details }) => [action, details])).toEqual([['emailConfirm', {}]]);
});

test('a confirmation of an earlier address neither confirms nor brings it back, and one at a time is changed', async () => {
  const earlier = await newEmailToken(service, user, { email: user.email, purpose: 'confirmation' });
  const newEmail = someone();
  const change = await newEmailToken(service, user, newEmail);
  await confirm(change);
  expect((await confirm(earlier)).codes).toEqual(['INVALID_TOKEN']);
  expect((await confirm(change)).codes).toEqual(['INVALID_TOKEN']);
  expect((await stored()).email).toBe(newEmail);
});

test('a confirmation of the present address leaves a change open', async () => {
  const change = await newEmailToken(service, user, someone());
  await confirm(await newEmailToken(service, user, { email: user.email, purpose: 'confirmation' }));
  expect((await confirm(change)).errors).toEqual([]);
});

test('an address that was taken meanwhile is CONFLICT and changes nothing; the token works once it is free', async () => {
  const newEmail = someone();
  const token = await newEmailToken(service, user, newEmail);
  const other = await newUser(service, await newOrganization(service));
  await service.database.prisma.user.update({ where: { id: other.id }, data: { email: newEmail } });
  const { errors } = await confirm(token);
  expect(errors[0]!.extensions).toEqual({ code: 'CONFLICT', reason: 'email_in_use' });
  expect(await stored()).toMatchObject({ email: user.email, emailVerifiedAt: null });
  expect(await auditLines(service, user.organizationId)).toEqual([]);
  await service.database.prisma.user.update({ where: { id: other.id }, data: { email: someone() } });
  expect((await confirm(token)).errors).toEqual([]);
});

test('of two accounts that confirm one address at once, one gets it', async () => {
  const newEmail = someone();
  const other = await newUser(service, await newOrganization(service));
  const answers = await Promise.all([
    confirm(await newEmailToken(service, user, newEmail)),
    confirm(await newEmailToken(service, other, newEmail)),
  ]);
  expect(answers.flatMap(({ codes }) => codes)).toEqual(['CONFLICT']);
});

test('of two at once with one token exactly one succeeds', async () => {
  const token = await newEmailToken(service, user, someone());
  const lock = await holdLock(service.database.pool, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', user.id);
  const answers = [confirm(token), confirm(token)];
  await lock.waiting(2);
  await lock.release();
  expect((await Promise.all(answers)).flatMap(({ codes }) => codes)).toEqual(['INVALID_TOKEN']);
});

test('the token of a change lives 24 hours, that of a confirmation 7 days', async () => {
  const tokens = async () => [
    await newEmailToken(service, user, someone()),
    await newEmailToken(service, user, { email: user.email, purpose: 'confirmation' }),
  ];
  const [lateChange, lateConfirmation] = await tokens();
  now = new Date(now.getTime() + day);
  expect((await confirm(lateChange!)).codes).toEqual(['INVALID_TOKEN']);
  now = new Date(now.getTime() + 6 * day);
  expect((await confirm(lateConfirmation!)).codes).toEqual(['INVALID_TOKEN']);
  const [change, confirmation] = await tokens();
  now = new Date(now.getTime() + 7 * day - 1);
  expect((await confirm(confirmation!)).errors).toEqual([]);
  now = new Date(now.getTime() - 6 * day);
  expect((await confirm(change!)).errors).toEqual([]);
});

test('unknown tokens and tokens of other kinds are answered alike', async () => {
  const reset = await newPasswordToken(service, user.email);
  const answers = [];
  for (const token of ['', 'x'.repeat(43), user.token, reset, '\u0000\ud800']) answers.push(await confirm(token));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers[0]!.codes).toEqual(['INVALID_TOKEN']);
});

test('a token of an address sets no password', async () => {
  const token = await newEmailToken(service, user, someone());
  const input = `{ token: "${token}", newPassword: "another phrase", newPasswordRepeat: "another phrase" }`;
  const { codes } = await askAdmin(service.url, { query: `mutation { updatePassword(input: ${input}) }` });
  expect(codes).toEqual(['INVALID_TOKEN']);
});

test('a new password by a mailed token confirms the address, a changed one does not', async () => {
  const change = `{ currentPassword: "${password}", newPassword: "a third phrase", newPasswordRepeat: "a third phrase" }`;
  expect((await user.ask(`mutation { passwordChange(input: ${change}) }`)).errors).toEqual([]);
  expect((await stored()).emailVerifiedAt).toBeNull();
  const token = await newPasswordToken(service, user.email);
  const input = `{ token: "${token}", newPassword: "another phrase", newPasswordRepeat: "another phrase" }`;
  expect((await askAdmin(service.url, { query: `mutation { updatePassword(input: ${input}) }` })).errors).toEqual([]);
  expect((await stored()).emailVerifiedAt).toEqual(now);
});

test('attempts that fail are limited for a token and for the network address; one that succeeds is not counted', async () => {
  await using strict = await startTestService({ attemptLimits: { perAccount: 2, perAddress: 5, windowSeconds: 900 } });
  const codes = [];
  for (const token of ['a', 'a', 'a', 'b', 'c']) codes.push(...(await confirm(token, strict.url)).codes);
  const owner = await newUser(strict, await newOrganization(strict));
  for (let time = 0; time < 6; time += 1) {
    codes.push(...(await confirm(await newEmailToken(strict, owner, someone()), strict.url)).codes);
  }
  for (const token of ['d', 'e']) codes.push(...(await confirm(token, strict.url)).codes);
  const wrong = 'INVALID_TOKEN';
  expect(codes).toEqual([wrong, wrong, 'RATE_LIMITED', wrong, wrong, wrong, 'RATE_LIMITED']);
});

test('signup mails the confirmation, and the account works without it', async () => {
  const server = await startMailServer();
  const stopWorker = await startMailWorker(service, { smtpUrl: server.url });
  try {
    const email = someone();
    const input = `{ email: "${email}", password: "${password}", organization: "Acme", name: "Ann" }`;
    const { data } = await askAdmin(service.url, { query: `mutation { signup(input: ${input}) { token } }` });
    const { token: bearer } = data!['signup'] as { token: string };
    expect((await askAdmin(service.url, { query: '{ me { email } }', token: bearer })).data).toEqual({ me: { email } });
    expect((await login(email)).errors).toEqual([]);
    const [mail] = await mailsTo(server, email);
    expect(mail!.link.pathname).toBe('/app/confirm-email');
    expect((await confirm(mail!.token)).errors).toEqual([]);
    const { emailVerifiedAt } = await service.database.prisma.user.findUniqueOrThrow({ where: { email } });
    expect(emailVerifiedAt).toEqual(now);
  } finally {
    await stopWorker();
    await server.stop();
  }
});
