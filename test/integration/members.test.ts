// Members of an organization: invited, joined, changed and removed; and an account that is deleted everywhere.
import { randomUUID } from 'node:crypto';
import {
  accept,
  type Account,
  addOwner,
  challengeOf,
  invitationOf,
  leave,
  logIn,
  password,
  setPassword,
  signUp,
} from '../support/accounts.ts';
import { type AdminResponse, askAdmin } from '../support/adminClient.ts';
import { auditLines } from '../support/auditLines.ts';
import { holdLock } from '../support/heldLock.ts';
import { allJobsDone, mailsTo, newEmailToken, newPasswordToken, startMailWorker } from '../support/mail.ts';
import { type MailServer, startMailServer } from '../support/mailServer.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newInvitation, newOrganization, newUser, putMembership, type TestUser } from '../support/testUsers.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// mutation userEdit: who may change which field of whom, the changes of a status, and the last owner.
describe('userEdit', () => {
  type Input = Record<string, unknown>;

  let service: TestService;
  let owner: TestUser;
  let admin: TestUser;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  beforeEach(async () => {
    const organizationId = await newOrganization(service);
    owner = await newUser(service, organizationId, 'owner');
    admin = await newUser(service, organizationId, 'admin');
    viewer = await newUser(service, organizationId, 'viewer');
  });

  const edit = (by: TestUser, input: Input) =>
    by.ask('mutation E($input: UserEditInput!) { userEdit(input: $input) { email name role status avatar } }', {
      input,
    });
  const codeOf = async (by: TestUser, input: Input) => (await edit(by, input)).codes[0] ?? 'OK';
  const edited = async (by: TestUser, input: Input) => (await edit(by, input)).data!['userEdit'] as Input;
  const pathsOf = async (by: TestUser, input: Input) =>
    ((await edit(by, input)).errors[0]!.extensions['fields'] as { path: string }[]).map(({ path }) => path);
  const stored = (user: TestUser) => service.database.prisma.user.findUniqueOrThrow({ where: { id: user.id } });
  const membershipOf = ({ id, organizationId }: TestUser) =>
    service.database.prisma.membership.findFirstOrThrow({ where: { userId: id, organizationId } });
  const isIn = async (user: TestUser) => (await user.ask('{ me { email } }')).status === 200;

  test('nobody edits the name or the avatar of another user, whose account they are', async () => {
    const change = { name: 'X', avatar: 'a.png', role: 'editor' };
    expect(await pathsOf(owner, { email: viewer.email, ...change })).toEqual(['input.name', 'input.avatar']);
    expect(await stored(viewer)).toMatchObject({ name: 'The viewer', avatar: null });
  });

  test('everybody edits their own name and avatar, with and without their address', async () => {
    for (const user of [viewer, admin, owner]) {
      expect(await edited(user, { name: ' Ann ', avatar: 'a.png' })).toMatchObject({ name: 'Ann', avatar: 'a.png' });
      expect(await edited(user, { email: ` ${user.email.toUpperCase()}`, avatar: null })).toMatchObject({
        email: user.email,
        name: 'Ann',
        avatar: null,
      });
      expect(await edited(user, { email: null })).toMatchObject({ email: user.email, name: 'Ann', status: 'active' });
    }
  });

  test('a caller whose address changes while the request waits edits themselves', async () => {
    const renamed = 'UPDATE users SET email = $1 WHERE id::text = $2';
    const lock = await holdLock(service.database.pool, renamed, `new-${owner.email}`, owner.id);
    const response = edit(owner, { name: 'Ann' });
    await lock.waiting(1);
    await lock.release();
    expect((await response).data).toMatchObject({ userEdit: { email: `new-${owner.email}`, name: 'Ann' } });
  });

  test('an address may be written with another spelling of its domain', async () => {
    const email = `${viewer.id}@bücher.example`;
    await service.database.prisma.user.update({ where: { id: viewer.id }, data: { email } });
    expect(await edited(viewer, { email: `${viewer.id}@BÜCHER\u3002example`, name: 'Me' })).toMatchObject({
      name: 'Me',
    });
    expect(await edited(admin, { email: `${viewer.id}@xn--bcher-kva.example`, role: 'editor' })).toMatchObject({
      email,
    });
  });

  test('below admin, everything else is FORBIDDEN, before anything is looked up', async () => {
    const editor = await newUser(service, viewer.organizationId, 'editor');
    for (const user of [viewer, editor]) {
      expect(await codeOf(user, { role: 'viewer' })).toBe('FORBIDDEN');
      expect(await codeOf(user, { status: 'active' })).toBe('FORBIDDEN');
      expect(await codeOf(user, { role: null })).toBe('FORBIDDEN');
      expect(await codeOf(user, { email: admin.email, name: 'X' })).toBe('FORBIDDEN');
      expect(await codeOf(user, { email: 'nobody@example.com', role: 'x' })).toBe('FORBIDDEN');
    }
  });

  test('admins edit others but owners, and make nobody an owner', async () => {
    expect(await edited(admin, { email: viewer.email, role: 'editor', status: 'disabled' })).toMatchObject({
      role: 'editor',
      status: 'disabled',
    });
    for (const input of [{ role: 'admin' }, { status: 'disabled' }, {}]) {
      expect(await codeOf(admin, { email: owner.email, ...input })).toBe('FORBIDDEN');
    }
    expect(await codeOf(admin, { email: viewer.email, role: 'owner' })).toBe('FORBIDDEN');
    expect(await codeOf(admin, { role: 'owner' })).toBe('FORBIDDEN');
    expect((await stored(owner)).name).toBe('The owner');
  });

  test('owners make and unmake owners, and a role counts from the next request on', async () => {
    expect(await edited(owner, { email: admin.email, role: 'owner' })).toMatchObject({ role: 'owner' });
    expect(await edited(admin, { email: owner.email, role: 'viewer' })).toMatchObject({ role: 'viewer' });
    expect(await codeOf(owner, { email: viewer.email, role: 'editor' })).toBe('FORBIDDEN');
  });

  test.each([
    ['demoted', { role: 'editor' }],
    ['disabled', { status: 'disabled' }],
  ] as const)('an editor who is %s while the edit waits does not make it', async (_, data) => {
    const { pool } = service.database;
    const lock = await holdLock(pool, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', owner.organizationId);
    const code = codeOf(admin, { email: viewer.email, role: 'editor' });
    await lock.waiting(1);
    await putMembership(service, admin, data);
    await lock.release();
    expect([await code, (await membershipOf(viewer)).role]).toEqual(['FORBIDDEN', 'viewer']);
  });

  test('an unknown address and one of another organization are NOT_FOUND alike', async () => {
    const other = await newUser(service, await newOrganization(service));
    const responses = [];
    for (const email of [other.email, 'nobody@example.com', '', 'a\u0000b@example.com', '\ud800']) {
      responses.push(await edit(owner, { email, role: 'viewer' }));
    }
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses[0]!.codes).toEqual(['NOT_FOUND']);
    expect((await stored(other)).name).toBe('The owner');
  });

  test('names every field that is wrong, before it looks the user up', async () => {
    const all = { name: null, avatar: 'x'.repeat(2_049), role: null, status: null };
    const paths = ['input.name', 'input.avatar', 'input.role', 'input.status'];
    expect(await pathsOf(owner, all)).toEqual(paths);
    expect(await pathsOf(owner, { email: 'nobody@example.com', ...all })).toEqual(paths);
    for (const name of ['', ' \u0085', 'x'.repeat(257), 'a\r\nb', 'a\u0007', 'a\u0000', 'a\ud800']) {
      expect(await pathsOf(owner, { name })).toEqual(['input.name']);
    }
    expect(await pathsOf(owner, { role: 'OWNER', status: 'invited' })).toEqual(['input.role', 'input.status']);
  });

  describe('status', () => {
    test('disabling ends the sessions in this organization at once, for good, and in no other', async () => {
      const elsewhere = await newOrganization(service);
      const { prisma } = service.database;
      await prisma.membership.create({
        data: { organizationId: elsewhere, userId: viewer.id, role: 'owner', status: 'active' },
      });
      const expiresAt = new Date(Date.now() + 3_600_000);
      const session = { userId: viewer.id, organizationId: elsewhere, expiresAt };
      const { id: sessionId } = await prisma.loginSession.create({ data: session });
      const token = await service.deps.accessTokens.issue({ userId: viewer.id, sessionId }, new Date());
      expect(await isIn(viewer)).toBe(true);
      expect(await edited(admin, { email: viewer.email, status: 'disabled' })).toMatchObject({ status: 'disabled' });
      expect(await isIn(viewer)).toBe(false);
      expect((await askAdmin(service.url, { query: '{ me { role } }', token })).data).toEqual({
        me: { role: 'owner' },
      });
      expect(await edited(admin, { email: viewer.email, status: 'active' })).toMatchObject({ status: 'active' });
      expect(await isIn(viewer)).toBe(false);
    });

    test('an invitation can be disabled, and then neither be activated nor accepted', async () => {
      const { id, email } = await newInvitation(service, viewer.organizationId);
      const token = await newPasswordToken(service, email, 'invitation');
      expect(await pathsOf(admin, { email, status: 'active' })).toEqual(['input.status']);
      expect(await edited(admin, { email, status: 'disabled' })).toMatchObject({ status: 'disabled' });
      expect(await pathsOf(admin, { email, status: 'active' })).toEqual(['input.status']);
      await service.database.prisma.membership.update({ where: { id }, data: { status: 'invited' } });
      const input = { token, newPassword: 'a fine phrase', newPasswordRepeat: 'a fine phrase' };
      const query = 'mutation U($input: UpdatePasswordInput!) { updatePassword(input: $input) }';
      expect((await admin.ask(query, { input })).codes).toEqual(['INVALID_TOKEN']);
    });

    test('an edit of an invitation leaves its token as it is', async () => {
      const { id, email } = await newInvitation(service, viewer.organizationId);
      await newPasswordToken(service, email, 'invitation');
      expect(await edited(admin, { email, role: 'editor' })).toMatchObject({ status: 'invited', role: 'editor' });
      expect(await service.database.prisma.passwordToken.count({ where: { membershipId: id, endedAt: null } })).toBe(1);
    });

    test('somebody can disable themselves', async () => {
      expect(await edited(admin, { status: 'disabled' })).toMatchObject({ status: 'disabled' });
      expect(await isIn(admin)).toBe(false);
    });
  });

  describe('the last active owner', () => {
    test('cannot be demoted or disabled, however many owners are not active', async () => {
      const other = await newUser(service, owner.organizationId, 'owner');
      await putMembership(service, other, { status: 'disabled' });
      await newUser(service, await newOrganization(service), 'owner');
      const conflict = { code: 'CONFLICT', reason: 'last_owner' };
      expect((await edit(owner, { role: 'admin' })).errors[0]!.extensions).toEqual(conflict);
      expect((await edit(owner, { status: 'disabled' })).errors[0]!.extensions).toEqual(conflict);
      expect(await codeOf(owner, { role: 'owner', status: 'active' })).toBe('OK');
      expect(await codeOf(owner, { email: other.email, role: 'viewer' })).toBe('OK');
    });

    test.each<[string, (one: TestUser, other: TestUser) => [Input, Input]]>([
      [
        'demote each other',
        (one, other) => [
          { email: other.email, role: 'viewer' },
          { email: one.email, role: 'admin' },
        ],
      ],
      [
        'disable each other',
        (one, other) => [
          { email: other.email, status: 'disabled' },
          { email: one.email, status: 'disabled' },
        ],
      ],
      ['step back', () => [{ role: 'admin' }, { status: 'disabled' }]],
    ])('is left when two owners %s at once', async (_, inputs) => {
      const other = await newUser(service, owner.organizationId, 'owner');
      const lock = await holdLock(
        service.database.pool,
        'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE',
        owner.organizationId,
      );
      const [first, second] = inputs(owner, other);
      const responses = [codeOf(owner, first), codeOf(other, second)];
      await lock.waiting(2);
      await lock.release();
      const codes = await Promise.all(responses);
      expect(codes.filter((code) => code === 'OK')).toHaveLength(1);
      expect(codes).toContain(codes.includes('CONFLICT') ? 'CONFLICT' : 'FORBIDDEN');
      const where = { organizationId: owner.organizationId, role: 'owner', status: 'active' } as const;
      expect(await service.database.prisma.membership.count({ where })).toBe(1);
    });
  });
});

