// mutation apiKeyCreate: creates another live key beside the existing ones.
import { randomUUID } from 'node:crypto';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';
import { createApplication, createProject, uploadWith } from '../support/workspace.ts';

let service: TestService;
let admin: TestUser;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await newOrganization(service), 'admin');
});
afterAll(() => service.stop());

const create = (id: string) =>
  admin.ask('mutation C($id: UUID!) { apiKeyCreate(applicationId: $id) { public secret application { name } } }', {
    id,
  });

test('keys rotate by overlap: the old one and the new one both work', async () => {
  const { id, apiKeys } = await createApplication(admin, await createProject(admin));
  const created = await create(id);
  const key = created.data!['apiKeyCreate'] as { public: string; secret: string };
  expect(key).toEqual({
    public: expect.stringMatching(/^pub_[0-9A-Za-z]{32}$/) as string,
    secret: expect.stringMatching(/^sec_[0-9A-Za-z]{32}$/) as string,
    application: { name: 'A' },
  });
  expect(await uploadWith(service, apiKeys[0]!.public)).toBe(200);
  expect(await uploadWith(service, key.public)).toBe(200);
});

test('an unknown application is NOT_FOUND', async () => {
  expect((await create(randomUUID())).codes).toEqual(['NOT_FOUND']);
});
