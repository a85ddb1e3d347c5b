// Projects, applications and API keys: their queries, and the mutations that make, change and delete them.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { saveKeyUses } from '../../src/workspace/applicationDirectory.ts';
import { auditLines, lastLine } from '../support/auditLines.ts';
import { withinASecond } from '../support/campaigns.ts';
import { newAccount } from '../support/fakeStore.ts';
import { holdLock } from '../support/heldLock.ts';
import { countStatements, statementsOf } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import type { TestApplication } from '../support/testWorkspace.ts';
import { aDevice, aReport, json, signedHeaders } from '../support/uploads.ts';
import {
  type AskedApplication,
  createApplication,
  createProject,
  editApplication,
  uploadWith,
} from '../support/workspace.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// query projects: the projects of the caller's organization, oldest first.
describe('projects', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  test('lists the own projects in a stable order, for every role', async () => {
    const organization = await newOrganization(service);
    const admin = await newUser(service, organization, 'admin');
    const viewer = await newUser(service, organization, 'viewer');
    expect((await viewer.ask('{ projects { id } }')).data).toEqual({ projects: [] });
    const projects = [];
    for (const name of ['b', 'a', 'c']) projects.push({ id: await createProject(admin, name), name, image: null });
    for (const user of [admin, viewer]) {
      expect((await user.ask('{ projects { id name image } }')).data).toEqual({ projects });
    }
  });

  test("shows nothing of another organization's", async () => {
    const stranger = await newUser(service, await newOrganization(service));
    await createProject(await newUser(service, await newOrganization(service)), 'Theirs');
    expect((await stranger.ask('{ projects { id } }')).data).toEqual({ projects: [] });
  });

  test('projects, their applications and their keys are oldest first, in whatever order they are stored', async () => {
    const admin = await newUser(service, await newOrganization(service), 'admin');
    const three = async <Made>(make: () => Promise<Made>) => [await make(), await make(), await make()];
    const projects = await three(() => createProject(admin));
    const applications = await three(async () => (await createApplication(admin, projects[0]!)).id);
    const keys = await three(async () => {
      const { data } = await admin.ask(`mutation { apiKeyCreate(applicationId: "${applications[0]!}") { public } }`);
      return (data!['apiKeyCreate'] as { public: string }).public;
    });
    const { prisma } = service.database;
    // The first is now the youngest, and the second the oldest.
    for (const [index, year] of [2024, 2022, 2023].entries()) {
      const data = { createdAt: new Date(`${year}-01-01T00:00:00Z`) };
      await prisma.project.update({ where: { id: projects[index]! }, data });
      await prisma.application.update({ where: { id: applications[index]! }, data });
      await prisma.apiKey.update({ where: { public: keys[index]! }, data });
    }
    const inTime = ([youngest, oldest, middle]: string[]) => [oldest, middle, youngest];
    const { data } = await admin.ask('{ projects { id applications { id apiKeys { public } } } }');
    const listed = data!['projects'] as { id: string; applications: { id: string; apiKeys: { public: string }[] }[] }[];
    expect(listed.map(({ id }) => id)).toEqual(inTime(projects));
    const ofFirst = listed.at(-1)!.applications;
    expect(ofFirst.map(({ id }) => id)).toEqual(inTime(applications));
    // The last key is the one that the application was created with.
    const publicKeys = ofFirst.at(-1)!.apiKeys.map((key) => key.public);
    expect(publicKeys.slice(0, 3)).toEqual(inTime(keys));
  });
});

