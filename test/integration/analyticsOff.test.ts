// Without analytics (ANALYTICS=off) each read of them says so, and the rest of the service goes on.
import { offEngine } from '../../src/analytics/engine/offEngine.ts';
import { analyticsQueries } from '../support/analyticsQueries.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

/** The refused uploads are counted in PostgreSQL itself. */
const { ingestIssues, ...asked } = analyticsQueries;

let service: TestService;
let viewer: TestUser;
beforeAll(async () => {
  service = await startTestService({ change: (deps) => ({ ...deps, analytics: offEngine }) });
  viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
});
afterAll(() => service.stop());

test.each(Object.entries(asked))(
  '%s is ANALYTICS_UNAVAILABLE, and the rest of the response is there',
  async (_, query) => {
    const { data, errors } = await viewer.ask(`{ read: ${query(service.application.id)} organization { id } }`);
    expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: 'ANALYTICS_UNAVAILABLE', reason: 'off' }]);
    expect(data).toEqual({ read: null, organization: { id: expect.any(String) as string } });
  },
);

test('ingestIssues needs none', async () => {
  const { data, errors } = await viewer.ask(`{ ${ingestIssues(service.application.id)} }`);
  expect([errors, Object.keys(data!)]).toEqual([[], ['ingestIssues']]);
});
