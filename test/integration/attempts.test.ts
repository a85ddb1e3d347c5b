// What attempts and strangers may cost: counted by account, address and mailbox, and refused beyond the limits.
import { randomUUID } from 'node:crypto';
import { type Attempt, type Attempts, createAttempts } from '../../src/accounts/attempts.ts';
import type { AppError } from '../../src/platform/errors.ts';
import { type AdminAnswer, askAdmin, postAdmin } from '../support/adminClient.ts';
import { allJobsDone, mailsTo, newPasswordToken, startMailWorker } from '../support/mail.ts';
import { type MailServer, startMailServer } from '../support/mailServer.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

// Counted attempts: by what they are counted, who is refused and until when, and what the table stores.
describe('attempts', () => {
  let database: TestDatabase;
  let attempts: Attempts;
  let now: Date;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    now = new Date('2026-09-10T12:00:00Z');
    await database.pool.query('DELETE FROM attempts');
    const limits = { perAccount: 3, perAddress: 5, windowSeconds: 60 };
    attempts = createAttempts({ adminPool: database.adminPool, now: () => now }, limits);
  });

  let accounts = 0;
  /** Uses a new account unless one is given; returns the seconds to wait, or 0 for a counted attempt. */
  const attempt = (given: Partial<Attempt>): Promise<number> =>
    attempts({ mutation: 'login', account: `a${(accounts += 1)}@b.c`, address: '192.0.2.1', ...given }).then(
      () => 0,
      (refusal: AppError<'rate_limited'>) => refusal.details.retryAfterSeconds,
    );

  async function each(all: Partial<Attempt>[]): Promise<number[]> {
    const waits: number[] = [];
    for (const one of all) waits.push(await attempt(one));
    return waits;
  }

  const times = (count: number, one: Partial<Attempt> = {}) => Array.from({ length: count }, () => one);

  test('an address that is over its limit can no longer lock an account', async () => {
    const account = 'victim@example.com';
    expect(await each([...times(5), ...times(3, { account })])).toEqual([0, 0, 0, 0, 0, 60, 60, 60]);
    expect(await each(times(4, { account, address: '192.0.2.2' }))).toEqual([0, 0, 0, 60]);
  });

  test('the addresses that one customer can move about in count together', async () => {
    const from = (network: string) => [1, 2, 3, 4, 5, 6].map((host) => ({ address: `2001:db8:0:${network}::${host}` }));
    expect(await each(from('1'))).toEqual([0, 0, 0, 0, 0, 60]);
    expect(await each(from('2').slice(1))).toEqual([0, 0, 0, 0, 0]);
  });

  test('the networks of one site count together, ten times as many, and a neighbour from whose network the account logs in goes on', async () => {
    const at = (network: number, site = '1') => ({ address: `2001:db8:${site}:${network.toString(16)}::1` });
    const all = Array.from({ length: 60 }, (_, network) => at(network));
    const waits = await each(all);
    expect([waits.filter((wait) => wait === 0).length, waits.slice(50)]).toEqual([50, Array<number>(10).fill(60)]);
    expect(await each([at(1, '2'), { address: '192.0.2.1' }])).toEqual([0, 0]);
    const neighbour = { account: 'ann@example.com', ...at(999) };
    expect(await attempt(neighbour)).toBe(60);
    await attempts.noteLogin(neighbour);
    expect(await attempt(neighbour)).toBe(0);
    // What only looks finds the site full, too.
    const token = (address: string) => ({ mutation: 'refreshToken' as const, account: `token of ${address}`, address });
    for (const { address } of all.slice(0, 50)) await (await attempts.check(token(address))).failed();
    await expect(attempts.check(token(at(998).address))).rejects.toMatchObject({ code: 'rate_limited' });
    await attempts.check(token(at(998, '2').address));
  });

  test('a login that succeeds takes its attempt back from the site, too', async () => {
    for (let time = 0; time < 60; time += 1) {
      const address = `2001:db8:1:${time.toString(16)}::1`;
      const counted = await attempts({ mutation: 'login', account: `a${(accounts += 1)}@b.c`, address });
      await counted.succeeded();
    }
  });

  test('each mutation counts for itself, for the account as for the address', async () => {
    const account = 'ann@example.com';
    expect(await each([...times(4, { account }), ...times(2)])).toEqual([0, 0, 0, 60, 0, 60]);
    expect(await each(times(4, { account, mutation: 'resetPassword' }))).toEqual([0, 0, 0, 60]);
  });

  test('at a sign-up each network counts for itself, so that no stranger keeps an address from it', async () => {
    const signup = { account: 'ann@example.com', mutation: 'signup' } as const;
    expect(await each(times(4, signup))).toEqual([0, 0, 0, 60]);
    expect(await each(times(4, { ...signup, address: '192.0.2.2' }))).toEqual([0, 0, 0, 60]);
  });

  test('whoever waits as long as is said is let in, and nobody is told to wait for nothing', async () => {
    const account = 'ann@example.com';
    await each(times(3, { account }));
    for (const [after, left] of [
      [58_999, 2],
      [59_999, 1],
    ] as const) {
      now = new Date(Date.parse('2026-09-10T12:00:00Z') + after);
      expect(await attempt({ account, address: '192.0.2.2' })).toBe(left);
    }
    now = new Date(now.getTime() + 1_000);
    expect(await attempt({ account })).toBe(0);
  });

  test('what is stored names nobody', async () => {
    await attempt({ account: 'ann@example.com' });
    const { rows } = await database.pool.query<{ key: Buffer }>('SELECT key FROM attempts');
    expect(rows.map(({ key }) => key.length)).toEqual([32, 32]);
  });

  const other = '198.51.100.7';
  /** Counts the attempts that are let in; each succeeds. */
  const succeed = async (count: number, given: Attempt): Promise<number> => {
    for (let done = 0; done < count; done += 1) await (await attempts(given)).succeeded();
    return count;
  };

  test('what succeeds counts neither against the account nor against the network', async () => {
    const given: Attempt = { mutation: 'login', account: 'ann@example.com', address: '192.0.2.1' };
    await attempts(given);
    expect(await succeed(12, given)).toBe(12);
    // The one that failed still counts against the network, and no longer against the account.
    expect(await each([...times(3, { account: given.account }), {}, {}])).toEqual([0, 0, 0, 0, 60]);
  });

  test('of many at once no more are let in than there are attempts', async () => {
    const waits = await Promise.all(times(12).map((one) => attempt({ ...one, account: 'ann@example.com' })));
    expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
  });

  test('a network from which the account has logged in has attempts of its own at login, for 30 days', async () => {
    const owner = { account: 'ann@example.com', address: '192.0.2.1' };
    await attempts.noteLogin(owner);
    const own = { mutation: 'login' as const, ...owner };
    const strange = { ...own, address: other };
    expect(await each([...times(4, strange), ...times(4, own)])).toEqual([0, 0, 0, 60, 0, 0, 0, 60]);
    expect(await each(times(4, { ...own, account: 'bob@example.com', address: '192.0.2.3' }))).toEqual([0, 0, 0, 60]);
    now = new Date(now.getTime() + 30 * 24 * 3_600_000 + 1_000);
    expect(await each([...times(4, strange), own])).toEqual([0, 0, 0, 60, 60]);
  });

  test('the attempts at an account end when its mailbox or password is proved, also those of the own network', async () => {
    const owner = { account: 'ann@example.com', address: '192.0.2.1' };
    await each(times(4, { ...owner, address: other }));
    await attempts.noteLogin(owner);
    await each(times(3, owner));
    await attempts.clear(owner);
    expect(await each([{ ...owner, address: other }, owner])).toEqual([0, 0]);
    expect(await attempt({ ...owner, mutation: 'resetPassword' })).toBe(0);
  });

  test('attempts at the password by a stolen bearer end with it too, and those at emailChange stay: they send mails', async () => {
    const owner = { account: 'ann@example.com', address: '192.0.2.1' };
    for (const mutation of ['passwordChange', 'emailChange'] as const) {
      await each(times(3, { ...owner, mutation, address: other }));
      await attempts.clear(owner);
      expect(await attempt({ ...owner, mutation })).toBe(mutation === 'emailChange' ? 60 : 0);
    }
  });

  test('a mailbox gets two mails in a window, whoever asks for them, and only a network is refused', async () => {
    const given: Attempt = { mutation: 'resetPassword', account: 'ann@example.com', address: '192.0.2.1' };
    await attempts.noteLogin(given);
    const may = [];
    for (let time = 0; time < 5; time += 1) may.push(await attempts.mayMail(given));
    expect(may).toEqual([true, true, false, false, false]);
    expect(await attempts.mayMail({ ...given, address: other })).toBe(false);
    await expect(attempts.mayMail(given)).rejects.toMatchObject({ code: 'rate_limited' });
    await attempts.clear(given);
    expect(await attempts.mayMail({ ...given, address: other })).toBe(true);
  });

  test('a mailbox gets eight mails in an hour that others ask for, three of them from one site', async () => {
    const ask = async (account: string, ...addresses: string[]) => {
      const waits = [];
      for (const address of addresses) waits.push(await attempts.askedMail({ account, address }));
      return waits;
    };
    const inSite = (site: number) => [1, 2, 3, 4].map((network) => `2001:db8:${site}:${network}::1`);
    expect(await ask('ann@example.com', ...inSite(1), ...inSite(2))).toEqual([0, 0, 0, 3_600, 0, 0, 0, 3_600]);
    expect(await ask('ann@example.com', ...inSite(3))).toEqual([0, 0, 3_600, 3_600]);
    expect(await ask('bob@example.com', ...inSite(1))).toEqual([0, 0, 0, 3_600]);
    const owner: Attempt = { mutation: 'resetPassword', account: 'ann@example.com', address: '192.0.2.1' };
    expect(await attempts.mayMail(owner)).toBe(true);
    now = new Date(now.getTime() + 3_600_000);
    expect(await ask('ann@example.com', inSite(1)[0]!)).toEqual([0]);
  });

  test('an organization sends a hundred invitations in an hour', async () => {
    for (let time = 0; time < 100; time += 1) await attempts.invitation('one');
    now = new Date(now.getTime() + 3_599_000);
    await expect(attempts.invitation('one')).rejects.toMatchObject({ details: { retryAfterSeconds: 1 } });
    await attempts.invitation('another');
    now = new Date(now.getTime() + 1_000);
    await attempts.invitation('one');
  });

  test('a token is looked at first, and counts when it has failed', async () => {
    const given: Attempt = { mutation: 'refreshToken', account: 'a token', address: '192.0.2.1' };
    await Promise.all(times(20).map(() => attempts.check(given)));
    for (let time = 0; time < 3; time += 1) await (await attempts.check(given)).failed();
    await expect(attempts.check(given)).rejects.toMatchObject({ details: { retryAfterSeconds: 60 } });
    for (const account of ['b', 'c']) await (await attempts.check({ ...given, account })).failed();
    await expect(attempts.check({ ...given, account: 'd' })).rejects.toMatchObject({ code: 'rate_limited' });
  });
});

