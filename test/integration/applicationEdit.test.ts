// mutation applicationEdit: creates with a first key, edits, and moves between projects.
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';
import {
  createApplication,
  createProject,
  editApplication,
  uploadWith,
  type AskedApplication,
} from '../support/workspace.ts';

let service: TestService;
let admin: TestUser;
let project: string;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await newOrganization(service), 'admin');
  project = await createProject(admin);
});
afterAll(() => service.stop());

const edit = (input: Record<string, unknown>) => editApplication(admin, input);
const edited = async (input: Record<string, unknown>) =>
  (await edit(input)).data!['applicationEdit'] as AskedApplication;
const create = () => createApplication(admin, project);

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
  expect(await uploadWith(service, application.apiKeys[0]!.public)).toBe(200);
});

test('edits what is given, and moves to another project', async () => {
  const { id } = await create();
  const other = await createProject(admin);
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
