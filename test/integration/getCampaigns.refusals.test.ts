// GET /api/v1/campaigns: its refusals in the order of checks, and the service's own failures.
import type { Deps } from '../../src/deps.ts';
import { fetchConfig } from '../support/campaigns.ts';
import { pathsOf } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('refusals', () => {
  test('the key comes first and is 404', async () => {
    for (const headers of [{}, { 'X-Api-Key': 'unknown' }] as Record<string, string>[]) {
      const answer = await service.client.get('getCampaigns', headers, '?appVersion=x');
      expect(answer).toMatchObject({ status: 404, body: { detail: 'Application not found' } });
    }
  });

  test.each([
    ['?platform=ios', ['platform']],
    ['?platform=', ['platform']],
    ['?appVersion=', ['appVersion']],
    ['?appVersion=1.5', ['appVersion']],
    ['?appVersion=-1', ['appVersion']],
    ['?appVersion=+1', ['appVersion']],
    ['?appVersion=1e3', ['appVersion']],
    ['?appVersion=0x10', ['appVersion']],
    ['?appVersion=%201', ['appVersion']],
    ['?appVersion=9007199254740992', ['appVersion']],
    [`?appVersion=${'9'.repeat(400)}`, ['appVersion']],
    ['?country=' + 'x'.repeat(257), ['country']],
    ['?deviceId=', ['deviceId']],
    ['?deviceId=%20', ['deviceId']],
    ['?deviceId=' + 'x'.repeat(257), ['deviceId']],
    ['?appVersion=1&appVersion=1', ['appVersion']],
    ['?country=DE&country=', ['country']],
    [
      '?platform=x&appVersion=x&osVersion=x&sdkVersion=x&country=a&country=b&deviceId=',
      ['appVersion', 'country', 'deviceId', 'osVersion', 'platform', 'sdkVersion'],
    ],
  ])('%s is 422', async (query, paths) => {
    const answer = await fetchConfig(service, { query });
    expect(answer).toMatchObject({ status: 422, body: { error: 'validation_failed' } });
    expect(pathsOf(answer)).toEqual(paths);
  });

  test.each([
    '?appVersion=9007199254740991',
    '?appVersion=007',
    '?country=%zz',
    '?country=%00',
    '?',
    '?&&=&x',
    '??platform=x',
    '???',
  ])('%s is 200', async (query) => {
    expect((await fetchConfig(service, { query })).status).toBe(200);
  });
});

describe('failures of our own', () => {
  const failWith = (error: Error) => (deps: Deps) => ({
    ...deps,
    campaigns: { ...deps.campaigns, find: () => Promise.reject(error) },
  });

  test.each([
    ['an unexpected failure', new Error('secret detail'), 500],
    ['a database that is away', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 503],
  ])('%s', async (_, error, status) => {
    await using broken = await startTestService({ change: failWith(error) });
    const answer = await fetchConfig(broken, { tag: '*' });
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer)).not.toContain('secret detail');
    expect(answer.headers['etag']).toBeUndefined();
  });
});
