// query id: the caller's user id; null instead of a refusal for every other caller.
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('is the id of the user whose token it is', async () => {
  const organization = await newOrganization(service);
  const users = [await newUser(service, organization, 'viewer'), await newUser(service, organization, 'owner')];
  for (const user of users) expect((await user.ask('{ id }')).data).toEqual({ id: user.id });
});

test('is null without a valid bearer, and no error', async () => {
  for (const token of [null, 'nonsense']) {
    const { status, data, errors } = await askAdmin(service.url, { query: '{ id }', token });
    expect([status, data, errors]).toEqual([200, { id: null }, []]);
  }
});