// mutation projectEdit: creates and edits.
describe('projectEdit', () => {
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await newOrganization(service), 'admin');
  });

  const edit = (input: Record<string, unknown>) =>
    admin.ask('mutation E($input: ProjectEditInput!) { projectEdit(input: $input) { id name image } }', { input });
  const edited = async (input: Record<string, unknown>) =>
    (await edit(input)).data!['projectEdit'] as { id: string; name: string; image: string | null };
  const paths = async (input: Record<string, unknown>) =>
    ((await edit(input)).errors[0]!.extensions['fields'] as { path: string }[]).map(({ path }) => path);

  test('creates, edits what is given and clears by null or an empty text', async () => {
    const { id } = await edited({ name: ' One ', image: 'i.png' });
    expect(await edited({ id, name: 'Two' })).toEqual({ id, name: 'Two', image: 'i.png' });
    expect(await edited({ id, image: null })).toEqual({ id, name: 'Two', image: null });
    expect(await edited({ id })).toEqual({ id, name: 'Two', image: null });
    expect(await edited({ id: null, name: 'New' })).toMatchObject({ name: 'New', image: null });
    expect(await edited({ id: null, name: 'New', image: '' })).toMatchObject({ name: 'New', image: null });
  });

  test('names every field that is wrong', async () => {
    expect(await paths({})).toEqual(['input.name']);
    expect(await paths({ name: null, image: 'x'.repeat(2_049) })).toEqual(['input.name', 'input.image']);
    const { id } = await edited({ name: 'One' });
    expect(await paths({ id, name: null })).toEqual(['input.name']);
    expect(await paths({ id, name: ' ', image: '\u0000' })).toEqual(['input.name', 'input.image']);
  });

  test('a mutation that fails does not undo those before it', async () => {
    const { data } = await admin.ask(
      'mutation { a: projectEdit(input: { name: "A" }) { name } b: projectEdit(input: { name: "" }) { name } }',
    );
    expect(data).toBeNull();
    expect((await admin.ask('{ projects { name } }')).text).toContain('"A"');
  });

  test('of two edits at once the second is told of in the audit log as a change of the first', async () => {
    const { id } = await edited({ name: 'Zero' });
    const held = await holdLock(service.database.pool, 'SELECT 1 FROM projects WHERE id = $1 FOR UPDATE', id);
    const edits = [edit({ id, name: 'One' }), edit({ id, name: 'Two' })];
    await held.waiting(2);
    await held.release();
    await Promise.all(edits);
    const { data } = await admin.ask('{ auditLog(limit: 2) { details } }');
    const [last, first] = data!['auditLog'] as { details: { name: { from: string; to: string } } }[];
    expect(first!.details.name.from).toBe('Zero');
    expect(last!.details.name).toEqual({ from: first!.details.name.to, to: (await edited({ id })).name });
  });
});

// mutation projectDelete: the project is deleted with its applications, whose keys get 404.
describe('projectDelete', () => {
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await newOrganization(service), 'admin');
  });

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
      await prisma.application.create({
        data: { id, projectId, name: 'A', bundleId: 'b', platform: 'iOS', image: '' },
      });
    }
    await admin.ask('mutation D($id: UUID!) { projectDelete(id: $id) }', { id: projectId });
    const where = { objectId: projectId, action: 'projectDelete' };
    const { details } = await prisma.auditEntry.findFirstOrThrow({ where });
    expect(details).toEqual({ applications: ids.sort() });
  });
});

// query applications: the applications of one project or of all, oldest first.
describe('applications', () => {
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await newOrganization(service), 'admin');
  });

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

  test('an unknown, a deleted and a foreign project get the same response', async () => {
    const deleted = await createProject(admin, 'Deleted');
    await createApplication(admin, deleted);
    await admin.ask('mutation D($id: UUID!) { projectDelete(id: $id) }', { id: deleted });
    const foreign = await createProject(await newUser(service, await newOrganization(service)), 'Foreign');
    const refused = await Promise.all([deleted, foreign, randomUUID()].map(ask));
    expect(new Set(refused.map(({ text }) => text)).size).toBe(1);
    expect(refused[0]!.codes).toEqual(['NOT_FOUND']);
  });
});

// mutation applicationEdit: creates with a first key, edits, and moves between projects.
describe('applicationEdit', () => {
  let service: TestService;
  let admin: TestUser;
  let project: string;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await newOrganization(service), 'admin');
    project = await createProject(admin);
  });

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
    expect(await paths({ id, ...nulls })).toEqual([
      'input.bundleId',
      'input.name',
      'input.platform',
      'input.projectId',
    ]);
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
});

// `applicationEdit.testDevices`: stored in its order, replaced as a whole, and refused at the entry that is wrong.
describe('applicationEdit: test devices', () => {
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
  });

  const mutation = 'mutation E($input: ApplicationEditInput!) { applicationEdit(input: $input) { testDevices } }';
  const edit = (testDevices: string[] | null) =>
    admin.ask(mutation, { input: { id: service.application.id, testDevices } });
  const lines = async () => {
    const { data } = await admin.ask('{ auditLog(action: "applicationEdit") { details } }');
    return data!['auditLog'] as unknown[];
  };

  test('the list replaces the one before, and null empties it', async () => {
    expect((await edit(['b', 'a'])).data).toEqual({ applicationEdit: { testDevices: ['b', 'a'] } });
    expect((await edit(['c'])).data).toEqual({ applicationEdit: { testDevices: ['c'] } });
    expect(await lines()).toHaveLength(2);
    // The same list is no change.
    await edit(['c']);
    expect(await lines()).toHaveLength(2);
    expect((await edit(null)).data).toEqual({ applicationEdit: { testDevices: [] } });
  });

  test.each([
    [Array.from({ length: 101 }, (_, index) => `d${index}`), 'input.testDevices'],
    [['a', ' '], 'input.testDevices[1]'],
    [['a', 'b', 'a'], 'input.testDevices[2]'],
    [['x'.repeat(257)], 'input.testDevices[0]'],
  ])('%# is refused', async (ids, path) => {
    const { codes, errors } = await edit(ids);
    expect(codes).toEqual(['BAD_USER_INPUT']);
    expect(errors[0]!.extensions['fields']).toMatchObject([{ path }]);
  });
});

