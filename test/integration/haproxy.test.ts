// Runs deploy/haproxy.cfg in front of a slow stand-in for the service. It needs HAProxy, and without it only reads the file.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { answerTo } from '../../src/http/answers.ts';
import { AppError } from '../../src/platform/errors.ts';
import { eventually } from '../support/eventually.ts';
import { haproxyConfiguration, haproxyIsInstalled, startHaproxy, type RunningProxy } from '../support/haproxy.ts';

const testWithProxy = haproxyIsInstalled() ? test : test.skip;
const unavailable = answerTo(new AppError('unavailable', { retryAfterSeconds: 1 })).body;
const agent = new Agent({ keepAlive: true, maxSockets: 2_000, rejectUnauthorized: false });

interface Got {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
  millis: number;
  receivedAt: number;
}

let proxy: RunningProxy;
let service: Server;
/** In a thread of its own: while the clients of a flood hold up this one, HAProxy must not take the process for unready. */
let ops: Worker;
const opsProgram = `require('node:http').createServer((_, response) => response.end()).listen(0, '127.0.0.1', function () {
  require('node:worker_threads').parentPort.postMessage(this.address().port);
})`;
let seen: IncomingMessage[] = [];
let underWay = 0;
let mostUnderWay = 0;
let respond: (response: ServerResponse) => void;
/** Of uploads, while the stand-in holds them. */
const held: ServerResponse[] = [];
const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

beforeAll(async () => {
  if (!haproxyIsInstalled()) return;
  ops = new Worker(opsProgram, { eval: true });
  const [opsPort] = (await once(ops, 'message')) as [number];
  service = createServer((incoming, response) => {
    seen.push(incoming);
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    response.on('close', () => void (underWay -= 1));
    incoming.resume().on('end', () => respond(response));
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  proxy = await startHaproxy({ service: urlOf(port), ops: urlOf(opsPort) });
});
beforeEach(() => {
  [seen, mostUnderWay] = [[], 0];
  respond = (response) => void response.end('{}');
});
afterEach(release);
afterAll(async () => {
  agent.destroy();
  if (proxy) await proxy.stop();
  await ops?.terminate();
  service?.close().closeAllConnections();
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
        const body = Buffer.concat(pieces).toString();
        resolve({ status: statusCode!, headers: received, body, millis, receivedAt: Date.now() });
      });
    });
    sent.on('error', reject).end(body);
  });
}

/** From now on the stand-in responds to no upload until `release`. */
function hold(): void {
  respond = (response) => void (response.req.url === '/admin/graphql/' ? response.end('{}') : held.push(response));
}

function release(): void {
  respond = (response) => void response.end('{}');
  for (const response of held.splice(0)) response.end('{}');
}

/**
 * Sends so many uploads, and resolves when the stand-in holds 64 and all others have their responses: then it lets those
 * go. However slowly a busy machine sends and accepts them, none gets a place that another has left.
 */
async function flood(count: number, body: string): Promise<Got[]> {
  hold();
  const refused: Got[] = [];
  const sent = Array.from({ length: count }, () =>
    send('/api/v1/session', body).then((got) => (refused.push(got), got)),
  );
  await eventually(
    async () => [held.length, refused.length],
    ([holding, ended]) => holding === 64 && ended === count - 64,
  );
  release();
  return Promise.all(sent);
}

const refusedOf = (got: Got[]): Got[] => got.filter(({ status }) => status !== 200);

function expectRefusal({ status, headers, body, receivedAt }: Got): void {
  expect(status).toBe(503);
  expect(JSON.parse(body)).toEqual(unavailable);
  expect(headers['content-type']).toBe('application/json');
  expect(Math.abs(Date.parse(headers.date!) - receivedAt)).toBeLessThan(5_000);
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

testWithProxy('of a flood 64 requests reach the process, and each other gets its response meanwhile', async () => {
  const got = await flood(300, 'x'.repeat(1_500));
  expect(mostUnderWay).toBe(64);
  expect(refusedOf(got)).toHaveLength(236);
  for (const each of refusedOf(got)) expectRefusal(each);
  // The refusals of a flood spread.
  const waits = refusedOf(await flood(300, 'x')).map(({ headers }) => Number(headers['retry-after']));
  expect(new Set(waits).size).toBeGreaterThan(10);
  expect(Math.max(...waits)).toBeGreaterThan(30);
});

testWithProxy('a queue that does not move ends in a 503 after a second', async () => {
  const refused = refusedOf(await flood(100, 'x'));
  expect(refused.length).toBe(36);
  for (const each of refused) expectRefusal(each);
  // The least: the machine may be late for some of them.
  expect(Math.min(...refused.map(({ millis }) => millis))).toBeLessThan(2_000);
});

testWithProxy('the admin API has places of its own while uploads fill theirs', async () => {
  hold();
  const uploads = Array.from({ length: 100 }, () => send('/api/v1/session', 'x'));
  await eventually(
    async () => held.length,
    (count) => count === 64,
  );
  expect((await send('/admin/graphql/', '{}')).status).toBe(200);
  expect(held).toHaveLength(64);
  release();
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
  hold();
  const filling = Array.from({ length: 140 }, () => send('/api/v1/session', 'x'));
  // Places and queue are full when the first is refused.
  await Promise.race(filling);
  expect((await send('/api/v1/session', Buffer.alloc(2 * 1024 * 1024))).status).toBe(503);
  release();
  await Promise.all(filling);
});

testWithProxy('without a ready process every request gets the same 503', async () => {
  await ops.terminate();
  let last: Got;
  do {
    await new Promise((resolve) => setTimeout(resolve, 200));
    last = await send('/api/v1/session', 'x');
  } while (last.status === 200);
  expectRefusal(last);
  expectRefusal(await send('/admin/graphql/', '{}'));
});
