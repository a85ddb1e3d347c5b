// mutation projectEdit: creates and edits.
import { holdLock } from '../support/heldLock.ts';
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

test('creates, edits what is given and clears by null or an empty text', async () => {
  const { id } = await edited({ name: ' One ', image: 'i.png' });
  expect(await edited({ id, name: 'Two' })).toEqual({ id, name: 'Two', image: 'i.png' });
  expect(await edited({ id, image: null })).toEqual({ id, name: 'Two', image: null });
  expect(await edited({ id })).toEqual({ id, name: 'Two', image: null });
  expect(await edited({ id: null, name: 'New' })).toMatchObject({ name: 'New', image: null });
  expect(await edited({ id: null, name: 'New', image: '' })).toMatchObject({ name: 'New', image: null });
});

test('names every field that is wrong', async () => {
  expect(await paths({})).toEqual(['input.name']);
  expect(await paths({ name: null, image: 'x'.repeat(2_049) })).toEqual(['input.name', 'input.image']);
  const { id } = await edited({ name: 'One' });
  expect(await paths({ id, name: null })).toEqual(['input.name']);
  expect(await paths({ id, name: ' ', image: '\u0000' })).toEqual(['input.name', 'input.image']);
});

test('a mutation that fails does not undo those before it', async () => {
  const { data } = await admin.ask(
    'mutation { a: projectEdit(input: { name: "A" }) { name } b: projectEdit(input: { name: "" }) { name } }',
  );
  expect(data).toBeNull();
  expect((await admin.ask('{ projects { name } }')).text).toContain('"A"');
});

test('of two edits at once the second is told of in the audit log as a change of the first', async () => {
  const { id } = await edited({ name: 'Zero' });
  const held = await holdLock(service.database.pool, 'SELECT 1 FROM projects WHERE id = $1 FOR UPDATE', id);
  const edits = [edit({ id, name: 'One' }), edit({ id, name: 'Two' })];
  await held.waiting(2);
  await held.release();
  await Promise.all(edits);
  const { data } = await admin.ask('{ auditLog(limit: 2) { details } }');
  const [last, first] = data!['auditLog'] as { details: { name: { from: string; to: string } } }[];
  expect(first!.details.name.from).toBe('Zero');
  expect(last!.details.name).toEqual({ from: first!.details.name.to, to: (await edited({ id })).name });
});
