// mutation resetPassword: the same response and the same work for every address, and a mail only to existing accounts.
import { askAdmin, type AdminAnswer } from '../support/adminClient.ts';
import { allJobsDone, mailsTo, startMailWorker } from '../support/mail.ts';
import { startMailServer, type MailServer } from '../support/mailServer.ts';
import { statementsOf } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newInvitation, newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

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
  expect(mail!.link.href).toMatch(/^https:\/\/dashboard\.example\.com\/app\/reset-password\?token=[A-Za-z0-9_-]{43}$/);
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
  expect(await service.database.prisma.passwordToken.count({ where: { userId: id, mailedAt: { not: null } } })).toBe(1);
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
  await using strict = await startTestService({ attemptLimits: { perAccount: 2, perAddress: 5, windowSeconds: 900 } });
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
