// mutation organizationEdit: for owners, on their own organization only.
import { holdLock } from '../support/heldLock.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let owner: TestUser;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  owner = await newUser(service, await newOrganization(service, 'Acme'));
});

const edit = (user: TestUser, input: Record<string, unknown>) =>
  user.ask(
    `mutation E($input: OrganizationEditInput!) {
      organizationEdit(input: $input) { id name logo projectsCount users { email } }
    }`,
    { input },
  );

test('changes what is given, clears by null, and leaves the rest and the other organizations alone', async () => {
  const other = await newUser(service, await newOrganization(service, 'Other'));
  const same = { id: owner.organizationId, projectsCount: 0, users: [{ email: owner.email }] };
  const edited = async (input: Record<string, unknown>) => (await edit(owner, input)).data!['organizationEdit'];
  expect(await edited({ name: ' New name ', logo: 'l.png' })).toEqual({ ...same, name: 'New name', logo: 'l.png' });
  expect(await edited({})).toEqual({ ...same, name: 'New name', logo: 'l.png' });
  expect(await edited({ logo: null })).toEqual({ ...same, name: 'New name', logo: null });
  expect(await edited({ name: 'Acme' })).toEqual({ ...same, name: 'Acme', logo: null });
  const shown = await other.ask('{ organization { name logo } }');
  expect(shown.data).toEqual({ organization: { name: 'Other', logo: null } });
});

test('names every field that is wrong, and changes nothing then', async () => {
  const paths = async (input: Record<string, unknown>) =>
    ((await edit(owner, input)).errors[0]!.extensions['fields'] as { path: string }[]).map(({ path }) => path);
  expect(await paths({ name: null, logo: 'x'.repeat(2_049) })).toEqual(['input.name', 'input.logo']);
  for (const name of [' \u0085', 'x'.repeat(257), 'a\r\nBcc: b@c.d', 'a\u0000', 'a\u2028b', 'a\ud800']) {
    expect(await paths({ name, logo: 'new' })).toEqual(['input.name']);
  }
  expect((await edit(owner, {})).data).toMatchObject({ organizationEdit: { name: 'Acme', logo: null } });
});

test.each(['viewer', 'editor', 'admin'] as const)('is FORBIDDEN for %ss', async (role) => {
  const user = await newUser(service, owner.organizationId, role);
  expect((await edit(user, { name: 'Mine' })).codes).toEqual(['FORBIDDEN']);
});

test('of two edits at once both stay', async () => {
  const lock = 'SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE';
  const held = await holdLock(service.database.pool, lock, owner.organizationId);
  const edits = [edit(owner, { name: 'Renamed' }), edit(owner, { logo: 'l.png' })];
  await held.waiting(2);
  await held.release();
  for (const { codes } of await Promise.all(edits)) expect(codes).toEqual([]);
  expect((await edit(owner, {})).data).toMatchObject({ organizationEdit: { name: 'Renamed', logo: 'l.png' } });
});
