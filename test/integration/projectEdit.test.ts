// mutations projectEdit and projectDelete.
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let admin: TestUser;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await newOrganization(service), 'admin');
});
afterAll(() => service.stop());

const edit = (input: Record<string, unknown>) =>
  admin.ask('mutation E($input: ProjectEditInput!) { projectEdit(input: $input) { id name image } }', { input });
const edited = async (input: Record<string, unknown>) =>
  (await edit(input)).data!['projectEdit'] as { id: string; name: string; image: string | null };
const paths = async (input: Record<string, unknown>) =>
  ((await edit(input)).errors[0]!.extensions['fields'] as { path: string }[]).map(({ path }) => path);

test('creates, edits what is given and clears by null', async () => {
  const { id } = await edited({ name: ' One ', image: 'i.png' });
  expect(await edited({ id, name: 'Two' })).toEqual({ id, name: 'Two', image: 'i.png' });
  expect(await edited({ id, image: null })).toEqual({ id, name: 'Two', image: null });
  expect(await edited({ id })).toEqual({ id, name: 'Two', image: null });
  expect(await edited({ id: null, name: 'New' })).toMatchObject({ name: 'New', image: null });
});

test('names every field that is wrong', async () => {
  expect(await paths({})).toEqual(['input.name']);
  expect(await paths({ name: null, image: 'x'.repeat(2_049) })).toEqual(['input.name', 'input.image']);
  const { id } = await edited({ name: 'One' });
  expect(await paths({ id, name: null })).toEqual(['input.name']);
  expect(await paths({ id, name: ' ', image: '\u0000' })).toEqual(['input.name', 'input.image']);
});

test('a deleted project is gone with its applications, and a second time NOT_FOUND', async () => {
  const { id } = await edited({ name: 'Gone' });
  const application = await admin.ask(
    `mutation { applicationEdit(input: { projectId: "${id}", name: "A", bundleId: "b", platform: "iOS" }) { id apiKeys { public } } }`,
  );
  const { id: applicationId, apiKeys } = application.data!['applicationEdit'] as {
    id: string;
    apiKeys: { public: string }[];
  };
  const remove = () => admin.ask('mutation D($id: UUID!) { projectDelete(id: $id) }', { id });
  expect((await remove()).data).toEqual({ projectDelete: true });
  expect((await remove()).codes).toEqual(['NOT_FOUND']);
  expect((await edit({ id, name: 'Back' })).codes).toEqual(['NOT_FOUND']);
  const left = await admin.ask('{ projects { id } applications { id } }');
  expect(left.text).not.toContain(id);
  expect(left.text).not.toContain(applicationId);
  const answer = await service.client.send('reportSessions', { 'X-Api-Key': apiKeys[0]!.public }, {});
  expect(answer.status).toBe(404);
});

test('a mutation that fails does not undo those before it', async () => {
  const { data } = await admin.ask(
    'mutation { a: projectEdit(input: { name: "A" }) { name } b: projectEdit(input: { name: "" }) { name } }',
  );
  expect(data).toBeNull();
  expect((await admin.ask('{ projects { name } }')).text).toContain('"A"');
});
