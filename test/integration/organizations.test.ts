// Organizations: what a member reads of them, and how one is founded, changed, left and switched to.
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { insertApiKey, newApiKey } from '../../src/workspace/applicationDirectory.ts';
import {
  accept,
  type Account,
  addOwner,
  challengeOf,
  invitationOf,
  leave,
  logIn,
  setPassword,
  signUp,
} from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { holdLock } from '../support/heldLock.ts';
import { newPasswordToken } from '../support/mail.ts';
import { countStatements } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, putMembership, type TestUser } from '../support/testUsers.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// queries organization, projects and applications: their nested fields, in a constant number of statements, keys for admins only.
describe('organization', () => {
  const encryption = createEncryption(Buffer.alloc(32, 1));
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await newOrganization(service, 'Acme'), 'admin');
  });

  async function addProject(organizationId: string, name: string, deletedAt: Date | null = null) {
    const { prisma } = service.database;
    const { id: projectId } = await prisma.project.create({ data: { organizationId, name, deletedAt } });
    const application = { projectId, name: `${name} app`, bundleId: 'com.example', platform: 'Android' as const };
    const { id: applicationId } = await prisma.application.create({ data: application });
    await prisma.application.create({ data: { ...application, deletedAt: new Date() } });
    const key = newApiKey();
    await inTransaction(service.database.adminPool, (transaction) =>
      insertApiKey(transaction, encryption, { applicationId, key }),
    );
    return { id: projectId, applicationId, key };
  }

  test('shows the workspace, oldest first, without what is deleted or revoked', async () => {
    const one = await addProject(admin.organizationId, 'One');
    const two = await addProject(admin.organizationId, 'Two');
    await addProject(admin.organizationId, 'Gone', new Date());
    await service.database.prisma.apiKey.updateMany({
      where: { applicationId: two.applicationId },
      data: { revokedAt: new Date() },
    });
    await newUser(service, admin.organizationId, 'viewer');
    const { data, errors } = await admin.ask(
      `{ organization { id name logo projectsCount users { role } projects { id name image
      applications { id name bundleId image platform project { name } apiKeys { public secret lastUsed application { id } } } } } }`,
    );
    expect(errors).toEqual([]);
    const application = (name: string, id: string) => ({
      id,
      name: `${name} app`,
      bundleId: 'com.example',
      image: '',
      platform: 'Android',
      project: { name },
    });
    expect(data!['organization']).toEqual({
      id: admin.organizationId,
      name: 'Acme',
      logo: null,
      projectsCount: 2,
      users: [{ role: 'admin' }, { role: 'viewer' }],
      projects: [
        {
          id: one.id,
          name: 'One',
          image: null,
          applications: [
            {
              ...application('One', one.applicationId),
              apiKeys: [{ ...one.key, lastUsed: null, application: { id: one.applicationId } }],
            },
          ],
        },
        {
          id: two.id,
          name: 'Two',
          image: null,
          applications: [{ ...application('Two', two.applicationId), apiKeys: [] }],
        },
      ],
    });
  });

  test('the number of statements does not grow with the projects', async () => {
    const owner = await newUser(service, await newOrganization(service));
    const query =
      '{ projects { name applications { name project { name } apiKeys { public secret application { name } } } } }';
    const count = () => countStatements(() => owner.ask(query));
    await addProject(owner.organizationId, 'P');
    const one = await count();
    for (let index = 0; index < 49; index += 1) await addProject(owner.organizationId, `P${index}`);
    expect(await count()).toBe(one);
  });

  test('keys are null with FORBIDDEN for less than an admin, and the rest is there', async () => {
    const query = '{ applications { name apiKeys { public secret } } }';
    for (const role of ['viewer', 'editor'] as const) {
      const { status, data, errors } = await (await newUser(service, admin.organizationId, role)).ask(query);
      expect([status, errors.map(({ path, extensions }) => [path, extensions])]).toEqual([
        200,
        [[['applications', 0, 'apiKeys'], { code: 'FORBIDDEN' }]],
      ]);
      const applications = data!['applications'] as { apiKeys: unknown }[];
      expect(applications[0]).toEqual({ name: 'One app', apiKeys: null });
      expect(applications.length).toBeGreaterThan(1);
      expect(applications.filter(({ apiKeys }) => apiKeys !== null)).toEqual([]);
    }
  });

  test('of refused keys in several places, the first in the response is named, besides other refusals', async () => {
    const viewer = await newUser(service, admin.organizationId, 'viewer');
    const query = `{ organization { projects { applications { keys: apiKeys { public } apiKeys { secret } } } }
    applications { apiKeys { public } } }`;
    const [first] = (await viewer.ask(query)).errors;
    const all = (await viewer.ask(query)).errors.map(({ path, extensions }) => [path, extensions.code]);
    expect(all).toEqual([[['organization', 'projects', 0, 'applications', 0, 'keys'], 'FORBIDDEN']]);
    expect(first!.path).toEqual(all[0]![0]);
    const limited = (await viewer.ask(`{ campaigns(limit: 0) { id } }`)).codes;
    expect(limited).toEqual(['BAD_USER_INPUT']);
  });

  test('below login the rights are those of the user who logs in, not of the bearer', async () => {
    const editor = await newUser(service, admin.organizationId, 'editor');
    await service.database.prisma.user.update({
      where: { id: editor.id },
      data: { passwordHash: await service.deps.passwords.hash('a fine phrase', 'known') },
    });
    const query = `mutation { login(input: { email: "${editor.email}", password: "a fine phrase" })
    { organization { projects { applications { apiKeys { secret } } } } } }`;
    expect((await askAdmin(service.url, { query, token: admin.token })).codes).toContain('FORBIDDEN');
  });

  test('a secret is decrypted only when it is asked for', async () => {
    const { id, organizationId } = await newUser(service, await newOrganization(service));
    const owner = await newUser(service, organizationId);
    const { applicationId } = await addProject(organizationId, 'P');
    await service.database.prisma.apiKey.updateMany({
      where: { applicationId },
      data: { secretEncrypted: Buffer.from(id) },
    });
    expect((await owner.ask('{ applications { apiKeys { public } } }')).errors).toEqual([]);
    const broken = await owner.ask('{ applications { apiKeys { secret } } }');
    expect(broken.codes).toEqual(['INTERNAL_SERVER_ERROR']);
  });

  test('users come in the order in which they came, those of one instant in that of their ids', async () => {
    const owner = await newUser(service, await newOrganization(service));
    const { prisma } = service.database;
    const others = await Promise.all(Array.from({ length: 12 }, () => newUser(service, owner.organizationId)));
    const where = { organizationId: owner.organizationId, userId: { not: owner.id } };
    const rows = await prisma.membership.findMany({ where, orderBy: { id: 'asc' } });
    const membershipOf = ({ id }: TestUser) => rows.find(({ userId }) => userId === id)!.id;
    others.sort((a, b) => (membershipOf(a) < membershipOf(b) ? -1 : 1));
    // Rewrites the rows in the reverse order of the ids, and dates them before the owner's row.
    for (const { id } of rows.toReversed())
      await prisma.membership.update({ where: { id }, data: { createdAt: new Date(0) } });
    const { data } = await owner.ask('{ organization { users { email } } }');
    const shown = (data!['organization'] as { users: { email: string }[] }).users.map(({ email }) => email);
    expect(shown).toEqual([...others, owner].map(({ email }) => email));
  });
});

