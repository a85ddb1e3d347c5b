// The pages of docs/analytics: each question, asked on each engine, has the response that the page shows.
import { exampleData, askedAt, workedExamples } from '../support/analytics/workedExamples.ts';
import { standInEngine } from '../support/analytics/engines.ts';
import { storeDrawn } from '../support/analytics/storeDrawn.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let viewer: TestUser;
let applicationId: string;
beforeAll(async () => {
  let asked: TestService | null = null;
  service = await startTestService({
    now: () => (asked === null ? new Date() : askedAt),
    change: (deps) => ({ ...deps, analytics: standInEngine({ pool: deps.pool }) }),
  });
  asked = service;
  ({ applicationId } = await storeDrawn(service.database, exampleData()));
});
afterAll(() => service.stop());

const examples = workedExamples();

test('there are examples', () => {
  expect(examples.length).toBeGreaterThan(0);
});

test.each(examples)('$page', async ({ query, response }) => {
  viewer = await newUser(service, await organizationOf(service, applicationId), 'viewer');
  const { data, errors } = await viewer.ask(query, { app: applicationId });
  expect(errors).toEqual([]);
  expect(data).toEqual(response);
});