// An application moves to another project while another operation uses it: it must exist at every moment.
describe('applicationEdit: races', () => {
  let service: TestService;
  let owner: TestUser;
  beforeAll(async () => {
    service = await startTestService();
    owner = await newUser(service, await newOrganization(service));
  });
  afterAll(() => service.stop());

  test.each([
    ['is moved there as well', 'applicationEdit(input: { id: $id, projectId: $to }) { project { id } }'],
    ['is renamed', 'applicationEdit(input: { id: $id, name: "B" }) { name }'],
    ['gets a key', 'apiKeyCreate(applicationId: $id) { public }'],
    ['gets a campaign', 'campaignEdit(input: { applicationId: $id, name: "C" }) { name }'],
    ['gets store credentials', 'storeCredentialsEdit(input: { applicationId: $id })'],
    ['is deleted', 'applicationDelete(id: $id)'],
  ])('an application that %s while it is moved is found', async (_what, mutation) => {
    const [from, to] = [await createProject(owner), await createProject(owner)];
    const { id } = await createApplication(owner, from);
    const move = `UPDATE applications SET project_id = '${to}' WHERE id = $1`;
    const moving = await holdLock(service.database.pool, move, id);
    const uses = mutation.includes('$to');
    const query = `mutation M($id: UUID!${uses ? ', $to: UUID!' : ''}) { ${mutation} }`;
    const asked = owner.ask(query, uses ? { id, to } : { id });
    await moving.waiting(1).finally(moving.release);
    const { data, codes } = await asked;
    expect(codes).toEqual([]);
    expect(data).not.toBeNull();
  });

  test('an application that is put into a project while it is deleted is refused', async () => {
    const id = await createProject(owner);
    const deletion = 'UPDATE projects SET deleted_at = now() WHERE id = $1';
    const deleting = await holdLock(service.database.pool, deletion, id);
    const asked = editApplication(owner, { projectId: id, name: 'A', bundleId: 'com.a', platform: 'iOS' });
    await deleting.waiting(1).finally(deleting.release);
    expect((await asked).codes).toEqual(['NOT_FOUND']);
    expect(await service.database.prisma.application.count({ where: { projectId: id } })).toBe(0);
  });
});

// mutation applicationDelete: its keys get 404 within a second, and nothing restores it.
describe('applicationDelete', () => {
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await newOrganization(service), 'admin');
  });

  test('a deleted application gets 404 within a second, and a second time NOT_FOUND', async () => {
    const { id, apiKeys } = await createApplication(admin, await createProject(admin));
    const key = apiKeys[0]!.public;
    expect(await uploadWith(service, key)).toBe(200);
    const remove = () => admin.ask('mutation D($id: UUID!) { applicationDelete(id: $id) }', { id });
    expect((await remove()).data).toEqual({ applicationDelete: true });
    await withinASecond(async () => (await uploadWith(service, key)) === 404);
    expect((await remove()).codes).toEqual(['NOT_FOUND']);
    expect((await editApplication(admin, { id, name: 'B' })).codes).toEqual(['NOT_FOUND']);
  });
});

// mutation apiKeyCreate: creates another live key beside the existing ones.
describe('apiKeyCreate', () => {
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await newOrganization(service), 'admin');
  });

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
});

