// mutation userInvite: an invitation that reserves nothing, and one mail; a repeated invitation before the user accepts, and none for a member.
import { randomUUID } from 'node:crypto';
import { askAdmin } from '../support/adminClient.ts';
import { allJobsDone, mailsTo, startMailWorker } from '../support/mail.ts';
import { startMailServer, type MailServer } from '../support/mailServer.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

type Input = Record<string, unknown>;

let service: TestService;
let server: MailServer;
let stopWorker: () => Promise<void>;
let owner: TestUser;
let admin: TestUser;
beforeAll(async () => {
  [service, server] = await Promise.all([startTestService(), startMailServer()]);
  stopWorker = await startMailWorker(service, { smtpUrl: server.url });
  const organizationId = await newOrganization(service, 'Acme & Söhne');
  owner = await newUser(service, organizationId, 'owner');
  admin = await newUser(service, organizationId, 'admin');
});
afterAll(async () => {
  await stopWorker();
  await server.stop();
  await service.stop();
});

const anAddress = () => `new-${randomUUID()}@example.com`;
const invite = (by: TestUser, input: Input) =>
  by.ask('mutation I($input: UserInviteInput!) { userInvite(input: $input) { email name role status avatar } }', {
    input: { role: 'editor', ...input },
  });
const invited = async (by: TestUser, input: Input) => (await invite(by, input)).data!['userInvite'];
const codeOf = async (by: TestUser, input: Input) => (await invite(by, input)).codes[0] ?? 'OK';
const refusalOf = async (by: TestUser, input: Input) => (await invite(by, input)).errors[0]!.extensions;
const accept = (token: string) =>
  askAdmin(service.url, {
    query: 'mutation U($input: UpdatePasswordInput!) { updatePassword(input: $input) }',
    variables: { input: { token, newPassword: 'a fine phrase', newPasswordRepeat: 'a fine phrase' } },
  });
const invitationsOf = (email: string) =>
  service.database.prisma.membership.findMany({ where: { invitedEmail: email } });
const usersNamed = (email: string) => service.database.prisma.user.findMany({ where: { email } });

test('creates an invited user, mails a link, and with its token they come in', async () => {
  const email = anAddress();
  expect(await invited(admin, { email: ` ${email.toUpperCase()} `, name: ' Ann ' })).toEqual({
    email,
    name: 'Ann',
    role: 'editor',
    status: 'invited',
    avatar: null,
  });
  const [mail] = await mailsTo(server, email);
  expect(mail!.link.href).toMatch(
    /^https:\/\/dashboard\.example\.com\/app\/accept-invitation\?token=[A-Za-z0-9_-]{43}$/,
  );
  expect(mail!.text).toContain('\n  "Acme & Söhne"\n');
  expect(mail!.subject).not.toContain('Acme');
  expect((await accept(mail!.token)).data).toEqual({ updatePassword: true });
  const query = `mutation { login(input: { email: "${email}", password: "a fine phrase" }) { user { role } organization { name } } }`;
  const login = await askAdmin(service.url, { query });
  expect(login.data).toEqual({ login: { user: { role: 'editor' }, organization: { name: 'Acme & Söhne' } } });
  expect((await accept(mail!.token)).codes).toEqual(['INVALID_TOKEN']);
});

test('again sends a fresh mail, takes over what is new, and makes the earlier token dead', async () => {
  const email = anAddress();
  await invite(admin, { email, name: 'Ann' });
  const [first] = await mailsTo(server, email);
  expect(await invited(owner, { email, role: 'viewer' })).toMatchObject({ name: 'Ann', role: 'viewer' });
  expect(await invited(owner, { email, role: 'viewer', name: 'Bea' })).toMatchObject({ name: 'Bea' });
  expect(await invited(owner, { email, role: 'viewer', name: null })).toMatchObject({ name: null, status: 'invited' });
  await allJobsDone(service);
  const mails = await mailsTo(server, email, 2);
  expect((await accept(first!.token)).codes).toEqual(['INVALID_TOKEN']);
  for (const { token } of mails.slice(0, -1)) expect((await accept(token)).codes).toEqual(['INVALID_TOKEN']);
  expect((await accept(mails.at(-1)!.token)).errors).toEqual([]);
  expect(await usersNamed(email)).toHaveLength(1);
});

