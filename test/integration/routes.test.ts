// A request without a route gets Not Found, for every method, with a Date (openapi.yaml, "Base URL and routes").
import { createConnection } from 'node:net';
import { startTestService, type TestService } from '../support/testService.ts';
import { aReport } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

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
  const answer = await rawRequest(
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${service.application.key.public}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
  );
  expect(answer.head).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
  expect(answer.head).toMatch(/\r\nDate: [A-Z][a-z]{2}, \d{2} /);
  expect(answer.head).toMatch(/\r\nX-Request-Id: [\w-]{16,64}\r\n/);
  expect(answer.head).not.toMatch(/x-powered-by|etag/i);
  expect(answer.body).toBe(method === 'HEAD' ? '' : '{"detail":"Not Found"}');
});

test('the body of an unrouted request is not waited for', async () => {
  const answer = await rawRequest(
    'POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\nonly a beginning',
  );
  expect(answer.head).toMatch(/^HTTP\/1\.1 404 /);
});

test.each([
  ['Expect: foo', 'GET', '/robots.txt'],
  ['Expect: foo', 'POST', '/'],
  ['Expect: 200-ok', 'OPTIONS', '/admin/graphql/'],
  ['Accept: */*', 'CONNECT', '/robots.txt'],
  ['Expect: foo', 'CONNECT', '/api/v1/session'],
  ['Accept: */*', 'CONNECT', 'example.com:443'],
])('%s, %s %s: no other answer than the one of this service', async (header, method, target) => {
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
    const answer = await rawRequest(
      `POST ${target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{`,
    );
    expect(answer.head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.body.startsWith(begin)).toBe(true);
  }
});

test('a query string does not change the route', async () => {
  const answer = await fetch(`${service.url}/api/v1/session?x=1`, { method: 'POST' });
  expect([answer.status, await answer.json()]).toEqual([404, { detail: 'Application not found' }]);
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
  const answer = await rawRequest(`${bytes}\r\n`);
  expect(answer.head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} \\w+ \\w+\\r\\nDate: `));
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
