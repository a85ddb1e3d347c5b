// query organizations: the caller's, without those that the caller has left or only been invited to.
import { accept, addOwner, invitationOf, leave, signUp } from '../support/accounts.ts';
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

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
