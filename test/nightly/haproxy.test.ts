// Runs deploy/haproxy.cfg in front of slow stand-ins for a process of ingest and one of admin. It needs HAProxy.
import type { IncomingMessage } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { connect } from 'node:net';
import { eventually } from '../support/eventually.ts';
import { haproxyIsInstalled, startHaproxy, type RunningProxy } from '../support/haproxy.ts';
import { adminUnavailable, release, startStandIn, unavailable, type StandIn } from '../support/proxyStandIn.ts';
import { retried } from '../support/retried.ts';

const testWithProxy = haproxyIsInstalled() ? test : test.skip;
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
let ingest: StandIn;
let admin: StandIn;
beforeAll(async () => {
  if (!haproxyIsInstalled()) return;
  const ofIngest = await startStandIn({ path: '/api/v1/session', places: 64, refusal: () => unavailable });
  const ofAdmin = await startStandIn({ path: '/admin/graphql/', places: 232, refusal: adminUnavailable });
  [ingest, admin] = [ofIngest.standIn, ofAdmin.standIn];
  proxy = await startHaproxy({ ingest: ofIngest.behind, admin: ofAdmin.behind });
});
beforeEach(() => {
  for (const each of [ingest, admin]) if (each) [each.seen, each.mostUnderWay] = [[], 0];
});
afterEach(() => [ingest, admin].forEach((each) => each && release(each)));
afterAll(async () => {
  agent.destroy();
  if (proxy) await proxy.stop();
  for (const each of [ingest, admin]) {
    await each?.ops.terminate();
    each?.server.close().closeAllConnections();
  }
});