// mutation userInvite: an invitation that reserves nothing, and one mail; a repeated invitation before the user accepts, and none for a member.
describe('userInvite', () => {
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
    expect(await invited(owner, { email, role: 'viewer', name: null })).toMatchObject({
      name: null,
      status: 'invited',
    });
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
    const unproven = await newUser(service, await newOrganization(service, 'Third'), 'owner');
    await prisma.user.update({ where: { id: unproven.id }, data: { emailVerifiedAt: null } });
    const disabled = await newUser(service, other.organizationId, 'viewer');
    await prisma.membership.updateMany({ where: { userId: disabled.id }, data: { status: 'disabled' } });
    const shown = [];
    for (const email of [other.email, anAddress(), unproven.email, disabled.email]) {
      await invite(await newUser(service, await newOrganization(service), 'owner'), { email });
      const { data } = await admin.ask(query, { input: { email, name: 'Written', role: 'viewer' } });
      shown.push({ ...(data!['userInvite'] as Input), email: null });
      expect(await mailsTo(server, email, 2)).toHaveLength(2);
    }
    const nothing = { id: null, email: null, avatar: null, emailVerified: null, lastLoginAt: null };
    expect(shown[0]).toEqual({ ...nothing, name: 'Written', role: 'viewer', status: 'invited' });
    for (const each of shown.slice(1)) expect(each).toEqual(shown[0]);
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
    await using strict = await startTestService({
      attemptLimits: { perAccount: 3, perAddress: 99, windowSeconds: 900 },
    });
    const by = await newUser(strict, await newOrganization(strict), 'owner');
    const spellings = ['ceo@corp.example', 'ceo@corp\u3002example', 'ceo@corp\uff0eexample', 'CEO@ｃｏｒｐ.example'];
    const responses = [];
    for (const email of spellings) responses.push(await invite(by, { email }));
    expect(responses.map(({ codes }) => codes)).toEqual([[], [], [], ['RATE_LIMITED']]);
    expect(
      (await strict.database.prisma.membership.findMany({ where: { status: 'invited' } })).map(
        (each) => each.invitedEmail,
      ),
    ).toEqual(['ceo@corp.example']);
    expect(await codeOf(by, { email: 'ceo@corp.example\u200b' })).toBe('BAD_USER_INPUT');
  });

  test('is limited for an address within the organization, and for the network address', async () => {
    await using strict = await startTestService({
      attemptLimits: { perAccount: 2, perAddress: 7, windowSeconds: 900 },
    });
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
});

