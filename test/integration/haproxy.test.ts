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
import { retried } from '../support/retried.ts';

const testWithProxy = haproxyIsInstalled() ? test : test.skip;
const unavailable = answerTo(new AppError('unavailable', { retryAfterSeconds: 1 })).body;
const agent = new Agent({ keepAlive: true, maxSockets: 2_000, rejectUnauthorized: false });

interface Got {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
  millis: number;
  /** By the clock. */
  sentAt: number;
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
  const [begun, sentAt] = [performance.now(), Date.now()];
  return new Promise((resolve, reject) => {
    const sent = request(`${proxy.url}${path}`, { agent, method: 'POST', headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => void pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const millis = performance.now() - begun;
        const { statusCode, headers: received } = response;
        const body = Buffer.concat(pieces).toString();
        resolve({ status: statusCode!, headers: received, body, millis, sentAt, receivedAt: Date.now() });
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

const upload = (body: string): Promise<Got> => send('/api/v1/session', body);
/** Those that the proxy has not given up. */
const places = (): number => held.filter(({ destroyed }) => !destroyed).length;

/**
 * Sends so many uploads, and resolves when the stand-in holds 64 and all others have their responses. However slowly a
 * busy machine sends and accepts them, none gets a place that another has left. After a pause of seconds the proxy takes
 * the stand-in for unready and refuses more of them, or takes them for slow clients and responds to none: then they are
 * sent again.
 */
async function fill(uploads: number, body: string): Promise<Promise<Got>[]> {
  for (let times = 1; ; times += 1) {
    await retried(() => upload('x'));
    hold();
    let [answered, lost] = [0, 0];
    const sent = Array.from({ length: uploads }, () => upload(body));
    for (const each of sent)
      each.then(
        () => (answered += 1),
        () => (lost += 1),
      );
    await eventually(
      async () => [places(), answered, lost],
      (counts) => counts.reduce((sum, each) => sum + each) === uploads,
    );
    if ((places() >= 64 && lost === 0) || times === 4) return sent;
    release();
    await Promise.allSettled(sent);
  }
}

async function flood(count: number, body: string): Promise<Got[]> {
  const sent = await fill(count, body);
  release();
  return Promise.all(sent);
}

const refusedOf = (got: Got[]): Got[] => got.filter(({ status }) => status !== 200);

function expectRefusal({ status, headers, body, sentAt, receivedAt }: Got): void {
  expect(status).toBe(503);
  expect(JSON.parse(body)).toEqual(unavailable);
  expect(headers['content-type']).toBe('application/json');
  // Of whole seconds, and the proxy reads its clock once a turn.
  expect(Date.parse(headers.date!)).toBeGreaterThan(sentAt - 3_000);
  expect(Date.parse(headers.date!)).toBeLessThanOrEqual(receivedAt);
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
  const { status, headers } = await retried(() => send('/api/v1/session?a=%2F', 'abc', claims));
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
  let least = Infinity;
  // The least, and of several floods: the machine may be late for some of them, and pause during one.
  for (let floods = 0; floods < 4 && least >= 2_000; floods += 1) {
    const refused = refusedOf(await flood(100, 'x'));
    expect(refused.length).toBe(36);
    for (const each of refused) expectRefusal(each);
    least = Math.min(...refused.map(({ millis }) => millis));
  }
  expect(least).toBeLessThan(2_000);
});

testWithProxy('the admin API has places of its own while uploads fill theirs', async () => {
  const uploads = await fill(64, 'x');
  const queued = Array.from({ length: 36 }, () => upload('x'));
  expect((await retried(() => send('/admin/graphql/', '{}'))).status).toBe(200);
  expect(places()).toBe(64);
  release();
  await Promise.all([...uploads, ...queued]);
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
  expect((await retried(() => upload('x'))).status).toBe(200);
  expect(seen.length).toBe(1);
  for (const sent of slow) sent.destroy();
});

testWithProxy('with a body of 2 MiB the refusal arrives, too', async () => {
  const body = Buffer.alloc(2 * 1024 * 1024);
  let status = 0;
  // A pause while the body is under way ends its connection, as that of a slow client.
  for (let times = 0; times < 4 && status !== 503; times += 1) {
    hold();
    const filling = Array.from({ length: 140 }, () => upload('x'));
    // Places and queue are full when the first is refused.
    await Promise.race(filling);
    status = await send('/api/v1/session', body).then(
      (got) => got.status,
      () => 0,
    );
    release();
    await Promise.all(filling);
  }
  expect(status).toBe(503);
});

testWithProxy('without a ready process every request gets the same 503', async () => {
  await ops.terminate();
  let last: Got;
  do {
    await new Promise((resolve) => setTimeout(resolve, 200));
    last = await upload('x');
  } while (last.status === 200);
  expectRefusal(last);
  expectRefusal(await send('/admin/graphql/', '{}'));
});
