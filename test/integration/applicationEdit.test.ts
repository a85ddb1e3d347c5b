// mutations applicationEdit, applicationDelete, apiKeyCreate and apiKeyRevoke.
import { withinASecond } from '../support/campaigns.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';
import { aReport } from '../support/uploads.ts';

interface Application {
  id: string;
  name: string;
  apiKeys: { public: string; secret: string }[];
}

let service: TestService;
let admin: TestUser;
let project: string;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await newOrganization(service), 'admin');
  project = await newProject();
});
afterAll(() => service.stop());

async function newProject(): Promise<string> {
  const { data } = await admin.ask('mutation { projectEdit(input: { name: "P" }) { id } }');
  return (data!['projectEdit'] as { id: string }).id;
}
const edit = (input: Record<string, unknown>) =>
  admin.ask(
    `mutation E($input: ApplicationEditInput!) { applicationEdit(input: $input) {
      id name bundleId platform image project { id } apiKeys { public secret } } }`,
    { input },
  );
const edited = async (input: Record<string, unknown>) => (await edit(input)).data!['applicationEdit'] as Application;
const create = () => edited({ projectId: project, name: 'A', bundleId: 'com.a', platform: 'iOS' });
const upload = async (key: string) =>
  (await service.client.send('reportSessions', { 'X-Api-Key': key }, aReport())).status;

test('a new application has a key that works', async () => {
  const application = await create();
  expect(application).toMatchObject({
    name: 'A',
    bundleId: 'com.a',
    platform: 'iOS',
    image: '',
    project: { id: project },
  });
  expect(application.apiKeys).toEqual([
    {
      public: expect.stringMatching(/^pub_[0-9A-Za-z]{32}$/) as string,
      secret: expect.stringMatching(/^sec_[0-9A-Za-z]{32}$/) as string,
    },
  ]);
  expect(await upload(application.apiKeys[0]!.public)).toBe(200);
});

test('edits what is given, and moves to another project', async () => {
  const { id } = await create();
  const other = await newProject();
  const image = 'i.png';
  expect(await edited({ id, name: 'B', image })).toMatchObject({ name: 'B', bundleId: 'com.a', image });
  expect(await edited({ id, projectId: other, platform: 'Android' })).toMatchObject({
    platform: 'Android',
    project: { id: other },
  });
  expect(await edited({ id, image: null })).toMatchObject({ name: 'B', image: '' });
});

test('names every field that is wrong', async () => {
  const paths = async (input: Record<string, unknown>) =>
    ((await edit(input)).errors[0]!.extensions['fields'] as { path: string }[]).map(({ path }) => path).sort();
  expect(await paths({})).toEqual(['input.bundleId', 'input.name', 'input.platform', 'input.projectId']);
  const { id } = await create();
  const nulls = { name: null, bundleId: null, platform: null, projectId: null };
  expect(await paths({ id, ...nulls })).toEqual(['input.bundleId', 'input.name', 'input.platform', 'input.projectId']);
  expect(await paths({ id, platform: 'ios' })).toEqual(['input.platform']);
});

test("another organization's project is as unknown as any", async () => {
  const { id } = await create();
  const foreign = await service.database.prisma.project.findFirstOrThrow({
    where: { organizationId: { not: admin.organizationId } },
  });
  expect((await edit({ id, projectId: foreign.id })).codes).toEqual(['NOT_FOUND']);
  expect((await edit({ projectId: foreign.id, name: 'A', bundleId: 'b', platform: 'iOS' })).codes).toEqual([
    'NOT_FOUND',
  ]);
});

test('a deleted application answers 404 within a second, and a second time NOT_FOUND', async () => {
  const { id, apiKeys } = await create();
  const key = apiKeys[0]!.public;
  expect(await upload(key)).toBe(200);
  const remove = () => admin.ask('mutation D($id: UUID!) { applicationDelete(id: $id) }', { id });
  expect((await remove()).data).toEqual({ applicationDelete: true });
  await withinASecond(async () => (await upload(key)) === 404);
  expect((await remove()).codes).toEqual(['NOT_FOUND']);
  expect((await edit({ id, name: 'B' })).codes).toEqual(['NOT_FOUND']);
});

test('keys rotate by overlap', async () => {
  const { id, apiKeys } = await create();
  const old = apiKeys[0]!.public;
  const created = await admin.ask(
    'mutation C($id: UUID!) { apiKeyCreate(applicationId: $id) { public secret application { name } } }',
    { id },
  );
  const key = created.data!['apiKeyCreate'] as { public: string; application: { name: string } };
  expect(key.application.name).toBe('A');
  expect([await upload(old), await upload(key.public)]).toEqual([200, 200]);
  const revoke = () => admin.ask('mutation R($key: String!) { apiKeyRevoke(public: $key) }', { key: old });
  expect((await revoke()).data).toEqual({ apiKeyRevoke: true });
  await withinASecond(async () => (await upload(old)) === 404);
  expect(await upload(key.public)).toBe(200);
  expect((await revoke()).codes).toEqual(['NOT_FOUND']);
  const nul = await admin.ask('mutation { apiKeyRevoke(public: "\\u0000") }');
  expect(nul.codes).toEqual(['NOT_FOUND']);
});
