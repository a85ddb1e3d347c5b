// Sign-up, and the address of an account: who may sign up, how an address is proved and how it is changed.
import { randomUUID } from 'node:crypto';
import { createOwner } from '../../src/accounts/passwordLinks.ts';
import { ensureDemoWorkspace } from '../../src/development/demoWorkspace.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { accept, type Account, invitationOf, leave, signUp } from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { auditLines } from '../support/auditLines.ts';
import { captureLog } from '../support/capturedLog.ts';
import { holdLock } from '../support/heldLock.ts';
import { allJobsDone, mailsTo, newEmailToken, newPasswordToken, startMailWorker } from '../support/mail.ts';
import { type MailServer, startMailServer } from '../support/mailServer.ts';
import { statementsOf } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newInvitation, newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// mutation signup: a new organization with its owner, the rules for its input, and one account per address.
describe('signup', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  const signup = (input: Record<string, string>, url = service.url) =>
    askAdmin(url, {
      query: `mutation S($input: RegistrationUserInput!) {
      signup(input: $input) { token user { email name role status } organization { name users { email } } }
    }`,
      variables: {
        input: { email: 'ann@example.com', password: 'a fine phrase', organization: 'Acme', name: 'Ann', ...input },
      },
    });
  const pathsOf = async (input: Record<string, string>) => {
    const { errors } = await signup(input);
    return (errors[0]!.extensions['fields'] as { path: string }[]).map(({ path }) => path);
  };

  test('makes the owner of a new organization, logged in', async () => {
    const { data } = await signup({ email: ' Ann@Example.COM\t', organization: '\u2003Acme ', name: ' Ann ' });
    expect(data!['signup']).toEqual({
      token: expect.any(String) as string,
      user: { email: 'ann@example.com', name: 'Ann', role: 'owner', status: 'active' },
      organization: { name: 'Acme', users: [{ email: 'ann@example.com' }] },
    });
    const { token } = data!['signup'] as { token: string };
    expect((await askAdmin(service.url, { query: '{ organization { name } }', token })).status).toBe(200);
    const query = 'mutation { login(input: { email: "ANN@example.com", password: "a fine phrase" }) { token } }';
    expect((await askAdmin(service.url, { query })).errors).toEqual([]);
  });

  test('an address in use is CONFLICT, also for two at once, and leaves nothing behind', async () => {
    const before = await service.database.prisma.organization.count();
    const responses = await Promise.all([signup({ email: 'b@example.com' }), signup({ email: 'B@example.com' })]);
    expect(responses.flatMap(({ codes }) => codes)).toEqual(['CONFLICT']);
    expect((await signup({ email: 'b@EXAMPLE.com' })).errors[0]!.extensions).toEqual({
      code: 'CONFLICT',
      reason: 'email_in_use',
    });
    expect(await service.database.prisma.organization.count()).toBe(before + 1);
  });

  test('all fields that are wrong are named at once', async () => {
    expect(await pathsOf({ email: 'nobody', password: 'short', organization: ' \u0085', name: '' })).toEqual([
      'input.email',
      'input.password',
      'input.organization',
      'input.name',
    ]);
  });

  test.each(['a@b@c', 'a b@c', '@c', 'a@', 'a\u0000@c', `${'a'.repeat(250)}@b.cd`, 'a@b\nc', '<a@b>'])(
    'is no e-mail address: %j',
    async (email) => expect(await pathsOf({ email })).toEqual(['input.email']),
  );

  test.each([
    '1234567',
    '😀😀😀😀😀😀😀',
    'p'.repeat(257),
    'Password123',
    'password',
    'QWERTYUIOP',
    'summer2024!',
    'abc\u0000defgh',
    'abcdefgh\ud800',
  ])('is no password: %j', async (password) => expect(await pathsOf({ password })).toEqual(['input.password']));

  test('a password may be 256 characters, counted as code points, and has white space where it has it', async () => {
    const password = ` ${'😀'.repeat(254)} `;
    expect((await signup({ email: 'c@example.com', password })).errors).toEqual([]);
    const query =
      'mutation L($password: String!) { login(input: { email: "c@example.com", password: $password }) { token } }';
    const trimmed = await askAdmin(service.url, { query, variables: { password: password.trim() } });
    expect(trimmed.codes).toEqual(['INVALID_CREDENTIALS']);
  });

  test('names are at most 256 characters', async () => {
    expect(await pathsOf({ name: 'x'.repeat(257), organization: 'x'.repeat(257) })).toEqual([
      'input.organization',
      'input.name',
    ]);
  });

  test('attempts are limited for an e-mail address, however it is spelt, and for the network address', async () => {
    await using strict = await startTestService({
      attemptLimits: { perAccount: 2, perAddress: 5, windowSeconds: 900 },
    });
    const codes: string[][] = [];
    for (const email of ['a@b.example', 'A@b.example', ' a@B.example', 'c@b.example', 'd@b.example', 'e@b.example'])
      codes.push((await signup({ email }, strict.url)).codes);
    expect(codes).toEqual([[], ['CONFLICT'], ['RATE_LIMITED'], [], [], ['RATE_LIMITED']]);
    expect(await strict.database.prisma.organization.count({ where: { name: 'Acme' } })).toBe(3);
  });
});