// mutation userRemove: ends a membership with its sessions, or withdraws an invitation, and the account stays.
describe('userRemove', () => {
  let service: TestService;
  let owner: TestUser;
  let admin: TestUser;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  beforeEach(async () => {
    const organizationId = await newOrganization(service);
    owner = await newUser(service, organizationId, 'owner');
    admin = await newUser(service, organizationId, 'admin');
    viewer = await newUser(service, organizationId, 'viewer');
  });

  const remove = (by: TestUser, email: string) =>
    by.ask('mutation R($email: String!) { userRemove(email: $email) }', { email });

  test('ends the membership and its sessions at once, and a second time it is NOT_FOUND', async () => {
    expect((await remove(admin, ` ${viewer.email.toUpperCase()}`)).data).toEqual({ userRemove: true });
    expect((await viewer.ask('{ me { role } }')).status).toBe(401);
    expect((await remove(admin, viewer.email)).codes).toEqual(['NOT_FOUND']);
    expect(await service.database.prisma.user.count({ where: { id: viewer.id } })).toBe(1);
  });

  test('withdraws an invitation, whose token no longer works', async () => {
    const { email } = await newInvitation(service, owner.organizationId);
    const token = await newPasswordToken(service, email, 'invitation');
    expect((await remove(admin, email)).data).toEqual({ userRemove: true });
    expect((await setPassword(service, token)).codes).toEqual(['INVALID_TOKEN']);
  });

  test('owners are removed by owners, and the last one by nobody', async () => {
    expect((await remove(admin, owner.email)).codes).toEqual(['FORBIDDEN']);
    const conflict = { code: 'CONFLICT', reason: 'last_owner' };
    expect((await remove(owner, owner.email)).errors[0]!.extensions).toEqual(conflict);
    const other = await newUser(service, owner.organizationId, 'owner');
    expect((await remove(other, owner.email)).data).toEqual({ userRemove: true });
  });

  test('a user of another organization and an unknown address are NOT_FOUND', async () => {
    const other = await newUser(service, await newOrganization(service));
    for (const email of [other.email, 'nobody@example.com', 'a\u0000b']) {
      expect((await remove(owner, email)).codes).toEqual(['NOT_FOUND']);
    }
  });
});

