// query projects: the projects of the caller's organization, oldest first.
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';
import { createApplication, createProject } from '../support/workspace.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

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
