// mutation applicationEdit: creates with a first key, edits, and moves between projects.
import { newAccount } from '../support/fakeStore.ts';
import { countStatements } from '../support/statements.ts';
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

test('the time zone is UTC at first, and any name of the IANA database afterwards', async () => {
  const { id } = await create();
  const read = async () => {
    const { data } = await admin.ask('{ applications { id timeZone createdAt storeCredentialsSet } }');
    return (data!['applications'] as { id: string }[]).find((each) => each.id === id);
  };
  const createdAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
  expect(await read()).toEqual({ id, timeZone: 'UTC', createdAt, storeCredentialsSet: false });
  await edit({ id, timeZone: 'europe/berlin' });
  expect(await read()).toMatchObject({ timeZone: 'Europe/Berlin' });
  await edit({ id, name: 'B' });
  expect(await read()).toMatchObject({ timeZone: 'Europe/Berlin' });
  await edit({ id, timeZone: null });
  expect(await read()).toMatchObject({ timeZone: 'UTC' });
  const names = ['Asia/Kolkata', 'Asia/Calcutta', 'America/Port-au-Prince', 'Etc/GMT+5', 'EST5EDT', 'GB-Eire', 'UTC'];
  for (const timeZone of names) {
    for (const given of [timeZone, timeZone.toLowerCase(), timeZone.toUpperCase()]) {
      await edit({ id, timeZone: given });
      expect(await read()).toMatchObject({ timeZone });
    }
  }
  // Node knows IST, PST, ACT and SystemV/PST8, which are no names of the IANA database.
  const refused = [
    '',
    ' ',
    ' UTC',
    '+01:00',
    'Europe/Nowhere',
    'IST',
    'PST',
    'ACT',
    'SystemV/PST8',
    'posix/UTC',
    'UTC\0',
  ];
  for (const timeZone of refused) {
    const { errors } = await edit({ id, timeZone });
    expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path: 'input.timeZone' }] });
  }
});

test('a response shows for many applications whether store credentials are set, in one statement', async () => {
  const [one, other] = [await create(), await create()];
  const { issuerId, keyId, privateKey } = newAccount();
  const set = 'mutation S($input: StoreCredentialsEditInput!) { storeCredentialsEdit(input: $input) }';
  await admin.ask(set, { input: { applicationId: one.id, issuerId, keyId, privateKey } });
  const { data } = await admin.ask('{ applications { id storeCredentialsSet } }');
  const shown = data!['applications'] as { id: string; storeCredentialsSet: boolean }[];
  const isSet = (id: string) => shown.find((each) => each.id === id)!.storeCredentialsSet;
  expect([isSet(one.id), isSet(other.id)]).toEqual([true, false]);
  const count = () => countStatements(() => admin.ask('{ applications { id storeCredentialsSet } }'));
  const before = await count();
  await create();
  expect(await count()).toBe(before);
});
