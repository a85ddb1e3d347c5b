// mutation apiKeyRevoke: the key answers 404 within a second; the application's other keys stay live.
import { withinASecond } from '../support/campaigns.ts';
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

const revoke = (key: string) => admin.ask('mutation R($key: String!) { apiKeyRevoke(public: $key) }', { key });

test('a revoked key is dead within a second, and a second time NOT_FOUND', async () => {
  const { id, apiKeys } = await createApplication(admin, await createProject(admin));
  const old = apiKeys[0]!.public;
  const created = await admin.ask('mutation C($id: UUID!) { apiKeyCreate(applicationId: $id) { public } }', { id });
  const key = created.data!['apiKeyCreate'] as { public: string };
  expect(await uploadWith(service, old)).toBe(200);
  expect((await revoke(old)).data).toEqual({ apiKeyRevoke: true });
  await withinASecond(async () => (await uploadWith(service, old)) === 404);
  expect(await uploadWith(service, key.public)).toBe(200);
  expect((await revoke(old)).codes).toEqual(['NOT_FOUND']);
});

test('what cannot be a key is as unknown as any', async () => {
  expect((await revoke('\u0000')).codes).toEqual(['NOT_FOUND']);
  expect((await revoke('')).codes).toEqual(['NOT_FOUND']);
});
