// queries organization, projects and applications: their nested fields, in a constant number of statements, keys for admins only.
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { newApiKey } from '../../src/workspace/apiKey.ts';
import { insertApiKey } from '../../src/workspace/applicationsStore.ts';
import { askAdmin } from '../support/adminClient.ts';
import { countStatements } from '../support/statements.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, type TestUser } from '../support/testUsers.ts';

const encryption = createEncryption(Buffer.alloc(32, 1));
let service: TestService;
let admin: TestUser;
beforeAll(async () => {
  service = await startTestService();
  admin = await newUser(service, await newOrganization(service, 'Acme'), 'admin');
});
afterAll(() => service.stop());

async function addProject(organizationId: string, name: string, deletedAt: Date | null = null) {
  const { prisma } = service.database;
  const application = { name: `${name} app`, bundleId: 'com.example', platform: 'Android' as const };
  const project = await prisma.project.create({
    data: {
      organizationId,
      name,
      deletedAt,
      applications: { create: [application, { ...application, deletedAt: new Date() }] },
    },
    include: { applications: { where: { deletedAt: null } } },
  });
  const applicationId = project.applications[0]!.id;
  const key = newApiKey();
  await inTransaction(service.database.pool, (transaction) =>
    insertApiKey(transaction, encryption, { applicationId, key }),
  );
  return { id: project.id, applicationId, key };
}

test('shows the workspace, oldest first, without what is deleted or revoked', async () => {
  const one = await addProject(admin.organizationId, 'One');
  const two = await addProject(admin.organizationId, 'Two');
  await addProject(admin.organizationId, 'Gone', new Date());
  await service.database.prisma.apiKey.updateMany({
    where: { applicationId: two.applicationId },
    data: { revokedAt: new Date() },
  });
  await newUser(service, admin.organizationId, 'viewer');
  const { data, errors } = await admin.ask(
    `{ organization { id name logo projectsCount users { role } projects { id name image
      applications { id name bundleId image platform project { name } apiKeys { public secret lastUsed application { id } } } } } }`,
  );
  expect(errors).toEqual([]);
  const application = (name: string, id: string) => ({
    id,
    name: `${name} app`,
    bundleId: 'com.example',
    image: '',
    platform: 'Android',
    project: { name },
  });
  expect(data!['organization']).toEqual({
    id: admin.organizationId,
    name: 'Acme',
    logo: null,
    projectsCount: 2,
    users: [{ role: 'admin' }, { role: 'viewer' }],
    projects: [
      {
        id: one.id,
        name: 'One',
        image: null,
        applications: [
          {
            ...application('One', one.applicationId),
            apiKeys: [{ ...one.key, lastUsed: null, application: { id: one.applicationId } }],
          },
        ],
      },
      {
        id: two.id,
        name: 'Two',
        image: null,
        applications: [{ ...application('Two', two.applicationId), apiKeys: [] }],
      },
    ],
  });
});

test('the number of statements does not grow with the projects', async () => {
  const owner = await newUser(service, await newOrganization(service));
  const query =
    '{ projects { name applications { name project { name } apiKeys { public secret application { name } } } } }';
  const count = () => countStatements(() => owner.ask(query));
  await addProject(owner.organizationId, 'P');
  const one = await count();
  for (let index = 0; index < 49; index += 1) await addProject(owner.organizationId, `P${index}`);
  expect(await count()).toBe(one);
});

test('keys are null with FORBIDDEN for less than an admin, and the rest is there', async () => {
  const query = '{ applications { name apiKeys { public secret } } }';
  for (const role of ['viewer', 'editor'] as const) {
    const { status, data, errors } = await (await newUser(service, admin.organizationId, role)).ask(query);
    expect([status, errors.map(({ path, extensions }) => [path, extensions])]).toEqual([
      200,
      [[['applications', 0, 'apiKeys'], { code: 'FORBIDDEN' }]],
    ]);
    const applications = data!['applications'] as { apiKeys: unknown }[];
    expect(applications[0]).toEqual({ name: 'One app', apiKeys: null });
    expect(applications.length).toBeGreaterThan(1);
    expect(applications.filter(({ apiKeys }) => apiKeys !== null)).toEqual([]);
  }
});

test('of refused keys in several places, the first in the response is named, besides other refusals', async () => {
  const viewer = await newUser(service, admin.organizationId, 'viewer');
  const query = `{ organization { projects { applications { keys: apiKeys { public } apiKeys { secret } } } }
    applications { apiKeys { public } } }`;
  const [first] = (await viewer.ask(query)).errors;
  const all = (await viewer.ask(query)).errors.map(({ path, extensions }) => [path, extensions.code]);
  expect(all).toEqual([[['organization', 'projects', 0, 'applications', 0, 'keys'], 'FORBIDDEN']]);
  expect(first!.path).toEqual(all[0]![0]);
  const limited = (await viewer.ask(`{ campaigns(limit: 0) { id } }`)).codes;
  expect(limited).toEqual(['BAD_USER_INPUT']);
});

test('below login the rights are those of the user who logs in, not of the bearer', async () => {
  const editor = await newUser(service, admin.organizationId, 'editor');
  await service.database.prisma.user.update({
    where: { id: editor.id },
    data: { passwordHash: await service.deps.passwords.hash('a fine phrase', 'known') },
  });
  const query = `mutation { login(input: { email: "${editor.email}", password: "a fine phrase" })
    { organization { projects { applications { apiKeys { secret } } } } } }`;
  expect((await askAdmin(service.url, { query, token: admin.token })).codes).toContain('FORBIDDEN');
});

test('a secret is decrypted only when it is asked for', async () => {
  const { id, organizationId } = await newUser(service, await newOrganization(service));
  const owner = await newUser(service, organizationId);
  const { applicationId } = await addProject(organizationId, 'P');
  await service.database.prisma.apiKey.updateMany({
    where: { applicationId },
    data: { secretEncrypted: Buffer.from(id) },
  });
  expect((await owner.ask('{ applications { apiKeys { public } } }')).errors).toEqual([]);
  const broken = await owner.ask('{ applications { apiKeys { secret } } }');
  expect(broken.codes).toEqual(['INTERNAL_SERVER_ERROR']);
});

test('users come in the order in which they came, those of one instant in that of their ids', async () => {
  const owner = await newUser(service, await newOrganization(service));
  const { prisma } = service.database;
  const others = await Promise.all(Array.from({ length: 12 }, () => newUser(service, owner.organizationId)));
  const where = { organizationId: owner.organizationId, userId: { not: owner.id } };
  const rows = await prisma.membership.findMany({ where, orderBy: { id: 'asc' } });
  const membershipOf = ({ id }: TestUser) => rows.find(({ userId }) => userId === id)!.id;
  others.sort((a, b) => (membershipOf(a) < membershipOf(b) ? -1 : 1));
  // Rewrites the rows in the reverse order of the ids, and dates them before the owner's row.
  for (const { id } of rows.toReversed())
    await prisma.membership.update({ where: { id }, data: { createdAt: new Date(0) } });
  const { data } = await owner.ask('{ organization { users { email } } }');
  const shown = (data!['organization'] as { users: { email: string }[] }).users.map(({ email }) => email);
  expect(shown).toEqual([...others, owner].map(({ email }) => email));
});
