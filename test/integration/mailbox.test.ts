// What a mailbox gets that others ask for: invitations, changes of an address and confirmations together, from whatever organization.
import { randomUUID } from 'node:crypto';
import { askAdmin, type AdminAnswer } from '../support/adminClient.ts';
import { allJobsDone, startMailWorker } from '../support/mail.ts';
import { startMailServer, type MailServer } from '../support/mailServer.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

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
