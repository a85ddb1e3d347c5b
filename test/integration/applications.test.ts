// query applications: the applications of one project or of all, oldest first.
import { randomUUID } from 'node:crypto';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';
import { createApplication, createProject } from '../support/workspace.ts';

let service: TestService;
let admin: TestUser;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await newOrganization(service), 'admin');
});
afterAll(() => service.stop());

const ask = (projectId?: string) =>
  admin.ask('query A($projectId: UUID) { applications(projectId: $projectId) { id } }', { projectId });

test('without a project all of the organization are listed, with one only its own', async () => {
  const [one, two] = [await createProject(admin, 'One'), await createProject(admin, 'Two')];
  const first = await createApplication(admin, two);
  const second = await createApplication(admin, one);
  expect((await ask()).data).toEqual({ applications: [{ id: first.id }, { id: second.id }] });
  expect((await ask(one)).data).toEqual({ applications: [{ id: second.id }] });
});

test('a service without quotas counts nothing, and says that there is none', async () => {
  const application = await createApplication(admin, await createProject(admin));
  const { data } = await admin.ask(
    '{ applications { id ingestQuotas { operation bytes bytesPerHour newDevices newDevicesPerHour refused } } }',
  );
  const all = data!['applications'] as { id: string; ingestQuotas: unknown[] }[];
  const none = { bytes: 0, bytesPerHour: null, newDevices: 0, newDevicesPerHour: null, refused: 0 };
  const operations = ['reportSessions', 'reportAttribution', 'reportStoreTransactions'];
  expect(all.find(({ id }) => id === application.id)!.ingestQuotas).toEqual(
    [...operations, 'reportSessions'].map((operation) => ({ operation, ...none })),
  );
});

test('an unknown, a deleted and a foreign project are answered alike', async () => {
  const deleted = await createProject(admin, 'Deleted');
  await createApplication(admin, deleted);
  await admin.ask('mutation D($id: UUID!) { projectDelete(id: $id) }', { id: deleted });
  const foreign = await createProject(await newUser(service, await newOrganization(service)), 'Foreign');
  const refused = await Promise.all([deleted, foreign, randomUUID()].map(ask));
  expect(new Set(refused.map(({ text }) => text)).size).toBe(1);
  expect(refused[0]!.codes).toEqual(['NOT_FOUND']);
});