// mutation signup under SIGNUP: open lets everybody in, first the first user alone, closed nobody.
describe('signup: policy', () => {
  const signup = ({ url }: TestService, email: string, password = 'a fine phrase') =>
    askAdmin(url, {
      query: 'mutation S($input: RegistrationUserInput!) { signup(input: $input) { token } }',
      variables: { input: { email, password, organization: 'Acme', name: 'Ann' } },
    });
  const countUsers = ({ database }: TestService) => database.prisma.user.count();

  test('first: the first user gets in, and nobody after', async () => {
    await using service = await startTestService({ signup: 'first' });
    expect((await signup(service, 'ann@example.com')).errors).toEqual([]);
    for (const email of ['bob@example.com', 'ann@example.com', 'nobody']) {
      expect((await signup(service, email, 'short')).codes).toEqual(['FORBIDDEN']);
    }
    expect([
      await countUsers(service),
      await service.database.prisma.organization.count({ where: { name: 'Acme' } }),
    ]).toEqual([1, 1]);
  });

  test('first: the login of the demo, which a start outside production made, is not the first user', async () => {
    await using service = await startTestService({ signup: 'first' });
    await ensureDemoWorkspace(service.deps.adminPool, createEncryption(Buffer.alloc(32, 1)));
    expect((await signup(service, 'ann@example.com')).errors).toEqual([]);
    expect((await signup(service, 'bob@example.com')).codes).toEqual(['FORBIDDEN']);
  });

  test('first: whoever took the demo’s account over, with another address, is a user', async () => {
    await using service = await startTestService({ signup: 'first' });
    await ensureDemoWorkspace(service.deps.adminPool, createEncryption(Buffer.alloc(32, 1)));
    await service.database.prisma.user.updateMany({ data: { email: 'olga@example.com' } });
    expect((await signup(service, 'ann@example.com')).codes).toEqual(['FORBIDDEN']);
  });

  test('first: a refused input does not use the place up', async () => {
    await using service = await startTestService({ signup: 'first' });
    expect((await signup(service, 'ann@example.com', 'short')).codes).toEqual(['BAD_USER_INPUT']);
    expect((await signup(service, 'ann@example.com')).errors).toEqual([]);
  });

  test('first: of several sign-ups at once one gets in', async () => {
    await using service = await startTestService({ signup: 'first' });
    const lock = await holdLock(service.database.pool, `SELECT pg_advisory_xact_lock(hashtext('first_user'))`);
    const responses = ['a', 'b', 'c'].map((name) => signup(service, `${name}@example.com`));
    await lock.waiting(3);
    await lock.release();
    expect((await Promise.all(responses)).flatMap(({ codes }) => codes)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    expect(await countUsers(service)).toBe(1);
  });

  test('first: an owner of the command line is the first user too, also at once', async () => {
    await using service = await startTestService({ signup: 'first' });
    const lock = await holdLock(service.database.pool, `SELECT pg_advisory_xact_lock(hashtext('first_user'))`);
    const needs = { adminPool: service.database.adminPool, dashboardUrl: 'https://d.example', now: () => new Date() };
    const creating = createOwner({ email: 'olga@example.com', name: null, organization: 'Acme' }, needs);
    await lock.waiting(1);
    const signingUp = signup(service, 'ann@example.com');
    await lock.waiting(2);
    await lock.release();
    await creating;
    expect((await signingUp).codes).toEqual(['FORBIDDEN']);
  });

  test('closed: nobody signs up, not even the first user; an invitation still works', async () => {
    await using service = await startTestService({ signup: 'closed' });
    const { codes, errors } = await signup(service, 'ann@example.com');
    expect(codes).toEqual(['FORBIDDEN']);
    expect(errors[0]!.message).toMatch(
      /^Sign-up is closed on this service\. .* invitation.* administrator .* user:create\.$/,
    );
    expect(await countUsers(service)).toBe(0);
    const owner = await newUser(service, await newOrganization(service));
    const invite = 'mutation { userInvite(input: { email: "bob@example.com", role: "viewer" }) { email } }';
    expect((await owner.ask(invite)).errors).toEqual([]);
    const token = await newPasswordToken(service, 'bob@example.com', 'invitation');
    const input = `{ token: "${token}", newPassword: "a fine phrase", newPasswordRepeat: "a fine phrase" }`;
    expect((await askAdmin(service.url, { query: `mutation { updatePassword(input: ${input}) }` })).errors).toEqual([]);
  });

  test('a refusal counts as an attempt like every other', async () => {
    const attemptLimits = { perAccount: 1, perAddress: 100, windowSeconds: 900 };
    await using service = await startTestService({ signup: 'closed', attemptLimits });
    const codes = [];
    for (let time = 0; time < 2; time += 1) codes.push(...(await signup(service, 'ann@example.com')).codes);
    expect(codes).toEqual(['FORBIDDEN', 'RATE_LIMITED']);
  });
});

// mutation emailConfirm: a mailed token proves the account's address or changes it, once, and every session lives on.
describe('emailConfirm', () => {
  const day = 24 * 3_600_000;
  const password = 'the current phrase';

  let service: TestService;
  let passwordHash: string;
  let user: TestUser;
  let now: Date;
  beforeAll(async () => {
    now = new Date();
    service = await startTestService({ now: () => now });
    passwordHash = await service.deps.passwords.hash(password, 'known');
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    now = new Date();
    user = await newUser(service, await newOrganization(service));
    await service.database.prisma.user.update({
      where: { id: user.id },
      data: { passwordHash, emailVerifiedAt: null },
    });
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
    const responses = await Promise.all([
      confirm(await newEmailToken(service, user, newEmail)),
      confirm(await newEmailToken(service, other, newEmail)),
    ]);
    expect(responses.flatMap(({ codes }) => codes)).toEqual(['CONFLICT']);
  });

  test('of two at once with one token exactly one succeeds', async () => {
    const token = await newEmailToken(service, user, someone());
    const lock = await holdLock(service.database.pool, 'SELECT 1 FROM users WHERE id = $1 FOR UPDATE', user.id);
    const responses = [confirm(token), confirm(token)];
    await lock.waiting(2);
    await lock.release();
    expect((await Promise.all(responses)).flatMap(({ codes }) => codes)).toEqual(['INVALID_TOKEN']);
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

  test('unknown tokens and tokens of other kinds get the same response', async () => {
    const reset = await newPasswordToken(service, user.email);
    const responses = [];
    for (const token of ['', 'x'.repeat(43), user.token, reset, '\u0000\ud800']) responses.push(await confirm(token));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses[0]!.codes).toEqual(['INVALID_TOKEN']);
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
    await using strict = await startTestService({
      attemptLimits: { perAccount: 2, perAddress: 5, windowSeconds: 900 },
    });
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
      expect((await askAdmin(service.url, { query: '{ me { email } }', token: bearer })).data).toEqual({
        me: { email },
      });
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
});

// mutation emailConfirm of a user with memberships: who learns the new address, and what becomes of its invitations.
describe('emailConfirm: memberships', () => {
  let service: TestService;
  let account: Account;
  let owner: TestUser;
  let newEmail: string;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  beforeEach(async () => {
    account = await signUp(service);
    newEmail = `new-${randomUUID()}@example.com`;
    owner = await newUser(service, await newOrganization(service));
    const token = await invitationOf(service, owner.organizationId, account.email);
    account.token = ((await accept(service, { token }, account.token)).data!['invitationAccept'] as Account).token;
  });

  const confirm = async () => {
    const { id } = await service.database.prisma.user.findUniqueOrThrow({ where: { email: account.email } });
    const token = await newEmailToken(service, { id }, newEmail);
    return askAdmin(service.url, { query: `mutation { emailConfirm(token: "${token}") }` });
  };
  const members = async () =>
    (await owner.ask('{ organization { users { email role } } }')).data!['organization'] as {
      users: { email: string; role: string }[];
    };
  const invite = (email: string) =>
    owner.ask(`mutation { userInvite(input: { email: "${email}", role: "admin" }) { status } }`);

  test('each organization of the account has a line', async () => {
    await confirm();
    for (const id of [account.organization.id, owner.organizationId]) {
      const [line] = (await auditLines(service, id)).slice(-1);
      expect(line).toMatchObject({ actor: account.email, action: 'emailConfirm', objectId: account.email });
    }
  });

  test('an organization that the user has left does not learn the new address', async () => {
    expect((await leave(service, account.token)).errors).toEqual([]);
    expect((await confirm()).errors).toEqual([]);
    expect(JSON.stringify(await auditLines(service, owner.organizationId))).not.toContain(newEmail);
  });

  test('an invitation of the new address ends where the account is a member, so that its removal is one', async () => {
    expect((await invite(newEmail)).errors).toEqual([]);
    const where = { invitedEmail: newEmail };
    await newInvitation(service, await newOrganization(service), { email: newEmail });
    expect((await confirm()).errors).toEqual([]);
    expect(await members()).toEqual({
      users: [
        { email: owner.email, role: 'owner' },
        { email: newEmail, role: 'viewer' },
      ],
    });
    expect(await service.database.prisma.membership.count({ where })).toBe(1);
    await owner.ask(`mutation { userRemove(email: "${newEmail}") }`);
    expect(await members()).toEqual({ users: [{ email: owner.email, role: 'owner' }] });
  });

  test('an invitation of the new address that is made at the same time waits, and finds the member', async () => {
    const { pool } = service.database;
    const lock = await holdLock(pool, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', owner.organizationId);
    const confirmed = confirm();
    await lock.waiting(1);
    const invited = invite(newEmail);
    await lock.waiting(2);
    await lock.release();
    expect([(await confirmed).codes, (await invited).codes]).toEqual([[], ['CONFLICT']]);
  });
});

// mutation emailChange: a token for the new address, a notice to the present one, and no word about who has which address.
describe('emailChange', () => {
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
    askAdmin(service.url, {
      query: 'mutation C($token: String!) { emailConfirm(token: $token) }',
      variables: { token },
    });
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
});