// query organizations: the caller's, without those that the caller has left or only been invited to.
describe('organizations', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  test('lists an organization from the acceptance to the end of the membership', async () => {
    const account = await signUp(service);
    const second = await newOrganization(service);
    const list = async (token: string) => {
      const { data } = await askAdmin(service.url, { query: '{ organizations { id } }', token });
      return (data!['organizations'] as { id: string }[]).map(({ id }) => id);
    };
    const token = await invitationOf(service, second, account.email);
    expect(await list(account.token)).toEqual([account.organization.id]);
    const joined = (await accept(service, { token }, account.token)).data!['invitationAccept'] as { token: string };
    expect(await list(account.token)).toEqual([account.organization.id, second]);
    await addOwner(service, account.organization.id);
    await leave(service, account.token);
    expect(await list(joined.token)).toEqual([second]);
  });
});

// mutation organizationCreate: by a bearer or a challenge, which lives five minutes and works once.
describe('organizationCreate', () => {
  let now: Date;
  let service: TestService;
  beforeAll(async () => {
    now = new Date();
    service = await startTestService({ now: () => now });
  });
  afterAll(() => service.stop());

  const create = (input: object, token: string | null = null) =>
    askAdmin(service.url, {
      query: `mutation C($input: OrganizationCreateInput!) { organizationCreate(input: $input) {
      token user { email role status } organization { name projectsCount } } }`,
      variables: { input },
      token,
    });
  async function gone(): Promise<Account> {
    const account = await signUp(service);
    await addOwner(service, account.organization.id);
    await leave(service, account.token);
    return account;
  }

  test('with a bearer it founds another organization and leaves the session of the bearer', async () => {
    const account = await signUp(service);
    const { data } = await create({ name: ' Another ' }, account.token);
    const user = { email: account.email, role: 'owner', status: 'active' };
    expect(data!['organizationCreate']).toMatchObject({ user, organization: { name: 'Another', projectsCount: 0 } });
    const { token } = data!['organizationCreate'] as { token: string };
    const query = '{ organization { name } organizations { name } }';
    const organizations = [{ name: 'Own' }, { name: 'Another' }];
    expect((await askAdmin(service.url, { query, token })).data).toEqual({
      organization: { name: 'Another' },
      organizations,
    });
    expect((await askAdmin(service.url, { query: '{ organization { name } }', token: account.token })).data).toEqual({
      organization: { name: 'Own' },
    });
  });

  test('with a challenge it founds one for an account that has none, once', async () => {
    const { email } = await gone();
    const challenge = await challengeOf(service, email);
    expect((await create({ name: ' ', challenge })).codes).toEqual(['BAD_USER_INPUT']);
    expect((await create({ name: 'New', challenge })).data).toMatchObject({ organizationCreate: { user: { email } } });
    expect((await create({ name: 'New', challenge })).codes).toEqual(['INVALID_TOKEN']);
  });

  test('of two at once with one challenge exactly one succeeds', async () => {
    const { email } = await gone();
    const challenge = await challengeOf(service, email);
    const codes = (await Promise.all([1, 2].map(() => create({ name: 'New', challenge })))).flatMap(
      (each) => each.codes,
    );
    expect(codes).toEqual(['INVALID_TOKEN']);
  });

  test('a challenge ends after five minutes and with a new password', async () => {
    const { email } = await gone();
    const [late, changed] = [await challengeOf(service, email), await challengeOf(service, email)];
    await setPassword(service, await newPasswordToken(service, email));
    expect((await create({ name: 'New', challenge: changed })).codes).toEqual(['INVALID_TOKEN']);
    const again = await challengeOf(service, email);
    now = new Date(now.getTime() + 5 * 60_000);
    for (const challenge of [late, again, 'none', '']) {
      expect((await create({ name: 'New', challenge })).codes).toEqual(['INVALID_TOKEN']);
    }
  });

  test('without a bearer and a challenge it is 401', async () => {
    for (const input of [{ name: 'New' }, { name: 'New', challenge: null }]) {
      const { status, codes } = await create(input);
      expect([status, codes]).toEqual([401, ['UNAUTHENTICATED']]);
    }
    const query = 'mutation { organizationCreate(input: { name: "New" }) { token } }';
    expect((await askAdmin(service.url, { query })).status).toBe(401);
  });

  test('attempts are limited', async () => {
    await using strict = await startTestService({
      attemptLimits: { perAccount: 2, perAddress: 99, windowSeconds: 900 },
    });
    const { token } = await signUp(strict);
    const query = 'mutation { organizationCreate(input: { name: "New" }) { token } }';
    const codes = [];
    for (let time = 0; time < 3; time += 1) codes.push((await askAdmin(strict.url, { query, token })).codes[0] ?? 'OK');
    expect(codes).toEqual(['OK', 'OK', 'RATE_LIMITED']);
  });
});

