// mutation emailConfirm of a user with memberships: who learns the new address, and what becomes of its invitations.
import { randomUUID } from 'node:crypto';
import { accept, invitationOf, leave, signUp, type Account } from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { auditLines } from '../support/auditLines.ts';
import { holdLock } from '../support/heldLock.ts';
import { newEmailToken } from '../support/mail.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newInvitation, newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let account: Account;
let owner: TestUser;
let newEmail: string;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
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
