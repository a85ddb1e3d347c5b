// A listener while it is busy, and while it drains: requests under way get their response, connections then close by themselves,
// and nothing waits for the grace time.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listen, type Listener } from '../../src/platform/httpServer/httpServer.ts';
import { sendRaw } from '../support/rawRequests.ts';

/** Far longer than a test may take: a drain that waits for it fails. */
const graceMillis = 600_000;
const agent = new Agent({ keepAlive: true });
const listeners: Listener[] = [];
afterEach(async () => {
  agent.destroy();
  await Promise.all(listeners.splice(0).map((listener) => listener.drain(0)));
});

async function listenFor(handle: RequestListener, host = '127.0.0.1'): Promise<Listener> {
  const listener = await listen(handle, { port: 0, host });
  listeners.push(listener);
  return listener;
}

/** A listener that responds on demand, and a request whose handler has begun, or whose response has begun. */
async function requestUnderWay(begin: (response: ServerResponse) => void = () => undefined): Promise<{
  listener: Listener;
  finish: () => void;
  answer: Promise<IncomingMessage>;
}> {
  let begun: (response: ServerResponse) => void;
  const handling = new Promise<ServerResponse>((resolve) => (begun = resolve));
  const listener = await listenFor((_, response) => begun(response));
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    get(listener.url, { agent }, (message) => resolve(message.resume())).on('error', reject);
  });
  const response = await handling;
  begin(response);
  return { listener, finish: () => response.end('{}'), answer };
}

test('a request under way is answered in full and told that its connection closes', async () => {
  const { listener, finish, answer } = await requestUnderWay();
  const drained = listener.drain(1_000);
  finish();
  expect(await answer).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
  await drained;
});

test('the drain ends with the last answer, although clients keep their connections', async () => {
  const { listener, finish, answer } = await requestUnderWay();
  const drained = listener.drain(graceMillis);
  finish();
  await answer;
  await drained;
});

test('an idle connection does not hold the drain up', async () => {
  const { listener, finish, answer } = await requestUnderWay();
  finish();
  await answer;
  await listener.drain(graceMillis);
});

test('nothing new is accepted', async () => {
  const { listener, finish, answer } = await requestUnderWay();
  const drained = listener.drain(1_000);
  await expect(fetch(listener.url)).rejects.toThrow();
  finish();
  await Promise.all([answer, drained]);
});

test('what is not answered by the end of the grace time is cut', async () => {
  const { listener, answer } = await requestUnderWay();
  await Promise.all([listener.drain(50), expect(answer).rejects.toThrow(/hang up|ECONNRESET/)]);
});

test('an answer that has begun is finished, and its connection does not hold the drain up', async () => {
  const { listener, finish, answer } = await requestUnderWay((response) => response.flushHeaders());
  await answer;
  const drained = listener.drain(graceMillis);
  finish();
  await drained;
});

test('an answer that was given and is still on its way to its client gets there', async () => {
  const length = 16 * 1024 * 1024;
  const listener = await listenFor((_, response) => void setImmediate(() => response.end(Buffer.alloc(length))));
  const answer = await new Promise<IncomingMessage>((resolve) => get(listener.url, { agent }, resolve));
  const drained = listener.drain(graceMillis);
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(length);
  await drained;
});

test('a sender that connects and says nothing is cut as well', async () => {
  const listener = await listenFor(() => undefined);
  const { hostname, port } = new URL(listener.url);
  const socket = createConnection(Number(port), hostname);
  await new Promise((resolve) => socket.once('connect', resolve));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  await Promise.all([listener.drain(50), closed]);
});

test('an expectation that nobody knows is ignored', async () => {
  const { url } = await listenFor(({ method }, response) => response.end(method));
  const [answer] = (await sendRaw(url, 'GET / HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n')).answers;
  expect(answer).toMatchObject({ status: 200, body: 'GET' });
});

const getOf = (path = '/') => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** All that comes until the server closes. The second request is sent when the first has its response. */
async function inTwoSteps(url: string, first: string, second: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = createConnection(Number(port), hostname).setEncoding('latin1');
  let received = '';
  socket.on('data', (text: string) => (received += text));
  socket.write(first);
  await once(socket, 'data');
  socket.write(second);
  await once(socket, 'close');
  return received;
}