// mutation organizationEdit: for owners, on their own organization only.
describe('organizationEdit', () => {
  let service: TestService;
  let owner: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  beforeEach(async () => {
    owner = await newUser(service, await newOrganization(service, 'Acme'));
  });

  const edit = (user: TestUser, input: Record<string, unknown>) =>
    user.ask(
      `mutation E($input: OrganizationEditInput!) {
      organizationEdit(input: $input) { id name logo projectsCount users { email } }
    }`,
      { input },
    );

  test('changes what is given, clears by null, and leaves the rest and the other organizations alone', async () => {
    const other = await newUser(service, await newOrganization(service, 'Other'));
    const same = { id: owner.organizationId, projectsCount: 0, users: [{ email: owner.email }] };
    const edited = async (input: Record<string, unknown>) => (await edit(owner, input)).data!['organizationEdit'];
    expect(await edited({ name: ' New name ', logo: 'l.png' })).toEqual({ ...same, name: 'New name', logo: 'l.png' });
    expect(await edited({})).toEqual({ ...same, name: 'New name', logo: 'l.png' });
    expect(await edited({ logo: null })).toEqual({ ...same, name: 'New name', logo: null });
    expect(await edited({ name: 'Acme' })).toEqual({ ...same, name: 'Acme', logo: null });
    const shown = await other.ask('{ organization { name logo } }');
    expect(shown.data).toEqual({ organization: { name: 'Other', logo: null } });
  });

  test('names every field that is wrong, and changes nothing then', async () => {
    const paths = async (input: Record<string, unknown>) =>
      ((await edit(owner, input)).errors[0]!.extensions['fields'] as { path: string }[]).map(({ path }) => path);
    expect(await paths({ name: null, logo: 'x'.repeat(2_049) })).toEqual(['input.name', 'input.logo']);
    for (const name of [' \u0085', 'x'.repeat(257), 'a\r\nBcc: b@c.d', 'a\u0000', 'a\u2028b', 'a\ud800']) {
      expect(await paths({ name, logo: 'new' })).toEqual(['input.name']);
    }
    expect((await edit(owner, {})).data).toMatchObject({ organizationEdit: { name: 'Acme', logo: null } });
  });

  test.each(['viewer', 'editor', 'admin'] as const)('is FORBIDDEN for %ss', async (role) => {
    const user = await newUser(service, owner.organizationId, role);
    expect((await edit(user, { name: 'Mine' })).codes).toEqual(['FORBIDDEN']);
  });

  test('of two edits at once both stay', async () => {
    const lock = 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE';
    const held = await holdLock(service.database.pool, lock, owner.organizationId);
    const edits = [edit(owner, { name: 'Renamed' }), edit(owner, { logo: 'l.png' })];
    await held.waiting(2);
    await held.release();
    for (const { codes } of await Promise.all(edits)) expect(codes).toEqual([]);
    expect((await edit(owner, {})).data).toMatchObject({ organizationEdit: { name: 'Renamed', logo: 'l.png' } });
  });
});