// mutation invitationAccept: adds the membership to the account of the mailed address, and to no other.
describe('invitationAccept', () => {
  let service: TestService;
  let account: Account;
  let organizationId: string;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  beforeEach(async () => {
    account = await signUp(service);
    organizationId = await newOrganization(service, 'Company');
  });

  test('adds the membership, starts a session there, and confirms the address', async () => {
    const token = await invitationOf(service, organizationId, account.email);
    const { data } = await accept(service, { token }, account.token);
    const user = { email: account.email, role: 'viewer', emailVerified: true };
    expect(data!['invitationAccept']).toMatchObject({ user, organization: { id: organizationId } });
    expect((await accept(service, { token }, account.token)).codes).toEqual(['INVALID_TOKEN']);
    const mine = await askAdmin(service.url, { query: '{ me { role } organization { name } }', token: account.token });
    expect(mine.data).toEqual({ me: { role: 'owner' }, organization: { name: 'Own' } });
  });

  test("keeps the account's name, and shows it to the organization from then on", async () => {
    const owner = await newUser(service, organizationId);
    const { id } = await newInvitation(service, organizationId, { email: account.email });
    await service.database.prisma.membership.update({ where: { id }, data: { invitedName: 'Written' } });
    const names = async () => {
      const { data } = await owner.ask('{ organization { users { name } } }');
      return (data!['organization'] as { users: { name: string }[] }).users.map(({ name }) => name);
    };
    expect(await names()).toEqual(['The owner', 'Written']);
    const { passwordTokens } = service.deps;
    const token = passwordTokens.tokenOf('a mail');
    const hash = Uint8Array.from(passwordTokens.hashOf(token));
    const expiresAt = new Date(Date.now() + 60_000);
    await service.database.prisma.passwordToken.create({
      data: { hash, membershipId: id, purpose: 'invitation', expiresAt },
    });
    await accept(service, { token }, account.token);
    expect(await names()).toEqual(['The owner', 'Somebody']);
  });

  test('an invitation for another address is INVALID_TOKEN, and stays', async () => {
    const other = await signUp(service);
    const token = await invitationOf(service, organizationId, account.email);
    expect((await accept(service, { token }, other.token)).codes).toEqual(['INVALID_TOKEN']);
    expect((await accept(service, { token }, account.token)).codes).toEqual([]);
  });

  test('with a challenge the service ignores the bearer, and a refusal for the token keeps the challenge', async () => {
    const gone = await signUp(service);
    await addOwner(service, gone.organization.id);
    await leave(service, gone.token);
    const challenge = await challengeOf(service, gone.email);
    expect((await accept(service, { token: 'none', challenge }, account.token)).codes).toEqual(['INVALID_TOKEN']);
    const token = await invitationOf(service, organizationId, gone.email);
    const { data } = await accept(service, { token, challenge }, account.token);
    expect(data!['invitationAccept']).toMatchObject({ user: { email: gone.email } });
  });

  test('without a bearer and a challenge it is 401', async () => {
    const token = await invitationOf(service, organizationId, account.email);
    expect((await accept(service, { token })).status).toBe(401);
  });

  test('failed attempts are limited, for a token', async () => {
    await using strict = await startTestService({
      attemptLimits: { perAccount: 2, perAddress: 99, windowSeconds: 900 },
    });
    const { token } = await signUp(strict);
    const codes = [];
    for (const each of ['a', 'a', 'a', 'b']) codes.push(...(await accept(strict, { token: each }, token)).codes);
    expect(codes).toEqual(['INVALID_TOKEN', 'INVALID_TOKEN', 'RATE_LIMITED', 'INVALID_TOKEN']);
  });
});

