// Mutations of memberships that meet: two requests at once never give two results, nor an error of the server.
import { randomUUID } from 'node:crypto';
import {
  accept,
  challengeOf,
  invitationOf,
  leave,
  password,
  setPassword,
  signUp,
  type Account,
} from '../support/accounts.ts';
import { askAdmin, type AdminAnswer } from '../support/adminClient.ts';
import { holdLock } from '../support/heldLock.ts';
import { newEmailToken } from '../support/mail.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let owner: TestUser;
let account: Account;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  owner = await newUser(service, await newOrganization(service));
  account = await signUp(service);
});

/** Both requests wait for the lock of the organization, or for one that waits for it. */
async function meet(id: string, ...asks: (() => Promise<AdminAnswer>)[]): Promise<string[]> {
  const lock = await holdLock(service.database.pool, 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', id);
  const answers = [];
  for (const ask of asks) {
    answers.push(ask());
    await lock.waiting(answers.length);
  }
  await lock.release();
  return (await Promise.all(answers)).map(({ status, codes }) => codes[0] ?? String(status));
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
  const answers = await Promise.all([1, 2, 3].map(() => askAdmin(service.url, { query })));
  expect(answers.flatMap(({ codes }) => codes)).toEqual(['INVALID_TOKEN', 'INVALID_TOKEN']);
});

test('an address that signs up and is confirmed by another account at the same time has one account', async () => {
  const email = `${randomUUID()}@example.com`;
  const token = await newEmailToken(service, owner, email);
  const input = `{ email: "${email}", password: "${password}", organization: "O", name: "N" }`;
  const answers = await Promise.all([
    askAdmin(service.url, { query: `mutation { signup(input: ${input}) { token } }` }),
    askAdmin(service.url, { query: `mutation { emailConfirm(token: "${token}") }` }),
  ]);
  expect(answers.flatMap(({ codes }) => codes)).toEqual(['CONFLICT']);
  expect(await service.database.prisma.user.count({ where: { email } })).toBe(1);
});
