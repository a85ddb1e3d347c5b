// Headers of responses on all three edges: they forbid sniffing, caching and framing, and do not reveal the software.
import { createOpsApi, type ProcessState } from '../../src/ops/opsApi.ts';
import { pingDatabase } from '../../src/platform/database/database.ts';
import { listen, type Listener } from '../../src/platform/httpServer/httpServer.ts';
import { eventually } from '../support/eventually.ts';
import { administer } from '../support/testPostgres.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aReport, json } from '../support/uploads.ts';

let service: TestService;
let ops: Listener;
let state: ProcessState = 'serving';
beforeAll(async () => {
  service = await startTestService({ dashboardOrigins: ['https://dashboard.example.com'] });
  const { registry } = service.deps.metrics;
  const ping = () => pingDatabase(service.database.pool);
  ops = await listen(createOpsApi({ registry, pingDatabase: ping, state: () => state, docs: null }), {
    port: 0,
    host: '127.0.0.1',
  });
});
afterAll(async () => {
  await ops.drain(0);
  await service.stop();
});

type Way = [string, () => Promise<Response>];
const key = () => ({ 'X-Api-Key': service.application.key.public });
const post = (path: string, body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { method: 'POST', headers, body });
const configuration = (headers: Record<string, string> = {}) =>
  fetch(`${service.url}/api/v1/campaigns`, { headers: { ...key(), ...headers } });
const admin = (body: string, type = 'application/json') => post('/admin/graphql/', body, { 'Content-Type': type });
const from = { Origin: 'https://dashboard.example.com', 'Access-Control-Request-Method': 'POST' };
const publicWays: Way[] = [
  ['200', () => post('/api/v1/session', json(aReport()), key())],
  ['404 of a key', () => post('/api/v1/session', json(aReport()))],
  ['404 of a route', () => fetch(service.url)],
  ['413', () => post('/api/v1/session', Buffer.alloc(2_200_000), key())],
  ['415', () => post('/api/v1/attribution', '{}', { ...key(), 'Content-Type': 'text/plain' })],
  ['422', () => post('/api/v1/tm/store', '{}', key())],
];
const adminWays: Way[] = [
  ['200', () => admin('{"query":"{ id }"}')],
  ['400', () => admin('{')],
  ['401', () => admin('{"query":"{ me { name } }"}')],
  ['413', () => admin(`"${'x'.repeat(200_000)}"`)],
  ['415', () => admin('{}', 'text/plain')],
  ['a preflight', () => fetch(`${service.url}/admin/graphql/`, { method: 'OPTIONS', headers: from })],
];
const opsWays: Way[] = [
  ['/livez', () => fetch(`${ops.url}/livez`)],
  ['/readyz', () => fetch(`${ops.url}/readyz`)],
  ['/metrics', () => fetch(`${ops.url}/metrics`)],
  ['no route', () => fetch(`${ops.url}/api/v1/session`)],
];
const all = [
  ...publicWays.map(([name, send]) => [`public ${name}`, send] as const),
  ...adminWays.map(([name, send]) => [`admin ${name}`, send] as const),
  ...opsWays.map(([name, send]) => [`private ${name}`, send] as const),
];

test.each(all)('%s: no-store, nosniff, and no word of what runs here', async (_, send) => {
  const { headers } = await send();
  expect(headers.get('Cache-Control')).toBe('no-store');
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  for (const name of ['Server', 'X-Powered-By', 'Via', 'ETag', 'Set-Cookie'])
    expect([name, headers.get(name)]).toEqual([name, null]);
});

test.each([...adminWays, ...opsWays])('%s: a browser that opens it runs and frames nothing', async (_, send) => {
  expect((await send()).headers.get('Content-Security-Policy')).toBe("default-src 'none'; frame-ancestors 'none'");
});

test('the configuration may be kept by its device, and is asked for again each time', async () => {
  const whole = await configuration();
  const held = await configuration({ 'If-None-Match': whole.headers.get('ETag')! });
  expect([whole.status, held.status]).toEqual([200, 304]);
  for (const { headers } of [whole, held]) expect(headers.get('Cache-Control')).toBe('private, no-cache');
  expect(whole.headers.get('X-Content-Type-Options')).toBe('nosniff');
});

test.each(['starting', 'draining'] as const)('/readyz is 503 while the process is %s, and says so', async (reason) => {
  state = reason;
  const ready = await fetch(`${ops.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'not ready', reason }]);
  expect((await fetch(`${ops.url}/livez`)).status).toBe(200);
  state = 'serving';
  expect((await fetch(`${ops.url}/readyz`)).status).toBe(200);
});

test('/readyz is 503 while the database takes no writes, as on a replica, and so is an upload', async () => {
  const { database, application, client } = service;
  const take = async (readOnly: 'on' | 'off'): Promise<void> => {
    const name = new URL(database.url).pathname.slice(1);
    await administer(process.env['TEST_SERVER_URL']!, [
      `ALTER DATABASE ${name} SET default_transaction_read_only = ${readOnly}`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = '${name}' AND application_name = 'campaign-analytics-backend'`,
    ]);
  };
  const upload = () => client.send('reportSessions', { 'X-Api-Key': application.key.public }, aReport());
  const statuses = async () => [(await fetch(`${ops.url}/readyz`)).status, (await upload()).status];
  expect(await statuses()).toEqual([200, 200]);
  await take('on');
  await eventually(statuses, ([ready]) => ready === 503);
  const ready = await fetch(`${ops.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'not ready', reason: 'database' }]);
  expect((await upload()).status).toBe(503);
  await take('off');
  expect(await eventually(statuses, ([back]) => back === 200)).toEqual([200, 200]);
});
