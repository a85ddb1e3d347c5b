// mutation userEdit: who may change which field of whom, the changes of a status, and the last owner.
import { askAdmin } from '../support/adminClient.ts';
import { holdLock } from '../support/heldLock.ts';
import { newPasswordToken } from '../support/mail.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newInvitation, newOrganization, newUser, putMembership, type TestUser } from '../support/testUsers.ts';

type Input = Record<string, unknown>;

let service: TestService;
let owner: TestUser;
let admin: TestUser;
let viewer: TestUser;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  const organizationId = await newOrganization(service);
  owner = await newUser(service, organizationId, 'owner');
  admin = await newUser(service, organizationId, 'admin');
  viewer = await newUser(service, organizationId, 'viewer');
});

const edit = (by: TestUser, input: Input) =>
  by.ask('mutation E($input: UserEditInput!) { userEdit(input: $input) { email name role status avatar } }', { input });
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
  const answer = edit(owner, { name: 'Ann' });
  await lock.waiting(1);
  await lock.release();
  expect((await answer).data).toMatchObject({ userEdit: { email: `new-${owner.email}`, name: 'Ann' } });
});

test('an address may be written with another spelling of its domain', async () => {
  const email = `${viewer.id}@bücher.example`;
  await service.database.prisma.user.update({ where: { id: viewer.id }, data: { email } });
  expect(await edited(viewer, { email: `${viewer.id}@BÜCHER\u3002example`, name: 'Me' })).toMatchObject({ name: 'Me' });
  expect(await edited(admin, { email: `${viewer.id}@xn--bcher-kva.example`, role: 'editor' })).toMatchObject({ email });
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
  const answers = [];
  for (const email of [other.email, 'nobody@example.com', '', 'a\u0000b@example.com', '\ud800']) {
    answers.push(await edit(owner, { email, role: 'viewer' }));
  }
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect(answers[0]!.codes).toEqual(['NOT_FOUND']);
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
    expect((await askAdmin(service.url, { query: '{ me { role } }', token })).data).toEqual({ me: { role: 'owner' } });
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
    const answers = [codeOf(owner, first), codeOf(other, second)];
    await lock.waiting(2);
    await lock.release();
    const codes = await Promise.all(answers);
    expect(codes.filter((code) => code === 'OK')).toHaveLength(1);
    expect(codes).toContain(codes.includes('CONFLICT') ? 'CONFLICT' : 'FORBIDDEN');
    const where = { organizationId: owner.organizationId, role: 'owner', status: 'active' } as const;
    expect(await service.database.prisma.membership.count({ where })).toBe(1);
  });
});
