// mutation userRemove: ends a membership with its sessions, or withdraws an invitation, and the account stays.
import { newPasswordToken } from '../support/mail.ts';
import { setPassword } from '../support/accounts.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newInvitation, newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

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
