// query projects: those of the caller's organization, oldest first.
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';
import { createProject } from '../support/workspace.ts';

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
