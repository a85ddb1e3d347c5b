// mutation emailChange: a token for the new address, a notice to the present one, and no word about who has which address.
import { randomUUID } from 'node:crypto';
import { askAdmin } from '../support/adminClient.ts';
import { captureLog } from '../support/capturedLog.ts';
import { allJobsDone, mailsTo, newPasswordToken, startMailWorker } from '../support/mail.ts';
import { startMailServer, type MailServer } from '../support/mailServer.ts';
import { statementsOf } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

const password = 'the current phrase';

let service: TestService;
let server: MailServer;
let stopWorker: () => Promise<void>;
let passwordHash: string;
let user: TestUser;
beforeAll(async () => {
  [service, server] = await Promise.all([startTestService(), startMailServer()]);
  passwordHash = await service.deps.passwords.hash(password, 'known');
  stopWorker = await startMailWorker(service, { smtpUrl: server.url });
});
afterAll(async () => {
  await stopWorker();
  await server.stop();
  await service.stop();
});
beforeEach(async () => {
  user = await newUserWithPassword(service);
});

async function newUserWithPassword(at: TestService): Promise<TestUser> {
  const made = await newUser(at, await newOrganization(at), 'viewer');
  await at.database.prisma.user.update({ where: { id: made.id }, data: { passwordHash } });
  return made;
}

const someone = () => `new-${randomUUID()}@example.com`;
const changeBy = (by: TestUser, newEmail: string, secret = password) =>
  by.ask('mutation C($input: EmailChangeInput!) { emailChange(input: $input) }', {
    input: { newEmail, password: secret },
  });
const change = (newEmail: string, secret = password) => changeBy(user, newEmail, secret);
const confirm = (token: string) =>
  askAdmin(service.url, { query: 'mutation C($token: String!) { emailConfirm(token: $token) }', variables: { token } });
const emailOf = async ({ id }: TestUser) =>
  (await service.database.prisma.user.findUniqueOrThrow({ where: { id } })).email;

test('mails a link to the new address and a notice to the present one, and changes nothing yet', async () => {
  const newEmail = someone();
  expect((await change(` ${newEmail.toUpperCase()} `)).data).toEqual({ emailChange: true });
  const [mail] = await mailsTo(server, newEmail);
  expect(mail!.link.href).toMatch(/^https:\/\/dashboard\.example\.com\/app\/confirm-email\?token=[A-Za-z0-9_-]{43}$/);
  const [notice] = await mailsTo(server, user.email);
  expect(notice!.text).toContain(newEmail);
  expect([notice!.link.href, notice!.text.includes(mail!.token)]).toEqual(['about:blank', false]);
  expect(await emailOf(user)).toBe(user.email);
  expect((await confirm(mail!.token)).data).toEqual({ emailConfirm: true });
  expect(await emailOf(user)).toBe(newEmail);
});

test('the token is stored as a hash alone, and no job contains it', async () => {
  await stopWorker();
  const newEmail = someone();
  await change(newEmail);
  const { rows } = await service.database.pool.query<{ text: string }>(
    `SELECT row_to_json(j)::text AS text FROM graphile_worker._private_jobs j
     UNION ALL SELECT row_to_json(t)::text FROM email_tokens t`,
  );
  stopWorker = await startMailWorker(service, { smtpUrl: server.url });
  const { token } = (await mailsTo(server, newEmail))[0]!;
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.filter(({ text }) => text.includes(token))).toEqual([]);
});

test('an address in use gets the same response after the same statements, and a mail without a token', async () => {
  const other = await newUserWithPassword(service);
  await stopWorker();
  const seen = [];
  for (const newEmail of [someone(), other.email]) {
    const texts: string[] = [];
    const by = await newUserWithPassword(service);
    const statements = await statementsOf(async () => void texts.push((await changeBy(by, newEmail)).text));
    seen.push(JSON.stringify([texts, statements]));
  }
  expect(new Set(seen).size).toBe(1);
  stopWorker = await startMailWorker(service, { smtpUrl: server.url });
  await allJobsDone(service);
  const mails = await mailsTo(server, other.email);
  expect(mails.map(({ subject, link }) => [subject, link.href])).toEqual([
    ['Your e-mail address has an account', 'about:blank'],
  ]);
});

