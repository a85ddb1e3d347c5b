// mutation applicationDelete: its keys get 404 within a second, and nothing restores it.
import { withinASecond } from '../support/campaigns.ts';
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

test('a deleted application answers 404 within a second, and a second time NOT_FOUND', async () => {
  const { id, apiKeys } = await createApplication(admin, await createProject(admin));
  const key = apiKeys[0]!.public;
  expect(await uploadWith(service, key)).toBe(200);
  const remove = () => admin.ask('mutation D($id: UUID!) { applicationDelete(id: $id) }', { id });
  expect((await remove()).data).toEqual({ applicationDelete: true });
  await withinASecond(async () => (await uploadWith(service, key)) === 404);
  expect((await remove()).codes).toEqual(['NOT_FOUND']);
  expect((await editApplication(admin, { id, name: 'B' })).codes).toEqual(['NOT_FOUND']);
});
