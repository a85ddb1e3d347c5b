// CORS on the admin API: for the configured dashboards on its only path, and for no other origin.
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';

const dashboard = 'https://dashboard.example.com';
const local = 'http://localhost:3000';
let service: TestService;
let closed: TestService;
beforeAll(async () => {
  service = await startTestService({ dashboardOrigins: [dashboard, local] });
  closed = await startTestService();
});
afterAll(async () => {
  await service.stop();
  await closed.stop();
});

const path = '/admin/graphql/';
interface Preflight {
  method?: string;
  path?: string;
  wanted?: string;
}
const asPreflight = (origin: string, { method = 'OPTIONS', path: where = path, wanted = 'POST' }: Preflight = {}) =>
  fetch(`${service.url}${where}`, {
    method,
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': wanted,
      'Access-Control-Request-Headers': 'authorization,content-type',
    },
  });

/** The names of all CORS headers. */
const corsHeaders = ({ headers }: { headers: Headers }) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control') || name === 'vary');

async function expectPlain404(answer: Response): Promise<void> {
  expect([answer.status, await answer.text(), corsHeaders(answer)]).toEqual([404, '{"detail":"Not Found"}', []]);
}

test.each([dashboard, local])("the preflight of %s's browser is answered", async (origin) => {
  const answer = await asPreflight(origin);
  expect([answer.status, await answer.text()]).toEqual([204, '']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'authorization, content-type, x-request-id',
    'access-control-max-age': '86400',
    vary: 'Origin',
    date: expect.any(String) as string,
  });
  expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
});

test.each([
  ['a stranger', 'https://evil.example'],
  ['another scheme', 'http://dashboard.example.com'],
  ['another port', 'https://dashboard.example.com:8443'],
  ['upper case', 'https://Dashboard.example.com'],
  ['a name that begins with it', 'https://dashboard.example.com.evil.example'],
  ['a name that ends with it', 'https://evil-dashboard.example.com'],
  ['no origin of its own', 'null'],
  ['two at once', `${dashboard}, ${local}`],
])('the preflight of %s is the plain 404', async (_, origin) => expectPlain404(await asPreflight(origin)));

test.each<[string, Preflight]>([
  ['for another method', { wanted: 'DELETE' }],
  ['on a path of the public API', { path: '/api/v1/session' }],
  ['without the final slash', { path: '/admin/graphql' }],
  ['on no path at all', { path: '/' }],
  ['that is no OPTIONS', { method: 'GET' }],
])("a dashboard's preflight %s is the plain 404", async (_, preflight) =>
  expectPlain404(await asPreflight(dashboard, preflight)),
);

test('an OPTIONS that is no preflight is the plain 404', async () => {
  await expectPlain404(await fetch(`${service.url}${path}`, { method: 'OPTIONS', headers: { Origin: dashboard } }));
});

const posts: [string, number, RequestInit][] = [
  ['an answer', 200, { body: '{"query":"{ id }"}' }],
  ['a missing bearer', 401, { body: '{"query":"{ me { name } }"}' }],
  ['a wrong operation', 400, { body: '{"query":"{ nothing }"}' }],
  ['a broken body', 400, { body: '{' }],
  ['a body that is too large', 413, { body: JSON.stringify({ query: ' '.repeat(100_001) }) }],
  ['a type that is not JSON', 415, { body: 'x', headers: { 'Content-Type': 'text/plain' } }],
];
const post = (origin: string, init: RequestInit, { url } = service) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    ...init,
    headers: { 'Content-Type': 'application/json', ...init.headers, Origin: origin },
  });

test.each(posts)('%s can be read by a dashboard, and by no other origin', async (_, status, init) => {
  const allowed = await post(dashboard, init);
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([status, dashboard]);
  expect(allowed.headers.get('vary')).toContain('Origin');
  expect(allowed.headers.get('access-control-expose-headers')).toBe('x-request-id');
  const other = await post('https://evil.example', init);
  expect([other.status, corsHeaders(other)]).toEqual([status, ['vary']]);
});

test('a request without an origin is served as ever', async () => {
  const { status, headers } = await askAdmin(service.url, { query: '{ id }' });
  expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([200, null, 'Origin']);
});

test('the public API has no CORS answers', async () => {
  const answer = await fetch(`${service.url}/api/v1/session`, { method: 'POST', headers: { Origin: dashboard } });
  expect([answer.status, corsHeaders(answer)]).toEqual([404, []]);
});

test('without any configured origin nothing of it is there', async () => {
  const answer = await post(dashboard, { body: '{"query":"{ id }"}' }, closed);
  expect([answer.status, corsHeaders(answer)]).toEqual([200, []]);
  await expectPlain404(
    await fetch(`${closed.url}${path}`, {
      method: 'OPTIONS',
      headers: { Origin: dashboard, 'Access-Control-Request-Method': 'POST' },
    }),
  );
});