test('a wrong password is INVALID_CREDENTIALS, and nobody gets a mail', async () => {
  const newEmail = someone();
  for (const wrong of ['another phrase', '', 'a\u0000b']) {
    expect((await change(newEmail, wrong)).codes).toEqual(['INVALID_CREDENTIALS']);
  }
  await allJobsDone(service);
  expect(server.mails.filter(({ to }) => to.includes(newEmail) || to.includes(user.email))).toEqual([]);
});

test.each(['', 'nobody', 'a@b\r\nBcc: c@example.com', 'Ann <ann@example.com>', `${'a'.repeat(250)}@b.cd`])(
  'is no e-mail address: %j',
  async (newEmail) => {
    const { codes, errors } = await change(newEmail, 'wrong');
    expect(codes).toEqual(['BAD_USER_INPUT']);
    expect(errors[0]!.extensions['fields']).toEqual([
      { path: 'input.newEmail', message: 'must be an e-mail address of at most 254 characters' },
    ]);
  },
);

test('only the token of the latest change works', async () => {
  const [first, second] = [someone(), someone()];
  await change(first);
  const [one] = await mailsTo(server, first);
  await change(second);
  const [two] = await mailsTo(server, second);
  expect((await confirm(one!.token)).codes).toEqual(['INVALID_TOKEN']);
  expect((await confirm(two!.token)).errors).toEqual([]);
  expect(await emailOf(user)).toBe(second);
});

test.each<[string, (of: TestUser) => Promise<unknown>]>([
  [
    'a password that is reset by mail',
    async ({ email }) => {
      const input = `{ token: "${await newPasswordToken(service, email)}", newPassword: "a new phrase", newPasswordRepeat: "a new phrase" }`;
      return askAdmin(service.url, { query: `mutation { updatePassword(input: ${input}) }` });
    },
  ],
  [
    'a password that is changed',
    (of) => {
      const input = `{ currentPassword: "${password}", newPassword: "a new phrase", newPasswordRepeat: "a new phrase" }`;
      return of.ask(`mutation { passwordChange(input: ${input}) }`);
    },
  ],
])('%s ends the change that a stranger has begun', async (_, renew) => {
  const newEmail = someone();
  await change(newEmail);
  const [mail] = await mailsTo(server, newEmail);
  expect(await renew(user)).toMatchObject({ errors: [] });
  expect((await confirm(mail!.token)).codes).toEqual(['INVALID_TOKEN']);
  expect(await emailOf(user)).toBe(user.email);
});

test('the own address, however it is spelt, gets another confirmation and no notice', async () => {
  expect((await change(user.email.toUpperCase())).data).toEqual({ emailChange: true });
  await allJobsDone(service);
  const mails = await mailsTo(server, user.email);
  expect(mails.map(({ subject }) => subject)).toEqual(['Confirm your e-mail address']);
  expect((await confirm(mails[0]!.token)).errors).toEqual([]);
  const { emailVerifiedAt } = await service.database.prisma.user.findUniqueOrThrow({ where: { id: user.id } });
  expect(emailVerifiedAt).not.toBeNull();
});

test('attempts are limited, with the wrong password and with the right one, those with bad input are not counted', async () => {
  await using strict = await startTestService({
    attemptLimits: { perAccount: 3, perAddress: 100, windowSeconds: 900 },
  });
  const by = await newUserWithPassword(strict);
  const codes = [];
  for (const [newEmail, secret] of [
    ['x', password],
    [someone(), 'wrong'],
    [someone(), password],
    [someone(), 'wrong'],
    [someone(), password],
  ] as const) {
    codes.push((await changeBy(by, newEmail, secret)).codes);
  }
  expect(codes).toEqual([['BAD_USER_INPUT'], ['INVALID_CREDENTIALS'], [], ['INVALID_CREDENTIALS'], ['RATE_LIMITED']]);
});

test('each attempt has its line in the log, with its outcome', async () => {
  const captured = captureLog();
  await using logging = await startTestService({ log: captured.log });
  const by = await newUserWithPassword(logging);
  for (const secret of ['wrong', password]) await changeBy(by, someone(), secret);
  const lines = captured
    .text()
    .split('\n')
    .filter((line) => line.includes('"authentication"'));
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { operation: 'emailChange', outcome: 'INVALID_CREDENTIALS' },
    { operation: 'emailChange', outcome: 'OK' },
  ]);
  captured.stop();
});
