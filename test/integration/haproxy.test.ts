// Runs deploy/haproxy.cfg in front of a slow stand-in for the service. It needs HAProxy, and without it only reads the file.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { answerTo } from '../../src/http/answers.ts';
import { AppError } from '../../src/platform/errors.ts';
import { haproxyConfiguration, haproxyIsInstalled, startHaproxy, type RunningProxy } from '../support/haproxy.ts';

const testWithProxy = haproxyIsInstalled() ? test : test.skip;
const unavailable = answerTo(new AppError('unavailable', { retryAfterSeconds: 1 })).body;
const agent = new Agent({ keepAlive: true, maxSockets: 2_000, rejectUnauthorized: false });

interface Got {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
  millis: number;
}

let proxy: RunningProxy;
let service: Server;
let ops: Server;
let seen: IncomingMessage[] = [];
let underWay = 0;
let mostUnderWay = 0;
let respond: (response: ServerResponse) => void;
const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const listening = async (server: Server): Promise<Server> => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  return server;
};

beforeAll(async () => {
  if (!haproxyIsInstalled()) return;
  ops = await listening(createServer((_, response) => void response.end()));
  service = await listening(
    createServer((incoming, response) => {
      seen.push(incoming);
      mostUnderWay = Math.max(mostUnderWay, ++underWay);
      response.on('close', () => void (underWay -= 1));
      incoming.resume().on('end', () => respond(response));
    }),
  );
  proxy = await startHaproxy({ service: urlOf(service), ops: urlOf(ops) });
});
beforeEach(() => {
  [seen, mostUnderWay] = [[], 0];
  respond = (response) => void response.end('{}');
});
afterAll(async () => {
  agent.destroy();
  if (proxy) await proxy.stop();
  for (const server of [service, ops]) server?.close().closeAllConnections();
});

function send(path: string, body: string | Buffer, headers: RequestOptions['headers'] = {}): Promise<Got> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(`${proxy.url}${path}`, { agent, method: 'POST', headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => void pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const millis = performance.now() - begun;
        const { statusCode, headers: received } = response;
        resolve({ status: statusCode!, headers: received, body: Buffer.concat(pieces).toString(), millis });
      });
    });
    sent.on('error', reject).end(body);
  });
}

function expectRefusal({ status, headers, body }: Got): void {
  expect(status).toBe(503);
  expect(JSON.parse(body)).toEqual(unavailable);
  expect(headers['content-type']).toBe('application/json');
  expect(Math.abs(Date.parse(headers.date!) - Date.now())).toBeLessThan(5_000);
  expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(450);
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9-]{16,64}$/);
  expect(headers['cache-control']).toBe('no-store');
}

test('each body of 503 in the file is that of the service', () => {
  const text = readFileSync(haproxyConfiguration, 'utf8');
  const bodies = [...text.matchAll(/status 503 .*string '([^']*)'/g)].map(([, body]) => JSON.parse(body!) as unknown);
  expect(bodies).toEqual([unavailable, unavailable]);
});

testWithProxy('passes path and body on, and names the client and the request itself', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const claims = { 'X-Forwarded-For': '203.0.113.7', 'X-Request-Id': 'a-client-chose-this-id', traceparent };
  const { status, headers } = await send('/api/v1/session?a=%2F', 'abc', claims);
  expect([status, seen[0]!.url]).toEqual([200, '/api/v1/session?a=%2F']);
  expect(seen[0]!.headers['x-forwarded-for']).toBe('127.0.0.1');
  expect(seen[0]!.headers['x-request-id']).not.toBe(claims['X-Request-Id']);
  expect(seen[0]!.headers).not.toHaveProperty('traceparent');
  expect(headers['strict-transport-security']).toBe('max-age=31536000');
});

testWithProxy(
  'of a flood at most 64 requests reach the process, and each other gets its response within 2 s',
  async () => {
    respond = (response) => void setTimeout(() => response.end('{}'), 300);
    const got = await Promise.all(Array.from({ length: 600 }, () => send('/api/v1/session', 'x'.repeat(1_500))));
    expect(mostUnderWay).toBeLessThanOrEqual(64);
    const refused = got.filter(({ status }) => status !== 200);
    expect(got.length - refused.length).toBeGreaterThanOrEqual(64);
    expect(refused.length).toBeGreaterThan(200);
    for (const each of refused) expectRefusal(each);
    // The refusals of a flood spread.
    const again = await Promise.all(Array.from({ length: 600 }, () => send('/api/v1/session', 'x')));
    const waits = again.filter(({ status }) => status === 503).map(({ headers }) => Number(headers['retry-after']));
    expect(new Set(waits).size).toBeGreaterThan(10);
    expect(Math.max(...waits)).toBeGreaterThan(30);
  },
);

testWithProxy('a queue that does not move ends in a 503 after a second', async () => {
  respond = (response) => void setTimeout(() => response.end('{}'), 3_000);
  const got = await Promise.all(Array.from({ length: 100 }, () => send('/api/v1/session', 'x')));
  const refused = got.filter(({ status }) => status !== 200);
  expect(refused.length).toBe(36);
  for (const each of refused) expectRefusal(each);
  expect(Math.max(...refused.map(({ millis }) => millis))).toBeLessThan(2_000);
});

testWithProxy('the admin API has places of its own while uploads fill theirs', async () => {
  respond = (response) => void setTimeout(() => response.end('{}'), response.req.url === '/admin/graphql/' ? 0 : 800);
  const uploads = Array.from({ length: 100 }, () => send('/api/v1/session', 'x'));
  const { status, millis } = await send('/admin/graphql/', '{}');
  expect(status).toBe(200);
  expect(millis).toBeLessThan(800);
  await Promise.all(uploads);
});

testWithProxy('clients that send their bodies slowly take no place at the process', async () => {
  const slow = Array.from({ length: 100 }, () => {
    const options = {
      agent: new Agent({ rejectUnauthorized: false }),
      method: 'POST',
      headers: { 'Content-Length': 99 },
    };
    const sent = request(`${proxy.url}/api/v1/session`, options).on('error', () => undefined);
    sent.write('x');
    return sent;
  });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect((await send('/api/v1/session', 'x')).status).toBe(200);
  expect(seen.length).toBe(1);
  for (const sent of slow) sent.destroy();
});

testWithProxy('with a body of 2 MiB the refusal arrives, too', async () => {
  respond = (response) => void setTimeout(() => response.end('{}'), 900);
  const filling = Array.from({ length: 140 }, () => send('/api/v1/session', 'x'));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { status } = await send('/api/v1/session', Buffer.alloc(2 * 1024 * 1024));
  expect(status).toBe(503);
  await Promise.all(filling);
});

testWithProxy('without a ready process every request gets the same 503', async () => {
  await new Promise((resolve) => {
    ops.closeAllConnections();
    ops.close(resolve);
  });
  let last: Got;
  do {
    await new Promise((resolve) => setTimeout(resolve, 200));
    last = await send('/api/v1/session', 'x');
  } while (last.status === 200);
  expectRefusal(last);
  expectRefusal(await send('/admin/graphql/', '{}'));
});
