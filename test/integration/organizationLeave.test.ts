// mutation organizationLeave: ends the membership and its sessions; whoever has left can found an organization or join one.
import { accept, addOwner, challengeOf, invitationOf, leave, logIn, signUp } from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { holdLock } from '../support/heldLock.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

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
