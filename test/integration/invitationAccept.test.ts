// mutation invitationAccept: adds the membership to the account of the mailed address, and to no other.
import { accept, challengeOf, addOwner, invitationOf, leave, signUp, type Account } from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newInvitation, newOrganization, newUser } from '../support/testUsers.ts';

let service: TestService;
let account: Account;
let organizationId: string;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  account = await signUp(service);
  organizationId = await newOrganization(service, 'Company');
});

test('adds the membership, starts a session there, and confirms the address', async () => {
  const token = await invitationOf(service, organizationId, account.email);
  const { data } = await accept(service, { token }, account.token);
  const user = { email: account.email, role: 'viewer', emailVerified: true };
  expect(data!['invitationAccept']).toMatchObject({ user, organization: { id: organizationId } });
  expect((await accept(service, { token }, account.token)).codes).toEqual(['INVALID_TOKEN']);
  const mine = await askAdmin(service.url, { query: '{ me { role } organization { name } }', token: account.token });
  expect(mine.data).toEqual({ me: { role: 'owner' }, organization: { name: 'Own' } });
});

test("keeps the account's name, and shows it to the organization from then on", async () => {
  const owner = await newUser(service, organizationId);
  const { id } = await newInvitation(service, organizationId, { email: account.email });
  await service.database.prisma.membership.update({ where: { id }, data: { invitedName: 'Written' } });
  const names = async () => {
    const { data } = await owner.ask('{ organization { users { name } } }');
    return (data!['organization'] as { users: { name: string }[] }).users.map(({ name }) => name);
  };
  expect(await names()).toEqual(['The owner', 'Written']);
  const { passwordTokens } = service.deps;
  const token = passwordTokens.tokenOf('a mail');
  const hash = Uint8Array.from(passwordTokens.hashOf(token));
  const expiresAt = new Date(Date.now() + 60_000);
  await service.database.prisma.passwordToken.create({
    data: { hash, membershipId: id, purpose: 'invitation', expiresAt },
  });
  await accept(service, { token }, account.token);
  expect(await names()).toEqual(['The owner', 'Somebody']);
});

test('an invitation for another address is INVALID_TOKEN, and stays', async () => {
  const other = await signUp(service);
  const token = await invitationOf(service, organizationId, account.email);
  expect((await accept(service, { token }, other.token)).codes).toEqual(['INVALID_TOKEN']);
  expect((await accept(service, { token }, account.token)).codes).toEqual([]);
});

test('with a challenge the service ignores the bearer, and a refusal for the token keeps the challenge', async () => {
  const gone = await signUp(service);
  await addOwner(service, gone.organization.id);
  await leave(service, gone.token);
  const challenge = await challengeOf(service, gone.email);
  expect((await accept(service, { token: 'none', challenge }, account.token)).codes).toEqual(['INVALID_TOKEN']);
  const token = await invitationOf(service, organizationId, gone.email);
  const { data } = await accept(service, { token, challenge }, account.token);
  expect(data!['invitationAccept']).toMatchObject({ user: { email: gone.email } });
});

test('without a bearer and a challenge it is 401', async () => {
  const token = await invitationOf(service, organizationId, account.email);
  expect((await accept(service, { token })).status).toBe(401);
});

test('failed attempts are limited, for a token', async () => {
  await using strict = await startTestService({ attemptLimits: { perAccount: 2, perAddress: 99, windowSeconds: 900 } });
  const { token } = await signUp(strict);
  const codes = [];
  for (const each of ['a', 'a', 'a', 'b']) codes.push(...(await accept(strict, { token: each }, token)).codes);
  expect(codes).toEqual(['INVALID_TOKEN', 'INVALID_TOKEN', 'RATE_LIMITED', 'INVALID_TOKEN']);
});