// ApiKey.lastUsed: which requests count as a use; the time is written off the hot path, never decreases, and is written at the latest on a drain.
describe('apiKeyCreate: last used', () => {
  let service: TestService;
  let application: TestApplication;
  let now = new Date('2026-09-10T00:26:40Z');
  beforeAll(async () => {
    service = await startTestService({ now: () => now });
  });
  beforeEach(async () => {
    application = await service.newApplication();
  });
  afterAll(() => service.stop());

  const lastUsed = async ({ key } = application) =>
    (await service.database.prisma.apiKey.findUniqueOrThrow({ where: { public: key.public } })).lastUsed;
  const send = (operation: string, body: unknown, headers: Record<string, string> = {}) =>
    service.client.send(operation, { 'X-Api-Key': application.key.public, ...headers }, body);
  const attribution = { device: aDevice(), system: { os_version: '18' }, attribution: {} };
  const sendSigned = (report = aReport(), secret = application.key.secret) =>
    send('reportSessions', json(report), signed(report, secret));
  const signed = (report: unknown, secret: string) =>
    signedHeaders({ ...application.key, secret }, json(report), { timestamp: now.getTime() / 1_000 });

  test.each<[string, number, () => Promise<{ status: number }>]>([
    ['an upload of sessions', 200, () => send('reportSessions', aReport())],
    ['a signed one', 200, () => sendSigned()],
    ['one whose body is wrong', 422, () => send('reportSessions', {})],
    ['attribution', 200, () => send('reportAttribution', attribution)],
    ['transactions', 200, () => send('reportStoreTransactions', { device: aDevice(), transactions: [{ id: '1' }] })],
    ['a fetch of campaigns', 200, () => service.client.get('getCampaigns', { 'X-Api-Key': application.key.public })],
  ])('%s is a use', async (_, status, request) => {
    expect((await request()).status).toBe(status);
    await service.deps.keyUses.stop();
    expect(await lastUsed()).toEqual(now);
  });

  test('what bears the key without its right is none', async () => {
    const report = aReport();
    expect((await sendSigned(report, 'sec_another')).status).toBe(403);
    const stale = { 'X-Api-Key': application.key.public.toLowerCase() };
    expect((await send('reportSessions', report, stale)).status).toBe(404);
    await service.deps.keyUses.stop();
    expect(await lastUsed()).toBeNull();
    expect((await sendSigned(report)).status).toBe(200);
    await service.deps.keyUses.stop();
    expect(await lastUsed()).toEqual(now);
  });

  test('a request writes nothing of it, and all keys are written in one statement', async () => {
    const other = await service.newApplication();
    const statements = await statementsOf(async () => {
      await send('reportSessions', aReport());
      await send('reportSessions', aReport(), { 'X-Api-Key': other.key.public });
    });
    expect(statements.filter((text) => text.includes('last_used'))).toEqual([]);
    const writing = await statementsOf(() => service.deps.keyUses.stop());
    expect(writing.filter((text) => text.includes('last_used'))).toHaveLength(1);
    expect([await lastUsed(), await lastUsed(other)]).toEqual([now, now]);
  });

  test('an older use, of another process say, does not set it back', async () => {
    const { pool } = service.database;
    const publicKey = application.key.public;
    await saveKeyUses(pool, [{ publicKey, at: now }]);
    await saveKeyUses(pool, [{ publicKey, at: new Date(now.getTime() - 1_000) }]);
    expect(await lastUsed()).toEqual(now);
    now = new Date(now.getTime() + 1_000);
    await saveKeyUses(pool, [
      { publicKey, at: now },
      { publicKey: 'pub_gone', at: now },
    ]);
    expect(await lastUsed()).toEqual(now);
  });

  test('many processes write at once without a deadlock', async () => {
    const keys = await Promise.all(Array.from({ length: 20 }, () => service.newApplication()));
    const uses = keys.map(({ key }) => ({ publicKey: key.public, at: now }));
    const orders = Array.from({ length: 20 }, (_, turn) => [...uses.slice(turn), ...uses.slice(0, turn)]);
    await Promise.all(orders.map((order) => saveKeyUses(service.database.pool, order)));
    expect(await lastUsed(keys[0])).toEqual(now);
  });

  test('keys are locked in the order of their ids, so that two processes never wait for each other in a circle', async () => {
    const { pool, prisma } = service.database;
    const keys = await prisma.apiKey.findMany({ orderBy: { id: 'asc' }, take: 2 });
    const [first, last] = keys.map(({ id }) => id) as [string, string];
    const row = 'SELECT FROM api_keys WHERE id = $1 FOR UPDATE';
    for (const order of [keys, [...keys].reverse()]) {
      const held = await holdLock(pool, row, first);
      const uses = order.map((key) => ({ publicKey: key.public, at: now }));
      const saving = saveKeyUses(pool, uses);
      await held.waiting(1);
      const lastIsFree = await pool.query(`${row} SKIP LOCKED`, [last]);
      await held.release();
      await saving;
      expect(lastIsFree.rowCount).toBe(1);
    }
  });

  test('a database that cannot write it costs no request its response', async () => {
    const { pool } = service.database;
    await pool.query('ALTER TABLE api_keys RENAME COLUMN last_used TO last_seen');
    expect((await send('reportSessions', aReport())).status).toBe(200);
    await service.deps.keyUses.stop();
    await pool.query('ALTER TABLE api_keys RENAME COLUMN last_seen TO last_used');
    await service.deps.keyUses.stop();
    expect(await lastUsed()).toEqual(now);
  });
});