test('somebody disabled before they came is invited again; somebody who has been active is not', async () => {
  const email = anAddress();
  await invite(admin, { email });
  const disable = 'mutation D($email: String) { userEdit(input: { email: $email, status: "disabled" }) { status } }';
  await admin.ask(disable, { email });
  expect(await invited(admin, { email })).toMatchObject({ status: 'invited' });
  await allJobsDone(service);
  await accept((await mailsTo(server, email)).at(-1)!.token);
  const conflict = { code: 'CONFLICT', reason: 'already_member' };
  expect(await refusalOf(admin, { email })).toEqual(conflict);
  await admin.ask(disable, { email });
  expect(await refusalOf(admin, { email })).toEqual(conflict);
});

test('an address that has an account or an invitation elsewhere is invited like any other, and both mails go out', async () => {
  const other = await newUser(service, await newOrganization(service, 'Other'), 'owner');
  const query = `mutation I($input: UserInviteInput!) { userInvite(input: $input) {
    id email name role status avatar emailVerified lastLoginAt } }`;
  const { prisma } = service.database;
  await prisma.user.update({ where: { id: other.id }, data: { avatar: 'a.png' } });
  const shown = [];
  for (const email of [other.email, anAddress()]) {
    await invite(await newUser(service, await newOrganization(service), 'owner'), { email });
    const { data } = await admin.ask(query, { input: { email, name: 'Written', role: 'viewer' } });
    shown.push({ ...(data!['userInvite'] as Input), email: null });
    expect(await mailsTo(server, email, 2)).toHaveLength(2);
  }
  const nothing = { id: null, email: null, avatar: null, emailVerified: null, lastLoginAt: null };
  expect(shown[0]).toEqual({ ...nothing, name: 'Written', role: 'viewer', status: 'invited' });
  expect(shown[1]).toEqual(shown[0]);
});

test('a stranger who invites an address keeps it neither from signing up nor from its own company', async () => {
  const stranger = await newUser(service, await newOrganization(service), 'owner');
  const email = anAddress();
  expect(await codeOf(stranger, { email })).toBe('OK');
  const query =
    'mutation S($input: RegistrationUserInput!) { signup(input: $input) { organization { users { email } } } }';
  const input = { email, password: 'a fine phrase', organization: 'Own', name: 'Carol' };
  const signup = await askAdmin(service.url, { query, variables: { input } });
  expect(signup.data).toEqual({ signup: { organization: { users: [{ email }] } } });
  expect(await codeOf(admin, { email })).toBe('OK');
});

test('shows when the invitation expires, until it is accepted', async () => {
  const email = anAddress();
  const query = `mutation I($input: UserInviteInput!) { userInvite(input: $input) { invitationExpiresAt } }`;
  const { data } = await admin.ask(query, { input: { email, role: 'viewer' } });
  const { invitationExpiresAt } = data!['userInvite'] as { invitationExpiresAt: string };
  const days = (new Date(invitationExpiresAt).getTime() - Date.now()) / 86_400_000;
  expect(days).toBeCloseTo(7, 2);
  await accept((await mailsTo(server, email))[0]!.token);
  const users = await admin.ask('{ organization { users { email id invitationExpiresAt } } }');
  const seen = (users.data!['organization'] as { users: Input[] }).users.find((each) => each['email'] === email);
  expect(seen).toMatchObject({ id: expect.any(String) as string, invitationExpiresAt: null });
});

test('two at once for one address make one invitation in each organization', async () => {
  const other = await newUser(service, await newOrganization(service), 'owner');
  const email = anAddress();
  expect(await Promise.all([codeOf(admin, { email }), codeOf(other, { email })])).toEqual(['OK', 'OK']);
  const same = anAddress();
  expect(await Promise.all([codeOf(admin, { email: same }), codeOf(owner, { email: same })])).toEqual(['OK', 'OK']);
  expect(await invitationsOf(same)).toHaveLength(1);
  const open = { membership: { invitedEmail: same }, endedAt: null };
  expect(await service.database.prisma.passwordToken.count({ where: open })).toBe(1);
});