function send(
  path: string,
  body: string | Buffer,
  headers: RequestOptions['headers'] = {},
  localAddress?: string,
): Promise<Got> {
  const [begun, sentAt] = [performance.now(), Date.now()];
  return new Promise((resolve, reject) => {
    const sent = request(`${proxy.url}${path}`, { agent, method: 'POST', headers, localAddress }, (response) => {
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

/** Of the networks of clients, which are addresses of IPv4 here. */
const network = (at: number): string => `127.0.0.${10 + at}`;
const sendTo = ({ path }: StandIn, body: string, from?: number): Promise<Got> =>
  send(path, body, {}, from === undefined ? undefined : network(from));
const upload = (body: string): Promise<Got> => sendTo(ingest, body);
/** Requests that the proxy has not given up. */
const placesTaken = ({ held }: StandIn): number => held.filter(({ destroyed }) => !destroyed).length;

/**
 * Sends so many requests, and resolves when the stand-in holds one in each place and all others have their responses.
 * However slowly a busy machine sends and accepts them, none gets a place that another has left. After a pause of seconds
 * the proxy takes the stand-in for unready and refuses more of them, or takes them for slow clients and responds to none:
 * then they are sent again.
 */
async function fill(standIn: StandIn, requests: number, body: string, networks = 1): Promise<Promise<Got>[]> {
  for (let times = 1; ; times += 1) {
    await retried(() => sendTo(standIn, 'x'));
    standIn.holds = true;
    let [served, lost] = [0, 0];
    const sent = Array.from({ length: requests }, (_, at) => sendTo(standIn, body, at % networks));
    for (const each of sent)
      each.then(
        () => (served += 1),
        () => (lost += 1),
      );
    await eventually(
      async () => [placesTaken(standIn), served, lost],
      (counts) => counts.reduce((sum, each) => sum + each) === requests,
    );
    if ((placesTaken(standIn) >= standIn.places && lost === 0) || times === 4) return sent;
    release(standIn);
    await Promise.allSettled(sent);
  }
}

async function flood(standIn: StandIn, count: number, body: string): Promise<Got[]> {
  const sent = await fill(standIn, count, body);
  release(standIn);
  return Promise.all(sent);
}

const refusedOf = (got: Got[]): Got[] => got.filter(({ status }) => status !== 200);

function expectRefusal({ status, headers, body, sentAt, receivedAt }: Got, { refusal }: StandIn): void {
  expect(status).toBe(503);
  expect(JSON.parse(body)).toEqual(refusal(Number(headers['retry-after'])));
  expect(headers['content-type']).toBe('application/json');
  // Of whole seconds, and the proxy reads its clock once a turn.
  expect(Date.parse(headers.date!)).toBeGreaterThan(sentAt - 3_000);
  expect(Date.parse(headers.date!)).toBeLessThanOrEqual(receivedAt);
  expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(300);
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9-]{16,64}$/);
  expect(headers['cache-control']).toBe('no-store');
}

testWithProxy.each([
  ['/admin/graphql/', 'admin'],
  ['/admin/', 'admin'],
  ['/admin/assets/index.js', 'admin'],
  ['/admin/login?next=/api/v1/session', 'admin'],
  ['/api/v1/session', 'ingest'],
  ['/api/v1/campaigns?a=/admin/', 'ingest'],
  ['/api/v1/store/notifications/admin/', 'ingest'],
  ['/', 'ingest'],
  ['/admin', 'ingest'],
  ['/administration/', 'ingest'],
])('%s goes to a process of %s', async (path, role) => {
  expect((await retried(() => send(path, '{}'))).status).toBe(200);
  const seen = Object.entries({ ingest, admin }).map(([name, standIn]) => [name, standIn.seen.map(({ url }) => url)]);
  expect(Object.fromEntries(seen)).toEqual({ ingest: [], admin: [], [role]: [path] });
});

testWithProxy('passes path and body on, and names the client and the request itself', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const claims = { 'X-Forwarded-For': '203.0.113.7', 'X-Request-Id': 'a-client-chose-this-id', traceparent };
  const { status, headers } = await retried(() => send('/api/v1/session?a=%2F', 'abc', claims));
  expect([status, ingest.seen[0]!.url]).toEqual([200, '/api/v1/session?a=%2F']);
  expect(ingest.seen[0]!.headers['x-forwarded-for']).toBe('127.0.0.1');
  expect(ingest.seen[0]!.headers['x-request-id']).not.toBe(claims['X-Request-Id']);
  expect(ingest.seen[0]!.headers).not.toHaveProperty('traceparent');
  expect(headers['strict-transport-security']).toBe('max-age=31536000');
});

testWithProxy('of a flood 64 requests reach the process, and each other gets its response meanwhile', async () => {
  const got = await flood(ingest, 300, 'x'.repeat(1_500));
  expect(ingest.mostUnderWay).toBe(64);
  expect(refusedOf(got)).toHaveLength(236);
  for (const each of refusedOf(got)) expectRefusal(each, ingest);
  // The refusals of a flood spread.
  const waits = refusedOf(await flood(ingest, 300, 'x')).map(({ headers }) => Number(headers['retry-after']));
  expect(new Set(waits).size).toBeGreaterThan(10);
  expect(Math.max(...waits)).toBeGreaterThan(30);
  expect(Math.max(...waits)).toBeLessThanOrEqual(300);
});

testWithProxy('the flood of one application leaves places in the queue to another', async () => {
  const send1 = (key: string): Promise<Got> => send(ingest.path, 'x', { 'X-Api-Key': key });
  await retried(() => send1('pub_other'));
  ingest.holds = true;
  let refused = 0;
  const flooding = Array.from({ length: 300 }, () => send1('pub_flood'));
  for (const each of flooding) void each.then(({ status }) => (refused += status === 503 ? 1 : 0));
  // All that is beyond 64 places and 32 in the queue; those of the queue follow after a second.
  await eventually(
    async () => refused,
    (count) => count >= 204,
  );
  const other = send1('pub_other');
  release(ingest);
  expect((await other).status).toBe(200);
  for (const each of refusedOf(await Promise.all(flooding))) expectRefusal(each, ingest);
});

testWithProxy('the flood of the admin API from one network leaves places to another', async () => {
  await retried(() => sendTo(admin, '{}', 1));
  admin.holds = true;
  let refused = 0;
  const flooding = Array.from({ length: 300 }, () => sendTo(admin, '{}', 0));
  for (const each of flooding) void each.then(({ status }) => (refused += status === 503 ? 1 : 0));
  await eventually(
    async () => refused,
    (count) => count >= 204,
  );
  const other = sendTo(admin, '{}', 1);
  await eventually(
    async () => placesTaken(admin),
    (count) => count === 97,
  );
  release(admin);
  expect((await other).status).toBe(200);
  for (const each of refusedOf(await Promise.all(flooding))) expectRefusal(each, admin);
});

testWithProxy('of a flood of the admin API 232 requests reach the process, and uploads go on', async () => {
  const sent = await fill(admin, 400, '{}', 5);
  expect((await retried(() => upload('x'))).status).toBe(200);
  expect(placesTaken(admin)).toBe(232);
  release(admin);
  const got = await Promise.all(sent);
  expect(admin.mostUnderWay).toBe(232);
  expect(refusedOf(got)).toHaveLength(168);
  for (const each of refusedOf(got)) expectRefusal(each, admin);
});

testWithProxy('a queue that does not move ends in a 503 after a second', async () => {
  let least = Infinity;
  // The least, and of several floods: the machine may be late for some of them, and pause during one.
  for (let floods = 0; floods < 4 && least >= 2_000; floods += 1) {
    const refused = refusedOf(await flood(ingest, 100, 'x'));
    expect(refused.length).toBe(36);
    for (const each of refused) expectRefusal(each, ingest);
    least = Math.min(...refused.map(({ millis }) => millis));
  }
  expect(least).toBeLessThan(2_000);
});

testWithProxy('the admin API has places of its own while uploads fill theirs', async () => {
  const uploads = await fill(ingest, 64, 'x');
  const queued = Array.from({ length: 36 }, () => upload('x'));
  expect((await retried(() => sendTo(admin, '{}'))).status).toBe(200);
  expect(placesTaken(ingest)).toBe(64);
  release(ingest);
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
  expect(ingest.seen.length).toBe(1);
  for (const sent of slow) sent.destroy();
});

testWithProxy('connections of one source that ask nothing leave room to every other, and end soon', async () => {
  const begun = performance.now();
  const idle = Array.from({ length: 2_100 }, () => connect(proxy.port, '127.0.0.1').on('error', () => undefined));
  let closed = 0;
  for (const socket of idle) socket.resume().once('close', () => (closed += 1));
  const sendFrom = (localAddress: string): Promise<number> =>
    new Promise((resolve) => {
      const options = { method: 'POST', localAddress, rejectUnauthorized: false, agent: false } as const;
      const sent = request(`${proxy.url}/api/v1/session`, options, (response) => {
        response.resume().on('end', () => resolve(response.statusCode!));
      });
      sent.on('error', () => resolve(0)).end('x');
    });
  await eventually(
    async () => closed,
    (count) => count >= 100,
  );
  // Of another household, as HAProxy sees it.
  expect(await retried(async () => ({ status: await sendFrom('127.0.0.2') }))).toEqual({ status: 200 });
  await eventually(
    async () => closed,
    (count) => count === idle.length,
  );
  // By its timeout of 7 s, and not by the 30 s of before. The clock of a busy machine is late.
  expect(performance.now() - begun).toBeLessThan(25_000);
  expect(await sendFrom('127.0.0.1')).toBe(200);
});

testWithProxy('with a body of 2 MiB the refusal arrives, too', async () => {
  const body = Buffer.alloc(2 * 1024 * 1024);
  let status = 0;
  // A pause while the body is under way ends its connection, as that of a slow client.
  for (let times = 0; times < 4 && status !== 503; times += 1) {
    ingest.holds = true;
    const filling = Array.from({ length: 140 }, () => upload('x'));
    // Places and queue are full when the first is refused.
    await Promise.race(filling);
    status = await send('/api/v1/session', body).then(
      (got) => got.status,
      () => 0,
    );
    release(ingest);
    await Promise.all(filling);
  }
  expect(status).toBe(503);
});

testWithProxy.each(['admin', 'ingest'] as const)('a process of %s that is away takes no other away', async (role) => {
  const [away, other] = role === 'admin' ? [admin, ingest] : [ingest, admin];
  away.ops.postMessage(503);
  await eventually(
    () => sendTo(away, 'x'),
    ({ status }) => status === 503,
  );
  expectRefusal(await sendTo(away, 'x'), away);
  expect((await sendTo(other, 'x')).status).toBe(200);
  away.ops.postMessage(200);
  await eventually(
    () => sendTo(away, 'x'),
    ({ status }) => status === 200,
  );
});

testWithProxy('without a ready process every request gets the 503 of its contract', async () => {
  for (const standIn of [ingest, admin]) {
    await standIn.ops.terminate();
    await eventually(
      () => sendTo(standIn, 'x'),
      ({ status }) => status === 503,
    );
    expectRefusal(await sendTo(standIn, 'x'), standIn);
  }
});
