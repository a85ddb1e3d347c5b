// mutation apiKeyRevoke: the key gets 404 within a second; the application's other keys stay live.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';
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

test('its secret is erased with the revocation, and by a migration where it was revoked before; others stay', async () => {
  const { prisma, pool } = service.database;
  const { id, apiKeys } = await createApplication(admin, await createProject(admin));
  await admin.ask('mutation C($id: UUID!) { apiKeyCreate(applicationId: $id) { public } }', { id });
  await revoke(apiKeys[0]!.public);
  const sealedLengths = async () => {
    const keys = await prisma.apiKey.findMany({ where: { applicationId: id }, orderBy: { revokedAt: 'asc' } });
    return keys.map(({ secretEncrypted }) => secretEncrypted.length);
  };
  expect(await sealedLengths()).toEqual([0, expect.any(Number)]);
  expect((await sealedLengths())[1]).toBeGreaterThan(0);
  await prisma.apiKey.update({ where: { public: apiKeys[0]!.public }, data: { secretEncrypted: Uint8Array.of(1) } });
  await pool.query(readFileSync(projectFile('prisma/migrations/20261123040000_revoked_secrets/migration.sql'), 'utf8'));
  expect((await sealedLengths()).map((length) => length > 0)).toEqual([false, true]);
  const shown = await admin.ask('{ applications { id apiKeys { public secret } } }');
  const own = (shown.data!['applications'] as { id: string; apiKeys: object[] }[]).find((each) => each.id === id);
  expect(own!.apiKeys).toEqual([
    { public: expect.stringMatching(/^pub_/) as string, secret: expect.stringMatching(/^sec_/) as string },
  ]);
});

test('what cannot be a key is as unknown as any', async () => {
  expect((await revoke('\u0000')).codes).toEqual(['NOT_FOUND']);
  expect((await revoke('')).codes).toEqual(['NOT_FOUND']);
});
