// An application moves to another project while another operation uses it: it must exist at every moment.
import { holdLock } from '../support/heldLock.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';
import { createApplication, createProject, editApplication } from '../support/workspace.ts';

let service: TestService;
let owner: TestUser;
beforeAll(async () => {
  service = await startTestService();
  owner = await newUser(service, await newOrganization(service));
});
afterAll(() => service.stop());

test.each([
  ['is moved there as well', 'applicationEdit(input: { id: $id, projectId: $to }) { project { id } }'],
  ['is renamed', 'applicationEdit(input: { id: $id, name: "B" }) { name }'],
  ['gets a key', 'apiKeyCreate(applicationId: $id) { public }'],
  ['gets a campaign', 'campaignEdit(input: { applicationId: $id, name: "C" }) { name }'],
  ['gets store credentials', 'storeCredentialsEdit(input: { applicationId: $id })'],
  ['is deleted', 'applicationDelete(id: $id)'],
])('an application that %s while it is moved is found', async (_what, mutation) => {
  const [from, to] = [await createProject(owner), await createProject(owner)];
  const { id } = await createApplication(owner, from);
  const move = `UPDATE applications SET project_id = '${to}' WHERE id = $1`;
  const moving = await holdLock(service.database.pool, move, id);
  const uses = mutation.includes('$to');
  const query = `mutation M($id: UUID!${uses ? ', $to: UUID!' : ''}) { ${mutation} }`;
  const asked = owner.ask(query, uses ? { id, to } : { id });
  await moving.waiting(1).finally(moving.release);
  const { data, codes } = await asked;
  expect(codes).toEqual([]);
  expect(data).not.toBeNull();
});

test('an application that is put into a project while it is deleted is refused', async () => {
  const id = await createProject(owner);
  const deletion = 'UPDATE projects SET deleted_at = now() WHERE id = $1';
  const deleting = await holdLock(service.database.pool, deletion, id);
  const asked = editApplication(owner, { projectId: id, name: 'A', bundleId: 'com.a', platform: 'iOS' });
  await deleting.waiting(1).finally(deleting.release);
  expect((await asked).codes).toEqual(['NOT_FOUND']);
  expect(await service.database.prisma.application.count({ where: { projectId: id } })).toBe(0);
});