// mutation apiKeyEdit: sets, changes and clears the label of a key, live or revoked.
describe('apiKeyEdit', () => {
  let service: TestService;
  let admin: TestUser;
  let application: AskedApplication;
  let key: string;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await newOrganization(service), 'admin');
  });

  beforeEach(async () => {
    application = await createApplication(admin, await createProject(admin));
    key = application.apiKeys[0]!.public;
  });

  const edit = (label?: string | null, of = key, by = admin) =>
    by.ask('mutation E($input: ApiKeyEditInput!) { apiKeyEdit(input: $input) { public label } }', {
      input: { public: of, ...(label !== undefined && { label }) },
    });
  const labelOf = async () =>
    (await service.database.prisma.apiKey.findUniqueOrThrow({ where: { public: key } })).label;

  test('sets, keeps and clears the label, with a line for each change', async () => {
    const since = await lastLine(service);
    expect((await edit(' One ')).data).toEqual({ apiKeyEdit: { public: key, label: 'One' } });
    expect((await edit()).data).toEqual({ apiKeyEdit: { public: key, label: 'One' } });
    expect(await labelOf()).toBe('One');
    expect((await edit('')).data).toEqual({ apiKeyEdit: { public: key, label: null } });
    expect(await labelOf()).toBeNull();
    await edit('Two');
    expect((await edit(null)).data).toEqual({ apiKeyEdit: { public: key, label: null } });
    const lines = await auditLines(service, admin.organizationId, since);
    const changes: [string | null, string | null][] = [
      [null, 'One'],
      ['One', null],
      [null, 'Two'],
      ['Two', null],
    ];
    expect(lines).toEqual(
      changes.map(([from, to]) => ({
        ...{ actor: admin.email, action: 'apiKeyEdit', objectType: 'apiKey', objectId: key },
        details: { applicationId: application.id, label: { from, to } },
      })),
    );
  });

  test('reads a secret only where the response has it, as a list of keys does', async () => {
    const readsSecret = async (text: string) =>
      (await statementsOf(() => admin.ask(text))).some((statement) => statement.includes('secret_encrypted'));
    const edited = (fields: string) => `mutation { apiKeyEdit(input: { public: "${key}" }) { ${fields} } }`;
    const listed = (fields: string) => `{ applications { apiKeys { ${fields} } } }`;
    for (const text of [edited, listed])
      expect([await readsSecret(text('public label')), await readsSecret(text('secret'))]).toEqual([false, true]);
    expect((await admin.ask(edited('secret'))).data).toEqual({
      apiKeyEdit: { secret: application.apiKeys[0]!.secret },
    });
  });

  test('a revoked key can still be labelled', async () => {
    await admin.ask(`mutation { apiKeyRevoke(public: "${key}") }`);
    expect((await edit('lost with a laptop')).data).toEqual({
      apiKeyEdit: { public: key, label: 'lost with a laptop' },
    });
  });

  test("another organization's key, that of a deleted application and an unknown one are NOT_FOUND", async () => {
    const stranger = await newUser(service, await newOrganization(service), 'owner');
    expect((await edit('x', key, stranger)).codes).toEqual(['NOT_FOUND']);
    expect((await edit('x', `pub_${'0'.repeat(32)}`)).codes).toEqual(['NOT_FOUND']);
    await admin.ask(`mutation { applicationDelete(id: "${application.id}") }`);
    expect((await edit('x')).codes).toEqual(['NOT_FOUND']);
  });

  test.each([' ', 'x'.repeat(257)])('the label "%s" is refused', async (label) => {
    const { errors } = await edit(label);
    expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path: 'input.label' }] });
  });
});

// mutation apiKeyRevoke: the key gets 404 within a second; the application's other keys stay live.
describe('apiKeyRevoke', () => {
  let service: TestService;
  let admin: TestUser;
  beforeAll(async () => {
    service = await shared.withNewApplication();
    admin = await newUser(service, await newOrganization(service), 'admin');
  });

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
    await pool.query(
      readFileSync(projectFile('prisma/migrations/20261123040000_revoked_secrets/migration.sql'), 'utf8'),
    );
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
});