// mutation organizationLeave: ends the membership and its sessions; whoever has left can found an organization or join one.
describe('organizationLeave', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  test('ends the sessions in this organization, and in no other', async () => {
    const account = await signUp(service);
    await addOwner(service, account.organization.id);
    const second = await newOrganization(service);
    const token = await invitationOf(service, second, account.email);
    const joined = (await accept(service, { token }, account.token)).data!['invitationAccept'] as { token: string };
    expect((await leave(service, account.token)).data).toEqual({ organizationLeave: true });
    const me = (bearer: string) => askAdmin(service.url, { query: '{ me { role } }', token: bearer });
    expect([(await me(account.token)).status, (await me(joined.token)).status]).toEqual([401, 200]);
  });

  test('a caller whose address changes while the request waits leaves', async () => {
    const { email, token, organization } = await signUp(service);
    await addOwner(service, organization.id);
    const { pool, prisma } = service.database;
    const lock = await holdLock(pool, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', organization.id);
    const left = leave(service, token);
    await lock.waiting(1);
    const { id: userId } = await prisma.user.update({ where: { email }, data: { email: `new-${email}` } });
    await lock.release();
    expect((await left).data).toEqual({ organizationLeave: true });
    expect(await prisma.membership.count({ where: { userId } })).toBe(0);
  });

  test('the last owner cannot leave', async () => {
    const account = await signUp(service);
    const { errors } = await leave(service, account.token);
    expect(errors[0]!.extensions).toEqual({ code: 'CONFLICT', reason: 'last_owner' });
    expect((await askAdmin(service.url, { query: '{ me { role } }', token: account.token })).status).toBe(200);
  });

  test('whoever left gets NO_ORGANIZATION after the right password only, and can join again', async () => {
    const account = await signUp(service);
    await addOwner(service, account.organization.id);
    await leave(service, account.token);
    expect((await logIn(service, account.email, 'wrong')).codes).toEqual(['INVALID_CREDENTIALS']);
    expect((await logIn(service, account.email)).codes).toEqual(['NO_ORGANIZATION']);
    const token = await invitationOf(service, account.organization.id, account.email);
    const challenge = await challengeOf(service, account.email);
    expect((await accept(service, { token, challenge })).errors).toEqual([]);
    expect((await logIn(service, account.email)).errors).toEqual([]);
  });
});

