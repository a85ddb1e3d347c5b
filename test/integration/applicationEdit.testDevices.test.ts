// `applicationEdit.testDevices`: stored in its order, replaced as a whole, and refused at the entry that is wrong.
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let admin: TestUser;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
});
afterAll(() => service.stop());

const mutation = 'mutation E($input: ApplicationEditInput!) { applicationEdit(input: $input) { testDevices } }';
const edit = (testDevices: string[] | null) =>
  admin.ask(mutation, { input: { id: service.application.id, testDevices } });
const lines = async () => {
  const { data } = await admin.ask('{ auditLog(action: "applicationEdit") { details } }');
  return data!['auditLog'] as unknown[];
};

test('the list replaces the one before, and null empties it', async () => {
  expect((await edit(['b', 'a'])).data).toEqual({ applicationEdit: { testDevices: ['b', 'a'] } });
  expect((await edit(['c'])).data).toEqual({ applicationEdit: { testDevices: ['c'] } });
  expect(await lines()).toHaveLength(2);
  // The same list is no change.
  await edit(['c']);
  expect(await lines()).toHaveLength(2);
  expect((await edit(null)).data).toEqual({ applicationEdit: { testDevices: [] } });
});

test.each([
  [Array.from({ length: 101 }, (_, index) => `d${index}`), 'input.testDevices'],
  [['a', ' '], 'input.testDevices[1]'],
  [['a', 'b', 'a'], 'input.testDevices[2]'],
  [['x'.repeat(257)], 'input.testDevices[0]'],
])('%# is refused', async (ids, path) => {
  const { codes, errors } = await edit(ids);
  expect(codes).toEqual(['BAD_USER_INPUT']);
  expect(errors[0]!.extensions['fields']).toMatchObject([{ path }]);
});