// Attempts as owners meet them (schema.graphql, "Attempts"): success counts against nobody, and no stranger locks an owner out.
describe('attempts: owners', () => {
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
    for (let time = 0; time <= attemptLimits.perAccount; time += 1)
      expect((await reset(owner.email)).codes).toEqual([]);
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
});

// What a mailbox gets that others ask for: invitations, changes of an address and confirmations together, from whatever organization.
describe('mailbox', () => {
  const password = 'a phrase for the mailbox';

  let service: TestService;
  let server: MailServer;
  let stopWorker: () => Promise<void>;
  let passwordHash: string;
  beforeAll(async () => {
    const attemptLimits = { perAccount: 1_000, perAddress: 1_000, windowSeconds: 900 };
    [service, server] = await Promise.all([startTestService({ attemptLimits, trustedProxies: 1 }), startMailServer()]);
    stopWorker = await startMailWorker(service, { smtpUrl: server.url });
    passwordHash = await service.deps.passwords.hash(password, 'known');
  });
  afterAll(async () => {
    await stopWorker();
    await server.stop();
    await service.stop();
  });

  const anAddress = () => `box-${randomUUID()}@example.com`;
  const mailsOf = async (address: string): Promise<number> => {
    await allJobsDone(service);
    return server.mails.filter(({ to }) => to.includes(address)).length;
  };

  interface Sent {
    token?: string;
    query: string;
    variables: Record<string, unknown>;
  }

  /** From the network of a customer: each network in it may ask. */
  const from = (site: number, network: number, { token, query, variables }: Sent): Promise<AdminAnswer> =>
    askAdmin(service.url, {
      ...{ query, variables, token: token ?? null },
      headers: { 'X-Forwarded-For': `2001:db8:${site}:${network.toString(16)}::1` },
    });

  async function owner(): Promise<TestUser> {
    const user = await newUser(service, await newOrganization(service, 'Cheap watches, call now'));
    await service.database.prisma.user.update({ where: { id: user.id }, data: { passwordHash } });
    return user;
  }

  const invite = ({ token }: { token: string }, email: string): Sent => ({
    ...{ token, query: 'mutation I($input: UserInviteInput!) { userInvite(input: $input) { email } }' },
    variables: { input: { email, role: 'viewer' } },
  });
  const change = ({ token }: { token: string }, newEmail: string): Sent => ({
    ...{ token, query: 'mutation C($input: EmailChangeInput!) { emailChange(input: $input) }' },
    variables: { input: { newEmail, password } },
  });
  const signup = (email: string): Sent => ({
    query: 'mutation S($input: RegistrationUserInput!) { signup(input: $input) { token } }',
    variables: { input: { email, password, organization: 'One', name: 'One' } },
  });
  const reset = (email: string): Sent => ({
    query: 'mutation R($input: ResetPasswordInput!) { resetPassword(input: $input) }',
    variables: { input: { email } },
  });

  test('beside forty strangers of one site who invite it and change to it, a mailbox gets the invitation of an honest one', async () => {
    const mailbox = anAddress();
    const strangers = await Promise.all(Array.from({ length: 20 }, owner));
    const answers = [];
    for (const [network, stranger] of strangers.entries()) {
      answers.push(await from(1, network, invite(stranger, mailbox)));
      answers.push(await from(1, network, change(stranger, mailbox)));
    }
    expect(answers.filter(({ codes }) => codes.length === 0)).toHaveLength(3);
    const { code, retryAfterSeconds } = answers.at(-1)!.errors[0]!.extensions;
    expect(code).toBe('RATE_LIMITED');
    expect(retryAfterSeconds).toBeGreaterThan(0);
    expect(await mailsOf(mailbox)).toBe(3);
    expect((await from(2, 1, invite(await owner(), mailbox))).errors).toEqual([]);
    expect(await mailsOf(mailbox)).toBe(4);
    // The strangers may still invite somebody else.
    expect((await from(1, 1, invite(strangers[0]!, anAddress()))).errors).toEqual([]);
  });

  test('from many sites it gets eight in an hour, whether it has an account or not, and its owner can reset the password', async () => {
    const known = await owner();
    const results = [];
    for (const mailbox of [anAddress(), known.email]) {
      const codes = [];
      for (let site = 10; site < 20; site += 1) codes.push((await from(site, 1, invite(await owner(), mailbox))).codes);
      results.push(codes);
      expect(await mailsOf(mailbox)).toBe(8);
    }
    expect(results[0]).toEqual([...Array<string[]>(8).fill([]), ['RATE_LIMITED'], ['RATE_LIMITED']]);
    expect(results[1]).toEqual(results[0]);
    expect((await from(30, 1, reset(known.email))).data).toEqual({ resetPassword: true });
    expect(await mailsOf(known.email)).toBe(9);
  });

  test('a sign-up works beyond the bound, without its mail', async () => {
    const mailbox = anAddress();
    const stranger = await owner();
    for (let time = 0; time < 3; time += 1) await from(40, 1, invite(stranger, mailbox));
    expect((await from(40, 2, signup(mailbox))).errors).toEqual([]);
    // Of the invitations that wait the latest goes out alone.
    expect(await mailsOf(mailbox)).toBeLessThanOrEqual(3);
    expect(await service.database.prisma.emailToken.count({ where: { email: mailbox } })).toBe(0);
  });

  test('an account whose address nobody has confirmed invites nobody, and uses up nothing of the mailbox', async () => {
    const mailbox = anAddress();
    const email = anAddress();
    const { token } = (await from(50, 1, signup(email))).data!['signup'] as { token: string };
    for (let network = 1; network < 5; network += 1) {
      const { errors } = await from(50, network, invite({ token }, mailbox));
      expect(errors[0]!.extensions).toEqual({ code: 'CONFLICT', reason: 'email_unconfirmed' });
    }
    expect(await mailsOf(mailbox)).toBe(0);
    await service.database.prisma.user.update({ where: { email }, data: { emailVerifiedAt: new Date() } });
    expect((await from(50, 1, invite({ token }, mailbox))).errors).toEqual([]);
    expect(await mailsOf(mailbox)).toBe(1);
  });

  test('an unconfirmed account sends its mailbox no more notices than that, and a confirmed one all of them', async () => {
    const counts = [];
    for (const emailVerifiedAt of [null, new Date()]) {
      const user = await owner();
      await service.database.prisma.user.update({ where: { id: user.id }, data: { emailVerifiedAt } });
      for (let time = 0; time < 5; time += 1) {
        expect((await from(60, time, change(user, anAddress()))).errors).toEqual([]);
        // Of several that wait for one address the latest goes out alone.
        await allJobsDone(service);
      }
      counts.push(await mailsOf(user.email));
    }
    expect(counts).toEqual([3, 5]);
  });
});

