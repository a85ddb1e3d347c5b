// mutation projectDelete: the project is deleted with its applications, whose keys get 404.
import { randomUUID } from 'node:crypto';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';
import { createApplication, createProject, editApplication, uploadWith } from '../support/workspace.ts';

let service: TestService;
let admin: TestUser;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await newOrganization(service), 'admin');
});
afterAll(() => service.stop());

test('a deleted project is gone with its applications, and a second time NOT_FOUND', async () => {
  const id = await createProject(admin);
  const application = await createApplication(admin, id);
  const remove = () => admin.ask('mutation D($id: UUID!) { projectDelete(id: $id) }', { id });
  expect((await remove()).data).toEqual({ projectDelete: true });
  expect((await remove()).codes).toEqual(['NOT_FOUND']);
  const edit = 'mutation E($id: UUID!) { projectEdit(input: { id: $id, name: "Back" }) { id } }';
  expect((await admin.ask(edit, { id })).codes).toEqual(['NOT_FOUND']);
  const left = await admin.ask('{ projects { id } applications { id } }');
  expect(left.text).not.toContain(id);
  expect(left.text).not.toContain(application.id);
  expect(await uploadWith(service, application.apiKeys[0]!.public)).toBe(404);
});

test('nothing is put into a deleted project', async () => {
  const [gone, kept] = [await createProject(admin), await createProject(admin)];
  const { id } = await createApplication(admin, kept);
  await admin.ask('mutation D($id: UUID!) { projectDelete(id: $id) }', { id: gone });
  const created = { projectId: gone, name: 'A', bundleId: 'com.a', platform: 'iOS' };
  for (const input of [created, { id, projectId: gone }]) {
    expect((await editApplication(admin, input)).codes).toEqual(['NOT_FOUND']);
  }
  expect(await service.database.prisma.application.count({ where: { projectId: gone } })).toBe(0);
});

test('other projects stay', async () => {
  const kept = await createProject(admin, 'Kept');
  const application = await createApplication(admin, kept);
  await admin.ask('mutation D($id: UUID!) { projectDelete(id: $id) }', { id: await createProject(admin) });
  expect((await admin.ask('{ projects { id } }')).text).toContain(kept);
  expect(await uploadWith(service, application.apiKeys[0]!.public)).toBe(200);
});

test('the audit log names the applications in the order of their ids, whatever the order in which they are stored', async () => {
  const projectId = await createProject(admin);
  const { prisma } = service.database;
  const ids = Array.from({ length: 8 }, () => randomUUID());
  for (const id of ids) {
    await prisma.application.create({ data: { id, projectId, name: 'A', bundleId: 'b', platform: 'iOS', image: '' } });
  }
  await admin.ask('mutation D($id: UUID!) { projectDelete(id: $id) }', { id: projectId });
  const where = { objectId: projectId, action: 'projectDelete' };
  const { details } = await prisma.auditEntry.findFirstOrThrow({ where });
  expect(details).toEqual({ applications: ids.sort() });
});
