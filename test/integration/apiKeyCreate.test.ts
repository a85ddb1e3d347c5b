// mutation apiKeyCreate: creates another live key beside the existing ones.
import { randomUUID } from 'node:crypto';
import { auditLines, lastLine } from '../support/auditLines.ts';
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

test('a key has a label, its maker and its time, and a revoked one keeps them without its secret', async () => {
  const { id, apiKeys } = await createApplication(admin, await createProject(admin));
  const begun = Date.now();
  const { data } = await admin.ask(
    `mutation { apiKeyCreate(applicationId: "${id}", label: " Release 4.2 ") { public label createdAt createdBy revokedAt } }`,
  );
  const made = data!['apiKeyCreate'] as { public: string; createdAt: string };
  expect(made).toMatchObject({ label: 'Release 4.2', createdBy: admin.email, revokedAt: null });
  expect(Math.abs(Date.parse(made.createdAt) - begun)).toBeLessThan(10_000);
  const keys = async (args: string) => {
    const { data } = await admin.ask(
      `{ applications { id apiKeys${args} { public label createdAt createdBy revokedAt secret } } }`,
    );
    return (data!['applications'] as { id: string; apiKeys: object[] }[]).find((each) => each.id === id)!.apiKeys;
  };
  const first = { public: apiKeys[0]!.public, secret: apiKeys[0]!.secret, label: null, createdBy: admin.email };
  await admin.ask(`mutation { apiKeyRevoke(public: "${made.public}") }`);
  for (const args of ['', '(includeRevoked: false)', '(includeRevoked: null)']) {
    expect(await keys(args)).toEqual([expect.objectContaining(first)]);
  }
  const since = await lastLine(service);
  expect(await keys('(includeRevoked: true)')).toEqual([
    expect.objectContaining(first),
    { ...made, secret: '', revokedAt: expect.stringMatching(/^\d{4}-/) as string },
  ]);
  // An erased secret is no reading.
  const revealed = (await auditLines(service, admin.organizationId, since)).map(({ objectId }) => objectId);
  expect(revealed).toContain(first.public);
  expect(revealed).not.toContain(made.public);
});

test.each(['null', '""'])('a label of %s is none', async (label) => {
  const { id } = await createApplication(admin, await createProject(admin));
  const { data } = await admin.ask(`mutation { apiKeyCreate(applicationId: "${id}", label: ${label}) { label } }`);
  expect(data).toEqual({ apiKeyCreate: { label: null } });
});

test('a blank or too long label is refused', async () => {
  const { id } = await createApplication(admin, await createProject(admin));
  for (const label of [' ', 'x'.repeat(257), 'a\\nb']) {
    const { errors } = await admin.ask(
      `mutation { apiKeyCreate(applicationId: "${id}", label: "${label}") { public } }`,
    );
    expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path: 'label' }] });
  }
});

test('an unknown application is NOT_FOUND', async () => {
  expect((await create(randomUUID())).codes).toEqual(['NOT_FOUND']);
});
