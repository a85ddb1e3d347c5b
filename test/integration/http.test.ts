// What every edge does with HTTP: routes, headers, ids of requests, and other origins.
import { randomUUID } from 'node:crypto';
import { createConnection } from 'node:net';
import type { Deps } from '../../src/deps.ts';
import { createOpsApi, type ProcessState } from '../../src/ops/opsApi.ts';
import { pingDatabase } from '../../src/platform/database/database.ts';
import { listen, type Listener } from '../../src/platform/httpServer/httpServer.ts';
import { askAdmin } from '../support/adminClient.ts';
import { type CapturedLog, captureLog } from '../support/capturedLog.ts';
import { eventually } from '../support/eventually.ts';
import { administer } from '../support/testPostgres.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';
import { aReport, json } from '../support/uploads.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// A request without a route gets Not Found, for every method, with a Date (openapi.yaml, "Base URL and routes").
describe('routes', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
  /** Node's parser knows only the first ones of these. */
  const rareMethods = ['TRACE', 'PROPFIND', 'PURGE', 'QUERY', 'FOO', 'PUTT', 'get', 'x', "!#$%&'*+-.^_`|~9"];
  const publicPaths = ['/api/v1/session', '/api/v1/attribution', '/api/v1/tm/store'];
  const unrouted = [
    ...[
      '/',
      '/robots.txt',
      '/favicon.ico',
      '/api',
      '/api/v1',
      '/api/v2/session',
      '/api/v1/sessions',
      '/admin/graphql',
      '/admin',
      '/livez',
      '/readyz',
      '/metrics',
      '/docs',
      '/openapi.yaml',
    ].flatMap((path) => methods.map((method) => [method, path])),
    ...publicPaths.flatMap((path) => methods.map((method) => [method, `${path}/`])),
    ...publicPaths.flatMap((path) => methods.filter((method) => method !== 'POST').map((method) => [method, path])),
    ...methods.filter((method) => method !== 'GET').map((method) => [method, '/api/v1/campaigns']),
    ...methods.filter((method) => method !== 'POST').map((method) => [method, '/admin/graphql/']),
    ...['/robots.txt', '/api/v1/session', '/admin/graphql/', '*'].flatMap((path) =>
      rareMethods.map((method) => [method, path]),
    ),
    ['POST', '/API/v1/session'],
    ['POST', '//api/v1/session'],
    ['POST', '/api/v1/%73ession'],
    ['POST', '/api/v1/session/..'],
    ['POST', '/api/v1/./session'],
    ['POST', '/api/v1\\session'],
    ['POST', '/admin\\graphql/'],
    ...[
      '/api/v1/zz/../session',
      '/api/v1/./session',
      '/api/v1\\session',
      '/api/v1/%2e/session',
      '/api/v1/%73ession',
      '//api/v1/session',
      '/admin\\graphql/',
      '/admin/./graphql/',
      '/admin/zz/../graphql/',
      '',
      '?/api/v1/session',
    ].map((path) => ['POST', `http://x${path}`]),
    ['POST', 'http:///api/v1/session'],
    ['POST', 'http://[/api/v1/session'],
    ['GET', '/%00'],
    ['GET', '/%zz'],
  ];

  test.each(unrouted)('%s %s', async (method, path) => {
    const response = await rawRequest(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${service.application.key.public}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    expect(response.head).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(response.head).toMatch(/\r\nDate: [A-Z][a-z]{2}, \d{2} /);
    expect(response.head).toMatch(/\r\nX-Request-Id: [\w-]{16,64}\r\n/);
    expect(response.head).not.toMatch(/x-powered-by|etag/i);
    expect(response.body).toBe(method === 'HEAD' ? '' : '{"detail":"Not Found"}');
  });

  test('the body of an unrouted request is not waited for', async () => {
    const response = await rawRequest(
      'POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\nonly a beginning',
    );
    expect(response.head).toMatch(/^HTTP\/1\.1 404 /);
  });

  test.each([
    ['Expect: foo', 'GET', '/robots.txt'],
    ['Expect: foo', 'POST', '/'],
    ['Expect: 200-ok', 'OPTIONS', '/admin/graphql/'],
    ['Accept: */*', 'CONNECT', '/robots.txt'],
    ['Expect: foo', 'CONNECT', '/api/v1/session'],
    ['Accept: */*', 'CONNECT', 'example.com:443'],
  ])('%s, %s %s: no other response than the one of this service', async (header, method, target) => {
    const { head, body } = await rawRequest(`${method} ${target} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
    expect(head).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    for (const name of ['X-Request-Id', 'Date', 'Cache-Control', 'X-Content-Type-Options', 'Content-Type'])
      expect(head).toMatch(new RegExp(`\r\n${name}: `));
    expect(body).toBe('{"detail":"Not Found"}');
  });

  test('an expectation that is not known changes nothing on a route', async () => {
    const body = JSON.stringify(aReport());
    const { head } = await rawRequest(
      `POST /api/v1/session HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${service.application.key.public}\r\nExpect: foo\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test.each([
    ['/api/v1/session', 404, '{"detail":"Application not found"}'],
    ['/admin/graphql/', 400, ''],
  ])('%s has its route in an absolute target too', async (path, status, begin) => {
    for (const target of [path, `http://x${path}`, `HTTPS://example.com:8080${path}?x=/../y`]) {
      const response = await rawRequest(
        `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{`,
      );
      expect(response.head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(response.body.startsWith(begin)).toBe(true);
    }
  });

  test('a query string does not change the route', async () => {
    const response = await fetch(`${service.url}/api/v1/session?x=1`, { method: 'POST' });
    expect([response.status, await response.json()]).toEqual([404, { detail: 'Application not found' }]);
  });

  test.each([
    [16_383, '404 Not Found'],
    [16_384, '400 Bad Request'],
  ])('a target, header names and header values of %d bytes are %s', async (size, status) => {
    const left = size - '/HostxX-Any'.length;
    for (const [path, header] of [
      ['x'.repeat(left), ''],
      ['', 'x'.repeat(left)],
      ['x'.repeat(left - 8_000), 'x'.repeat(8_000)],
    ])
      expect((await rawRequest(`GET /${path} HTTP/1.1\r\nHost: x\r\nX-Any: ${header}\r\n\r\n`)).head).toMatch(status);
  });

  /** Node's parser tells a word that is no method from one that it does not know by nothing. */
  test.each([
    ['NONSENSE\r\n', 404],
    ['FOO /\r\n', 404],
    ['F(O / HTTP/1.1\r\n', 404],
    ['\x16\x03\x01\x02', 404],
    ['GET / FTP/1.1\r\n', 400],
    ['GET  HTTP/1.1\r\n', 400],
    ['GET / HTTP/3.0\r\n', 400],
    ['GET / HTTP/1.1\r\nno header\r\n', 400],
  ])('what is no HTTP, as %j, is refused with a Date as well', async (bytes, status) => {
    const response = await rawRequest(`${bytes}\r\n`);
    expect(response.head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} \\w+ \\w+\\r\\nDate: `));
  });

  test('however many headers there are, none is passed over', async () => {
    const body = JSON.stringify(aReport());
    const send = (last: string) =>
      rawRequest(
        `POST /api/v1/session HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(4_000)}` +
          `X-Api-Key: ${service.application.key.public}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${last}\r\n${body}`,
      );
    expect((await send('')).head).toMatch(/^HTTP\/1\.1 200 /);
    expect((await send('X-Signature: bad\r\n')).head).toMatch(/^HTTP\/1\.1 403 /);
    expect((await send('Content-Type: text/plain\r\n')).head).toMatch(/^HTTP\/1\.1 415 /);
  });

  function rawRequest(text: string): Promise<{ head: string; body: string }> {
    const { hostname, port } = new URL(service.url);
    return new Promise((resolve, reject) => {
      let received = '';
      const socket = createConnection(Number(port), hostname, () => socket.write(text));
      socket.on('data', (chunk) => {
        received += chunk.toString();
        const [head, body] = received.split('\r\n\r\n');
        const length = /content-length: (\d+)/i.exec(head ?? '')?.[1] ?? '0';
        const whole = body !== undefined && (text.startsWith('HEAD') || body.length >= Number(length));
        if (!whole) return;
        socket.destroy();
        resolve({ head: `${head}\r\n`, body });
      });
      socket.on('error', reject);
      socket.on('close', () => reject(new Error(`closed after: ${received}`)));
    });
  }
});

// Headers of responses on all three edges: they forbid sniffing, caching and framing, and do not reveal the software.
describe('responseHeaders', () => {
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

  test.each(['starting', 'draining'] as const)(
    '/readyz is 503 while the process is %s, and says so',
    async (reason) => {
      state = reason;
      const ready = await fetch(`${ops.url}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([503, { status: 'not ready', reason }]);
      expect((await fetch(`${ops.url}/livez`)).status).toBe(200);
      state = 'serving';
      expect((await fetch(`${ops.url}/readyz`)).status).toBe(200);
    },
  );

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
});

// X-Request-Id: every response names its request; a proxy's id is kept, any other is replaced, and the log has the same id.
describe('requestId', () => {
  const given = '5f0c7a52-31f2-4c7e-9a55-0d8e1e6a9f10';
  let captured: CapturedLog;
  let service: TestService;
  beforeAll(async () => {
    captured = captureLog();
    const uploads: Deps['uploads'] = {
      isFull: () => false,
      take: () => Promise.reject(new Error('broken on purpose')),
    };
    service = await startTestService({ log: captured.log, change: (deps) => ({ ...deps, uploads }) });
  });
  afterAll(async () => {
    await service.stop();
    captured.stop();
  });

  type Sent = Record<string, string>;
  const key = () => ({ 'X-Api-Key': service.application.key.public });
  const upload = (headers: Sent) =>
    fetch(`${service.url}/api/v1/session`, {
      method: 'POST',
      headers: { ...key(), ...headers },
      body: json(aReport()),
    });
  const ways: [string, (headers: Sent) => Promise<{ status: number; headers: Headers }>][] = [
    ['an upload', upload],
    ['a refused upload', (headers) => upload({ ...headers, 'X-Api-Key': 'pub_nobody' })],
    ['the configuration', (headers) => fetch(`${service.url}/api/v1/campaigns`, { headers: { ...key(), ...headers } })],
    ['no route', (headers) => fetch(`${service.url}/robots.txt`, { headers })],
    ['the admin API', (headers) => askAdmin(service.url, { query: '{ id }', headers })],
    ['a refusal of the admin API', (headers) => askAdmin(service.url, { query: '{ me { name } }', headers })],
    ['no route beside the admin API', (headers) => fetch(`${service.url}/admin/graphql/`, { headers })],
  ];
  const idOf = ({ headers }: { headers: Headers }) => headers.get('X-Request-Id');

  test.each(ways)('%s gets its name in the response, a new one each time', async (_, send) => {
    const [one, other] = [idOf(await send({})), idOf(await send({}))];
    expect(one).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(other).not.toBe(one);
  });

  test.each(ways)('%s keeps the name that a proxy gave it', async (_, send) => {
    for (const name of [given, '0af7651916cd43dd8448eb211c80319c', '01ARZ3NDEKTSV4RRFFQ69G5FAV']) {
      expect(idOf(await send({ 'X-Request-Id': name }))).toBe(name);
    }
  });

  test.each([
    // No hexadecimal digits: ids in the log contain other short names by chance.
    ['too short', 'xyz'],
    ['too long', 'a'.repeat(65)],
    ['a secret key', `sec_${'a'.repeat(32)}`],
    ['a token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
    ['an address', 'somebody@example.com'],
    ['two names', `${given}, ${given}`],
  ])('a name of another form is not kept, and not logged: %s', async (_, name) => {
    const response = await upload({ 'X-Request-Id': name });
    expect(response.status).toBe(500);
    expect(idOf(response)).not.toBe(name);
    expect(captured.text()).not.toContain(name);
  });

  const lines = () =>
    captured
      .text()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  test('the log says under the same name what failed', async () => {
    expect((await upload({ 'X-Request-Id': given })).status).toBe(500);
    const [line] = lines().filter(({ requestId }) => requestId === given);
    expect(line).toMatchObject({ level: 'error', operation: 'reportSessions', msg: 'a request failed' });
  });

  test('an attempt is logged by its own outcome, whatever becomes of the other fields of its operation', async () => {
    const { token } = await newUser(service, await newOrganization(service), 'viewer');
    const attemptsOf = async (fields: string): Promise<unknown[]> => {
      const headers = { 'X-Request-Id': randomUUID() };
      await askAdmin(service.url, { query: `mutation { ${fields} }`, headers, token });
      const own = lines().filter(({ requestId }) => requestId === headers['X-Request-Id']);
      return own.flatMap(({ msg, outcome }) => (msg === 'authentication' ? [outcome] : []));
    };
    const refresh = 'refreshToken(token: "none") { token }';
    const rename = 'organizationEdit(input: { name: "x" }) { id }';
    const signup = `signup(input: { email: "${randomUUID()}@example.com", password: "a fine phrase", organization: "x", name: "x" }) { token }`;
    expect(await attemptsOf(`${signup} ${rename}`)).toEqual(['OK']);
    expect(await attemptsOf(`${refresh} ${rename}`)).toEqual(['INVALID_TOKEN']);
    // After a failed field, no further field is tried.
    expect(await attemptsOf(`${rename} ${refresh}`)).toEqual([]);
  });

  test('attempts to get in and refusals are logged by operation and outcome, with nothing that was sent', async () => {
    const input = '{ email: "nobody@example.com", password: "a fine phrase" }';
    const headers = { 'X-Request-Id': given };
    await askAdmin(service.url, { query: `mutation { mine: login(input: ${input}) { token } }`, headers });
    await askAdmin(service.url, { query: '{ mine: me { name } }', headers });
    const own = lines().filter(({ requestId }) => requestId === given);
    const network = '127.0.0.0/24';
    expect(own).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ msg: 'authentication', operation: 'login', outcome: 'INVALID_CREDENTIALS', network }),
        expect.objectContaining({ msg: 'access refused', operations: ['me'], outcome: 'UNAUTHENTICATED', network }),
      ]),
    );
    expect(captured.text()).not.toMatch(/nobody@|fine phrase|mine|127\.0\.0\.1/);
  });
});

