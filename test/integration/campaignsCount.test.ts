// query campaignsCount: as many as campaigns lists with the same filters, on all pages.
import { randomUUID } from 'node:crypto';
import { campaignStates, storeCampaign } from '../support/campaigns.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let viewer: TestUser;
beforeAll(async () => {
  service = await startTestService();
  viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  const ended = { startAt: null, endAt: new Date(Date.now() - 1_000) };
  for (const state of campaignStates) await storeCampaign(service, { name: `Summer ${state}`, state });
  await storeCampaign(service, { name: 'Winter', state: 'ACTIVE', ...ended });
  const other = await service.newApplication();
  await storeCampaign({ database: service.database, application: other });
});
afterAll(() => service.stop());

test.each([
  ['', 7],
  ['(states: [FINISHED, ACTIVE])', 3],
  ['(state: FINISHED)', 2],
  ['(search: "SUMMER")', 6],
  ['(search: "winter", states: [ACTIVE])', 0],
])('campaignsCount%s is %i', async (args, count) => {
  const { data } = await viewer.ask(`{ campaignsCount${args} campaigns${args} { id } }`);
  expect(data).toEqual({ campaignsCount: count, campaigns: Array(count).fill(expect.anything()) });
});

test('of one application, which must be the own one', async () => {
  const { data } = await viewer.ask(`{ campaignsCount(applicationId: "${service.application.id}") }`);
  expect(data).toEqual({ campaignsCount: 7 });
  expect((await viewer.ask(`{ campaignsCount(applicationId: "${randomUUID()}") }`)).codes).toEqual(['NOT_FOUND']);
});

test.each([
  ['state: DRAFT, states: [DRAFT]', 'states'],
  [`search: "${'x'.repeat(257)}"`, 'search'],
])('%s is refused', async (args, path) => {
  const { errors } = await viewer.ask(`{ campaignsCount(${args}) }`);
  expect(errors[0]!.extensions).toMatchObject({ code: 'BAD_USER_INPUT', fields: [{ path }] });
});