test('only an owner invites an owner, or invites one again', async () => {
  const email = anAddress();
  expect(await codeOf(admin, { email, role: 'owner' })).toBe('FORBIDDEN');
  expect(await codeOf(owner, { email, role: 'owner' })).toBe('OK');
  expect(await codeOf(admin, { email, role: 'viewer' })).toBe('FORBIDDEN');
  expect((await invitationsOf(email))[0]!.role).toBe('owner');
});

test.each(['viewer', 'editor'] as const)('is FORBIDDEN for %ss', async (role) => {
  const user = await newUser(service, owner.organizationId, role);
  expect(await codeOf(user, { email: 'nobody', role: 'x' })).toBe('FORBIDDEN');
});

test('names every field that is wrong, and leaves nothing behind', async () => {
  const paths = async (input: Input) =>
    ((await invite(admin, input)).errors[0]!.extensions['fields'] as { path: string }[]).map(({ path }) => path);
  expect(await paths({ email: 'nobody', name: ' ', role: 'boss' })).toEqual([
    'input.email',
    'input.name',
    'input.role',
  ]);
  for (const email of ['a@b\r\nBcc: c@d.e', 'a\u0000@b.c', 'a@b.c\u0007', 'Ann <a@b.c>', 'a@b.c, d@e.f']) {
    expect(await paths({ email })).toEqual(['input.email']);
  }
  for (const name of ['a\r\nBcc: c@d.e', 'a\u0000', 'a\u2029b', '']) {
    expect(await paths({ email: 'somebody@example.com', name })).toEqual(['input.name']);
  }
  expect(await invitationsOf('somebody@example.com')).toEqual([]);
});

test('an address has one account and one limit, however its domain is spelt', async () => {
  await using strict = await startTestService({ attemptLimits: { perAccount: 3, perAddress: 99, windowSeconds: 900 } });
  const by = await newUser(strict, await newOrganization(strict), 'owner');
  const spellings = ['ceo@corp.example', 'ceo@corp\u3002example', 'ceo@corp\uff0eexample', 'CEO@ｃｏｒｐ.example'];
  const answers = [];
  for (const email of spellings) answers.push(await invite(by, { email }));
  expect(answers.map(({ codes }) => codes)).toEqual([[], [], [], ['RATE_LIMITED']]);
  expect(
    (await strict.database.prisma.membership.findMany({ where: { status: 'invited' } })).map(
      (each) => each.invitedEmail,
    ),
  ).toEqual(['ceo@corp.example']);
  expect(await codeOf(by, { email: 'ceo@corp.example\u200b' })).toBe('BAD_USER_INPUT');
});

test('is limited for an address within the organization, and for the network address', async () => {
  await using strict = await startTestService({ attemptLimits: { perAccount: 2, perAddress: 7, windowSeconds: 900 } });
  const one = await newUser(strict, await newOrganization(strict), 'owner');
  const other = await newUser(strict, await newOrganization(strict), 'owner');
  const codes = [];
  for (const [by, email] of [
    [other, 'a@b.example'],
    [other, 'a@b.example'],
    [other, 'a@b.example'],
    [one, 'a@b.example'],
    [one, 'd@e.example'],
    [one, 'nobody'],
    [one, 'D@E.Example'],
    [one, 'd@e.example'],
    [one, 'g@h.example'],
  ] as const) {
    codes.push(await codeOf(by, { email }));
  }
  expect(codes.slice(0, 4)).toEqual(['OK', 'OK', 'RATE_LIMITED', 'OK']);
  expect(codes.slice(4)).toEqual(['OK', 'BAD_USER_INPUT', 'OK', 'RATE_LIMITED', 'RATE_LIMITED']);
});