// CORS on the admin API: for the configured dashboards on its only path, and for no other origin.
describe('crossOrigin', () => {
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

  async function expectPlain404(response: Response): Promise<void> {
    expect([response.status, await response.text(), corsHeaders(response)]).toEqual([
      404,
      '{"detail":"Not Found"}',
      [],
    ]);
  }

  test.each([dashboard, local])("the preflight of %s's browser gets a response", async (origin) => {
    const response = await asPreflight(origin);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization, content-type, x-request-id',
      'access-control-max-age': '86400',
      vary: 'Origin',
      date: expect.any(String) as string,
    });
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
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
    ['a response', 200, { body: '{"query":"{ id }"}' }],
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

  test('the public API has no CORS responses', async () => {
    const response = await fetch(`${service.url}/api/v1/session`, { method: 'POST', headers: { Origin: dashboard } });
    expect([response.status, corsHeaders(response)]).toEqual([404, []]);
  });

  test('without any configured origin nothing of it is there', async () => {
    const response = await post(dashboard, { body: '{"query":"{ id }"}' }, closed);
    expect([response.status, corsHeaders(response)]).toEqual([200, []]);
    await expectPlain404(
      await fetch(`${closed.url}${path}`, {
        method: 'OPTIONS',
        headers: { Origin: dashboard, 'Access-Control-Request-Method': 'POST' },
      }),
    );
  });
});