// Mutations of memberships that meet: two requests at once never give two results, nor an error of the server.
describe('memberships: races', () => {
  let service: TestService;
  let owner: TestUser;
  let account: Account;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  beforeEach(async () => {
    owner = await newUser(service, await newOrganization(service));
    account = await signUp(service);
  });

  /** Both requests wait for the lock of the organization, or for one that waits for it. */
  async function meet(id: string, ...asks: (() => Promise<AdminResponse>)[]): Promise<string[]> {
    const lock = await holdLock(service.database.pool, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', id);
    const responses = [];
    for (const ask of asks) {
      responses.push(ask());
      await lock.waiting(responses.length);
    }
    await lock.release();
    return (await Promise.all(responses)).map(({ status, codes }) => codes[0] ?? String(status));
  }
  const ownersOf = (organizationId: string) =>
    service.database.prisma.membership.count({ where: { organizationId, role: 'owner', status: 'active' } });
  const joined = async (): Promise<Account> => {
    const token = await invitationOf(service, owner.organizationId, account.email);
    const { data } = await accept(service, { token }, account.token);
    await owner.ask(`mutation { userEdit(input: { email: "${account.email}", role: "owner" }) { role } }`);
    return data!['invitationAccept'] as Account;
  };
  const deleteAccount = (token: string) =>
    askAdmin(service.url, { query: `mutation { accountDelete(password: "${password}") }`, token });
  const remove = (email: string) => owner.ask(`mutation { userRemove(email: "${email}") }`);
  const invite = (email: string) =>
    owner.ask(`mutation { userInvite(input: { email: "${email}", role: "admin" }) { role } }`);

  test('an invitation is accepted once', async () => {
    const token = await invitationOf(service, owner.organizationId, account.email);
    const asks = [() => accept(service, { token }, account.token), () => setPassword(service, token)];
    expect(await meet(owner.organizationId, ...asks)).toEqual(['200', 'INVALID_TOKEN']);
  });

  test('one that is withdrawn or sent again at the same time is not accepted', async () => {
    for (const change of [remove, invite]) {
      const { email, token: bearer } = await signUp(service);
      const token = await invitationOf(service, owner.organizationId, email);
      const asks = [() => change(email), () => accept(service, { token }, bearer)];
      expect(await meet(owner.organizationId, ...asks)).toEqual(['200', 'INVALID_TOKEN']);
    }
  });

  test('of two last owners who leave, one stays', async () => {
    const { token } = await joined();
    const asks = [() => leave(service, owner.token), () => leave(service, token)];
    expect(await meet(owner.organizationId, ...asks)).toEqual(['200', 'CONFLICT']);
    expect(await ownersOf(owner.organizationId)).toBe(1);
  });

  test('of two last owners of whom one deletes the account and the other leaves, one stays', async () => {
    const { token } = await joined();
    await service.database.prisma.membership.deleteMany({ where: { organizationId: account.organization.id } });
    const asks = [() => leave(service, owner.token), () => deleteAccount(token)];
    expect(await meet(owner.organizationId, ...asks)).toEqual(['200', 'CONFLICT']);
    expect(await ownersOf(owner.organizationId)).toBe(1);
  });

  test('an owner who is demoted at the same time leaves, and removes nobody', async () => {
    const { token } = await joined();
    const demote = () =>
      owner.ask(`mutation { userEdit(input: { email: "${account.email}", role: "viewer" }) { role } }`);
    const removing = () => askAdmin(service.url, { query: `mutation { userRemove(email: "${owner.email}") }`, token });
    expect(await meet(owner.organizationId, demote, removing, () => leave(service, token))).toEqual([
      '200',
      'FORBIDDEN',
      '200',
    ]);
  });

  test('a challenge founds one organization', async () => {
    await service.database.prisma.membership.deleteMany({ where: { organizationId: account.organization.id } });
    const challenge = await challengeOf(service, account.email);
    const query = `mutation { organizationCreate(input: { name: "New", challenge: "${challenge}" }) { token } }`;
    const responses = await Promise.all([1, 2, 3].map(() => askAdmin(service.url, { query })));
    expect(responses.flatMap(({ codes }) => codes)).toEqual(['INVALID_TOKEN', 'INVALID_TOKEN']);
  });

  test('an address that signs up and is confirmed by another account at the same time has one account', async () => {
    const email = `${randomUUID()}@example.com`;
    const token = await newEmailToken(service, owner, email);
    const input = `{ email: "${email}", password: "${password}", organization: "O", name: "N" }`;
    const responses = await Promise.all([
      askAdmin(service.url, { query: `mutation { signup(input: ${input}) { token } }` }),
      askAdmin(service.url, { query: `mutation { emailConfirm(token: "${token}") }` }),
    ]);
    expect(responses.flatMap(({ codes }) => codes)).toEqual(['CONFLICT']);
    expect(await service.database.prisma.user.count({ where: { email } })).toBe(1);
  });
});

// mutation accountDelete: removes the account everywhere, and keeps its address in the audit log.
describe('accountDelete', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  const remove = ({ url }: TestService, { token }: Account, secret = password) =>
    askAdmin(url, {
      query: 'mutation D($password: String!) { accountDelete(password: $password) }',
      variables: { password: secret },
      token,
    });

  test('removes the account, its sessions and its memberships, and the address can sign up again', async () => {
    const account = await signUp(service);
    await addOwner(service, account.organization.id);
    expect((await remove(service, account)).data).toEqual({ accountDelete: true });
    expect((await askAdmin(service.url, { query: '{ me { role } }', token: account.token })).status).toBe(401);
    expect((await logIn(service, account.email)).codes).toEqual(['INVALID_CREDENTIALS']);
    const lines = await auditLines(service, account.organization.id);
    expect(lines.map(({ action, actor }) => [action, actor])).toEqual([
      ['signup', account.email],
      ['accountDelete', account.email],
    ]);
    expect((await signUp(service, account.email)).token).toBeTruthy();
  });

  test('the last owner of an organization cannot delete the account', async () => {
    const account = await signUp(service);
    const { errors } = await remove(service, account);
    expect(errors[0]!.extensions).toEqual({ code: 'CONFLICT', reason: 'last_owner' });
    expect((await logIn(service, account.email)).errors).toEqual([]);
  });

  test('a wrong password is INVALID_CREDENTIALS and counts as an attempt', async () => {
    await using strict = await startTestService({
      attemptLimits: { perAccount: 2, perAddress: 99, windowSeconds: 900 },
    });
    const account = await signUp(strict);
    const codes = [];
    for (let time = 0; time < 3; time += 1) codes.push(...(await remove(strict, account, 'wrong')).codes);
    expect(codes).toEqual(['INVALID_CREDENTIALS', 'INVALID_CREDENTIALS', 'RATE_LIMITED']);
  });
});
