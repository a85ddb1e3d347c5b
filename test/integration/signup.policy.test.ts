// mutation signup under SIGNUP: open lets everybody in, first the first user alone, closed nobody.
import { createOwner } from '../../src/accounts/passwordLinks.ts';
import { ensureDemoWorkspace } from '../../src/development/demoWorkspace.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { askAdmin } from '../support/adminClient.ts';
import { holdLock } from '../support/heldLock.ts';
import { newPasswordToken } from '../support/mail.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

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
  const answers = ['a', 'b', 'c'].map((name) => signup(service, `${name}@example.com`));
  await lock.waiting(3);
  await lock.release();
  expect((await Promise.all(answers)).flatMap(({ codes }) => codes)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
  expect(await countUsers(service)).toBe(1);
});

test('first: an owner of the command line is the first user too, also at once', async () => {
  await using service = await startTestService({ signup: 'first' });
  const lock = await holdLock(service.database.pool, `SELECT pg_advisory_xact_lock(hashtext('first_user'))`);
  const needs = { pool: service.database.pool, dashboardUrl: 'https://d.example', now: () => new Date() };
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
