// A listener while it is busy, and while it drains: requests under way get their response, connections then close by themselves,
// and nothing waits for the grace time.
import { execFileSync } from 'node:child_process';
import { Agent, get, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createConnection } from 'node:net';
import { listen, type Listener } from '../../src/platform/httpServer/httpServer.ts';
import { answerSoon } from '../../src/http/answers.ts';
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

test('a connection that is to be answered in this turn of the event loop does not hold the drain up', async () => {
  let draining: Promise<void> = Promise.reject(new Error('no request has come'));
  draining.catch(() => undefined);
  const listener = await listenFor((_, response) => {
    answerSoon(() => response.end('{}'));
    process.nextTick(() => (draining = listener.drain(graceMillis)));
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    get(listener.url, { agent }, (message) => resolve(message.resume())).on('error', reject);
  });
  expect(await answer).toMatchObject({ statusCode: 200 });
  await draining;
});

test('answers of one turn are given in the order in which they were promised', async () => {
  const given: number[] = [];
  for (const each of [1, 2, 3]) answerSoon(() => given.push(each));
  expect(given).toEqual([]);
  await new Promise(setImmediate);
  expect(given).toEqual([1, 2, 3]);
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

test.each(['CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n'])(
  '%j is a request as any other',
  async (head) => {
    const { url } = await listenFor(({ method }, response) => response.end(method));
    const [answer] = (await sendRaw(url, `${head}\r\n`)).answers;
    expect(answer).toMatchObject({ status: 200, head: expect.stringContaining('\r\nDate: ') as string });
  },
);

test('CONNECT is answered after what came before it, closes its connection, and leaves nothing to a drain', async () => {
  const listener = await listenFor((request, response) => {
    if (request.method === 'CONNECT') response.end(request.url);
    else setTimeout(() => response.end('a'), 200);
  });
  const both = sendRaw(listener.url, 'GET / HTTP/1.1\r\nHost: x\r\n\r\nCONNECT b:1 HTTP/1.1\r\nHost: x\r\n\r\nrest');
  const { answers, closed } = await both;
  expect([answers.map(({ body }) => body), closed]).toEqual([['a', 'b:1'], true]);
  expect(answers[1]!.head).toMatch(/\r\nConnection: close/);
  await listener.drain(graceMillis);
});

test.each([
  ['CONNECT b:1', 'CONNECT'],
  ['FOO /', 'UNKNOWN'],
])('%s waits for answers that were given at once and are still on their way', async (line, method) => {
  const listener = await listenFor(({ method }, response) => response.end(method));
  for (const before of [1, 2, 20]) {
    const requests = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(before);
    const { answers, closed } = await sendRaw(listener.url, `${requests}${line} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const expected = [...Array<string>(before).fill('GET'), method];
    expect([answers.map(({ body }) => body), closed]).toEqual([expected, true]);
  }
});

test('the refusal of a broken request does not take the place of an answer that waits behind another one', async () => {
  const { url } = await listenFor((request, response) => {
    if (request.url === '/late') setTimeout(() => response.end('late'), 50);
    else response.end('at once');
  });
  const requests = ['/late', '/at-once'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const { answers } = await sendRaw(url, `${requests.join('')}NONSENSE\r\n\r\n`);
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [200, 'late'],
    [200, 'at once'],
    [400, ''],
  ]);
});

test('a connection that sends seventeen requests before the first is answered is cut, and no more are handed over', async () => {
  const begun: ServerResponse[] = [];
  const { url } = await listenFor((_, response) => void begun.push(response));
  const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  const patient = sendRaw(url, get.repeat(16));
  while (begun.length < 16) await new Promise((resolve) => setTimeout(resolve, 5));
  for (const response of begun) response.end('kept');
  expect((await patient).answers).toHaveLength(16);
  begun.length = 0;
  expect(await sendRaw(url, get.repeat(100))).toEqual({ answers: [], closed: true });
  expect(begun).toHaveLength(17);
});

test.each([
  ['two requests', ''],
  ['two requests and CONNECT', 'CONNECT b:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
])('a client that goes away after %s is noticed by every response that it waited for', async (_, last) => {
  const begun: ServerResponse[] = [];
  const listener = await listenFor((_, response) => void begun.push(response));
  const { hostname, port } = new URL(listener.url);
  const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  const socket = createConnection(Number(port), hostname, () => {
    socket.write(get + get + last);
  });
  while (begun.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  const closed = begun.map((response) => new Promise((resolve) => response.on('close', resolve)));
  socket.resetAndDestroy();
  await Promise.all(closed);
  expect(begun).toHaveLength(2);
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
