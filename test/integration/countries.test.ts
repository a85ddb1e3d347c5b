// query countries: ISO 3166-1, for every caller.
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('countries are those of ISO 3166-1, by name', async () => {
  const { data } = await askAdmin(service.url, { query: '{ countries { code name } }' });
  const all = data!['countries'] as { code: string; name: string }[];
  expect(all).toHaveLength(249);
  expect(all[0]).toEqual({ code: 'AF', name: 'Afghanistan' });
  expect(all.map(({ code }) => code)).toEqual(expect.arrayContaining(['DE', 'AX', 'TW']));
  expect(all.map(({ code }) => code)).not.toContain('XK');
});