const notFound = { status: 404, body: '{"detail":"Not Found"}' };
const unreadable = [
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', notFound],
  ['a method that Node does not know', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', notFound],
  ['a broken request line', 'GET / FTP/1.1\r\n\r\n', { status: 400, body: '' }],
  ['a broken header', 'GET / HTTP/1.1\r\nno header\r\n\r\n', { status: 400, body: '' }],
  ['too long a header', `GET / HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, { status: 400, body: '' }],
] as const;

test.each(unreadable)('%s is refused with a Date, and nothing after it is read', async (_, request, expected) => {
  const handed: string[] = [];
  const { url } = await listenFor(({ url }, response) => (handed.push(url!), response.end('handled')));
  const { answers, closed } = await sendRaw(url, request + getOf());
  expect([answers, closed]).toEqual([[{ ...expected, head: expect.any(String) as string }], true]);
  expect(answers[0]!.head).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r\n/);
  expect(answers[0]!.head).toMatch(/\r\nConnection: close(\r\n|$)/);
  const ofBody =
    /\r\nContent-Type: application\/json\r\n[^]*\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: [\w-]{36}\r\n/;
  if (expected === notFound) expect(answers[0]!.head).toMatch(ofBody);
  expect(handed).toEqual([]);
});

test.each(unreadable)('%s is refused too behind requests that have their response', async (_, request, expected) => {
  const { url } = await listenFor((_, response) => response.end('a'));
  const received = await inTwoSteps(url, getOf('/'), request);
  expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', `HTTP/1.1 ${expected.status}`]);
  expect(received.endsWith(`\r\n\r\n${expected.body}`)).toBe(true);
});

test.each(unreadable)('%s gets no response before that of an earlier request', async (_, request) => {
  const begun: ServerResponse[] = [];
  const { url } = await listenFor((_, response) => void begun.push(response));
  const sent = sendRaw(url, getOf() + getOf(), request);
  while (begun.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  // The work of the earlier ones goes on, and nobody can take another response for theirs.
  for (const response of begun) response.end('earlier');
  const { answers, closed } = await sent;
  const own = answers.filter(({ body }) => body === 'earlier');
  // CONNECT ends the connection at once.
  expect([answers.length, closed]).toEqual([own.length, true]);
  if (!request.startsWith('CONNECT')) expect(own).toHaveLength(2);
});

const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

test.each([
  { what: 'has no response yet gets 400', before: '', begins: false, expected: ['HTTP/1.1 400'] },
  { what: 'has begun its response gets no second one', before: '', begins: true, expected: ['HTTP/1.1 200'] },
  { what: 'waits for an earlier response gets none', before: getOf('/'), begins: false, expected: [] },
])('a request whose body breaks and that $what', async ({ before, begins, expected }) => {
  const { url } = await listenFor(({ method }, response) => void (method === 'POST' && begins && response.end('a')));
  const received: string[] = [];
  const { hostname, port } = new URL(url);
  const socket = createConnection(Number(port), hostname)
    .setEncoding('latin1')
    .on('error', () => undefined);
  socket.on('data', (text: string) => void received.push(text));
  socket.write(before + chunked);
  await pause(50);
  socket.write('zz\r\n');
  await once(socket, 'close');
  expect(received.join('').match(/HTTP\/1\.1 \d+/g) ?? []).toEqual(expected);
});

test('bytes behind a request that closes its connection are not read, and its response comes', async () => {
  const { url } = await listenFor((_, response) => void setTimeout(() => response.end('late'), 50));
  const last = getOf('/').replace('Host: x', 'Host: x\r\nConnection: close');
  const { answers, closed } = await sendRaw(url, getOf('/') + last + getOf('/'), getOf('/'));
  expect([answers.map(({ body }) => body), closed]).toEqual([['late', 'late'], true]);
});

test.each(unreadable)('%s leaves nothing to a drain, although the client keeps its side open', async (_, request) => {
  const listener = await listenFor((_, response) => response.end());
  const { hostname, port } = new URL(listener.url);
  const client = createConnection({ host: hostname, port: Number(port), allowHalfOpen: true });
  client.on('error', () => undefined).resume();
  client.write(request);
  await once(client, 'end');
  await listener.drain(graceMillis);
  client.destroy();
});

test.each([
  ['has sent three requests', ''],
  ['is cut for CONNECT', 'CONNECT b:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
])('a client that %s and goes is noticed by every response that it waited for', async (_, last) => {
  const begun: ServerResponse[] = [];
  const listener = await listenFor((_, response) => void begun.push(response));
  const { hostname, port } = new URL(listener.url);
  const socket = createConnection(Number(port), hostname, () => {
    socket.write(getOf() + getOf() + getOf());
  });
  socket.on('error', () => undefined);
  while (begun.length < 3) await pause(5);
  const closed = begun.map((response) => new Promise((resolve) => response.on('close', resolve)));
  if (last) socket.write(last);
  else socket.resetAndDestroy();
  await Promise.all(closed);
  expect(begun).toHaveLength(3);
});

test('a port that is taken is an error, not a hang', async () => {
  const listener = await listenFor(() => undefined);
  const port = Number(new URL(listener.url).port);
  await expect(listen(() => undefined, { port, host: '127.0.0.1' })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('an IPv6 address is written as a URL', async () => {
  const listener = await listenFor((_, response) => response.end(), '::1');
  expect(listener.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await fetch(listener.url)).status).toBe(200);
});

test('more connections than Node lets wait by itself are made while the process is busy', async () => {
  const { url } = await listenFor((_, response) => response.end());
  const client = `
    const { connect } = require('node:net');
    let made = 0;
    for (let i = 0; i < 900; i++) connect(${new URL(url).port}, '127.0.0.1', () => ++made === 900 && process.exit(0));
    setTimeout(() => (console.error(made + ' connections of 900'), process.exit(1)), 10_000);
  `;
  // This process accepts no connection before the call returns.
  execFileSync(process.execPath, ['-e', client]);
});
