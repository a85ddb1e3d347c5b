// The ids of rows that the admin API creates: version 7, so that a new row lands on the right edge of its index.
import { newCampaignEditor } from '../support/campaignEdits.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';
import { createApplication, createProject } from '../support/workspace.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('projects, applications, keys and campaigns have ids of version 7', async () => {
  const admin = await newUser(service, await newOrganization(service), 'admin');
  const projectId = await createProject(admin);
  const application = await createApplication(admin, projectId);
  const campaign = await (await newCampaignEditor(service)).create();
  const where = { public: application.apiKeys[0]!.public };
  const key = await service.database.prisma.apiKey.findUniqueOrThrow({ where });
  const ids = { project: projectId, application: application.id, key: key.id, campaign: campaign.id };
  const versions = Object.entries(ids).map(([name, id]) => `${name} ${id[14]}`);
  expect(versions).toEqual(['project 7', 'application 7', 'key 7', 'campaign 7']);
});