// What somebody without a login can send to the admin API, and what it may cost the process.
describe('strangers', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const login = 'mutation L($i: LoginInput!) { login(input: $i) { token } }';
  const nested = (open: string, close: string, levels: number) => `${open.repeat(levels)}${close.repeat(levels)}`;

  /**
   * The least processor time of several requests, each with a comment that changes: the time on a clock depends on the other
   * tests. The first ones compile the code.
   */
  async function millisOf(query: string, variables?: Record<string, unknown>): Promise<number> {
    const took: number[] = [];
    for (let at = 0; at < 20; at++) {
      const before = process.cpuUsage();
      await (await postAdmin(service.url, { query: `${query} # ${at}`, ...(variables && { variables }) })).text();
      const { user, system } = process.cpuUsage(before);
      took.push((user + system) / 1_000);
    }
    return Math.min(...took);
  }

  test.each([
    ['one protected field 435 times', `{ ${'me { email } '.repeat(435)} }`],
    ['one public field 435 times', `{ ${'countries { code } '.repeat(435)} }`],
    ['unknown fields behind many lines', `{ id ${'\n'.repeat(80_000)} ${'nothing '.repeat(150)} }`],
  ])('%s cost at most ten times the smallest document', async (_name, query) => {
    expect(await millisOf(query)).toBeLessThan(10 * (await millisOf('{ id }')));
  });

  test('variables with 8,000 unknown fields cost at most ten times the smallest document, and no message repeats them', async () => {
    const i = Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`k${at}`, 1]));
    expect(await millisOf(login, { i })).toBeLessThan(10 * (await millisOf('{ id }')));
    const { text, codes } = await askAdmin(service.url, { query: login, variables: { i } });
    expect(new Set(codes)).toEqual(new Set(['BAD_USER_INPUT']));
    expect(text.length).toBeLessThan(10_000);
  });

  test('a network address has so many requests a minute without a valid bearer, and those with one go on', async () => {
    let now = new Date();
    const strangerLimits = { requests: 5, windowSeconds: 60 };
    await using strict = await startTestService({ strangerLimits, now: () => now });
    const user = await newUser(strict, await newOrganization(strict));
    const ask = (token?: string) => askAdmin(strict.url, { query: '{ countries { code } }', token: token ?? null });
    now = new Date(now.getTime() + 61_000);
    const statuses = [];
    for (let at = 0; at < 5; at++) statuses.push((await ask(at % 2 ? 'no-such-token' : undefined)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    now = new Date(now.getTime() + 15_000);
    const refused = await ask(`svc_${'x'.repeat(43)}`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '45']);
    expect(refused.errors[0]!.extensions).toEqual({ code: 'RATE_LIMITED', retryAfterSeconds: 45 });
    expect((await ask(user.token)).status).toBe(200);
    now = new Date(now.getTime() + 45_000);
    expect((await ask()).status).toBe(200);
  });

  test('the networks of one site have ten times as many together, and another site goes on', async () => {
    const strangerLimits = { requests: 5, windowSeconds: 60 };
    await using strict = await startTestService({ strangerLimits, now: () => new Date(0), trustedProxies: 1 });
    const from = async (site: number, network: number): Promise<number> => {
      const headers = { 'X-Forwarded-For': `2001:db8:${site}:${network.toString(16)}::1` };
      return (await askAdmin(strict.url, { query: '{ countries { code } }', headers })).status;
    };
    const statuses = [];
    for (let network = 0; network < 60; network += 1) statuses.push(await from(1, network));
    expect(statuses).toEqual([...Array<number>(50).fill(200), ...Array<number>(10).fill(429)]);
    expect(await from(2, 1)).toBe(200);
  });

  test('no depth of nesting ends the process, is a failure, or shows a text of the runtime', async () => {
    for (const levels of [100, 300, 500, 700, 800, 900, 990]) {
      for (const query of [
        `{ id(a: ${nested('[', ']', levels)}) }`,
        `{ id(a: ${nested('[', '', 2 * levels)}) }`,
        `{ id(a: ${nested('{a:', '}', levels / 2)}) }`,
        `mutation { productEdit(input: ${nested('[', ']', levels)}) { id } }`,
        `query Q($v: ${nested('[', ']', levels).replace('[]', '[Int]')}) { id(a: $v) }`,
        nested('{ ... ', '}', (levels * 2) / 3),
        nested('{ id ', '}', (levels * 2) / 3),
      ]) {
        const { status, text } = await askAdmin(service.url, { query });
        expect([query.slice(0, 20), levels, status]).toEqual([query.slice(0, 20), levels, expect.any(Number)]);
        expect([400, 401, 200]).toContain(status);
        expect(text).not.toMatch(/call stack|RangeError|at [\w.]+ \(/i);
      }
      // As text: JSON.stringify itself has no stack for it.
      const body = `{"query":${JSON.stringify(login)},"variables":{"i":${nested('[', ']', levels * 48)}}}`;
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${service.url}/admin/graphql/`, { method: 'POST', headers, body });
      expect([response.status, /call stack/i.test(await response.text())]).toEqual([400, false]);
    }
  });
});