// mutation organizationSwitch and query organizations: a token acts in one organization, and a switch starts a session in another.
describe('organizationSwitch', () => {
  let service: TestService;
  let account: Account;
  let second: string;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  beforeEach(async () => {
    account = await signUp(service);
    second = await newOrganization(service, 'Second');
    const token = await invitationOf(service, second, account.email);
    await accept(service, { token }, account.token);
  });

  const switchTo = (id: string, token = account.token) =>
    askAdmin(service.url, {
      query:
        'mutation S($id: UUID!) { organizationSwitch(id: $id) { token refreshToken organization { id } user { role } } }',
      variables: { id },
      token,
    });
  const ask = async (query: string, token: string) => (await askAdmin(service.url, { query, token })).data;
  const organizationOfLogin = async () =>
    ((await logIn(service, account.email)).data!['login'] as Account).organization.id;

  test('gives tokens for the other organization, with the role there, and leaves the session of the bearer', async () => {
    const { data } = await switchTo(second);
    const switched = data!['organizationSwitch'] as Account;
    expect(switched).toMatchObject({ organization: { id: second }, user: { role: 'viewer' } });
    const query = '{ organization { name } me { role } }';
    expect(await ask(query, switched.token)).toEqual({ organization: { name: 'Second' }, me: { role: 'viewer' } });
    expect(await ask(query, account.token)).toEqual({ organization: { name: 'Own' }, me: { role: 'owner' } });
  });

  test('a refresh stays in its organization, and the next login begins where the user was last', async () => {
    expect(await organizationOfLogin()).toBe(second);
    const switched = (await switchTo(account.organization.id)).data!['organizationSwitch'] as Account;
    const refresh = `mutation { refreshToken(token: "${switched.refreshToken}") { organization { id } } }`;
    const { data } = await askAdmin(service.url, { query: refresh });
    expect(data).toEqual({ refreshToken: { organization: account.organization } });
    expect(await organizationOfLogin()).toBe(account.organization.id);
  });

  test('the new session lives no longer than the one of the bearer', async () => {
    const { prisma } = service.database;
    const expiresAt = new Date(Date.now() + 60_000);
    await prisma.loginSession.updateMany({ where: { user: { email: account.email } }, data: { expiresAt } });
    await switchTo(second);
    const where = { user: { email: account.email }, expiresAt: { gt: expiresAt } };
    expect(await prisma.loginSession.count({ where })).toBe(0);
  });

  test('an organization of others, and one in which the user is disabled, are NOT_FOUND alike', async () => {
    const foreign = await switchTo(await newOrganization(service));
    const { id } = await service.database.prisma.user.findUniqueOrThrow({ where: { email: account.email } });
    await putMembership(service, { id, organizationId: second }, { status: 'disabled' });
    const disabled = await switchTo(second);
    expect([foreign.codes, disabled.text]).toEqual([['NOT_FOUND'], foreign.text]);
  });

  test('organizations lists those where the user is active, and shows objects of the bearer only', async () => {
    const query = '{ organizations { id name users { email } projectsCount projects { id } } }';
    const own = {
      id: account.organization.id,
      name: 'Own',
      users: [{ email: account.email }],
      projectsCount: 0,
      projects: [],
    };
    const other = { id: second, name: 'Second', users: null, projectsCount: null, projects: null };
    expect(await ask(query, account.token)).toEqual({ organizations: [own, other] });
  });
});

// query me: the caller's user, as the database has it now.
describe('me', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  test('shows every field of the caller and of nobody else', async () => {
    const organization = await newOrganization(service);
    await newUser(service, organization, 'owner');
    const editor = await newUser(service, organization, 'editor');
    const ask = async () =>
      (await editor.ask('{ me { id email name role status avatar emailVerified lastLoginAt invitationExpiresAt } }'))
        .data;
    const unset = { avatar: null, lastLoginAt: null, invitationExpiresAt: null };
    const known = { id: editor.id, email: editor.email, emailVerified: true };
    const shown = { ...unset, ...known, name: 'The editor', role: 'editor', status: 'active' };
    expect(await ask()).toEqual({ me: shown });
    await service.database.prisma.user.update({ where: { id: editor.id }, data: { avatar: 'a.png' } });
    await putMembership(service, editor, { role: 'viewer' });
    expect(await ask()).toEqual({ me: { ...shown, role: 'viewer', avatar: 'a.png' } });
  });
});

// query id: the caller's user id; null instead of a refusal for every other caller.
describe('id', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  test('is the id of the user whose token it is', async () => {
    const organization = await newOrganization(service);
    const users = [await newUser(service, organization, 'viewer'), await newUser(service, organization, 'owner')];
    for (const user of users) expect((await user.ask('{ id }')).data).toEqual({ id: user.id });
  });

  test('is null without a valid bearer, and no error', async () => {
    for (const token of [null, 'nonsense']) {
      const { status, data, errors } = await askAdmin(service.url, { query: '{ id }', token });
      expect([status, data, errors]).toEqual([200, { id: null }, []]);
    }
  });
});
