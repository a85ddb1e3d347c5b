// A listener's limits on its connections and its responses to a breach: bytes, headers, idle time, the end of all connections.
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { createConnection, type Socket } from 'node:net';
import { listen, type Listener } from '../../src/platform/httpServer/httpServer.ts';
import { sendRaw } from '../support/rawRequests.ts';

const listeners: Listener[] = [];
afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.drain(0))));

async function listenFor(handle: RequestListener): Promise<Listener> {
  const listener = await listen(handle, { port: 0, host: '127.0.0.1' });
  listeners.push(listener);
  return listener;
}

function connectTo({ url }: Listener): Socket {
  const { hostname, port } = new URL(url);
  return createConnection(Number(port), hostname).on('error', () => undefined);
}

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

test('however many requests wait on a connection, its end is listened for once, and each response hears of it', async () => {
  const begun: ServerResponse[] = [];
  const client = connectTo(await listenFor((_, response) => void begun.push(response)));
  const ask = async (count: number): Promise<number> => {
    client.write(get.repeat(count - begun.length));
    while (begun.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    return begun[0]!.req.socket.listenerCount('close');
  };
  expect(await ask(2)).toBe(await ask(16));
  let closed = 0;
  for (const response of begun) response.on('close', () => (closed += 1));
  client.destroy();
  await once(begun[0]!.req.socket, 'close');
  expect(closed).toBe(16);
});

test('no header is dropped, however many come before it', async () => {
  const { url } = await listenFor(({ headers }, response) => response.end(headers['x-signature']));
  const many = Array.from({ length: 2_500 }, (_, at) => `${at}:\r\n`).join('');
  const { answers } = await sendRaw(url, `GET / HTTP/1.1\r\nHost: x\r\n${many}X-Signature: kept\r\n\r\n`);
  expect(answers).toMatchObject([{ status: 200, body: 'kept' }]);
});

test('answers that nobody reads are 64 MiB together at most', async () => {
  const begun: ServerResponse[] = [];
  const listener = await listenFor((_, response) => void begun.push(response));
  const sockets = Array.from({ length: 5 }, () => connectTo(listener));
  for (const socket of sockets) socket.write(get + get);
  while (begun.length < 10) await new Promise((resolve) => setTimeout(resolve, 5));
  const waiting = begun.filter(({ socket }) => !socket);
  const answer = Buffer.alloc(15 * 1024 * 1024);
  for (const response of waiting) response.end(answer);
  expect(waiting.map(({ req }) => req.socket.destroyed)).toEqual([true, false, false, false, false]);
  for (const socket of sockets) socket.destroy();
});

test('an idle connection is kept for 65 s, longer than a proxy before it keeps one (docs/operating/deploy.md)', async () => {
  const { url } = await listenFor((_, response) => response.end());
  expect((await fetch(url)).headers.get('Keep-Alive')).toBe('timeout=65');
});

test('a request that comes while others are waited for is answered, and told that its connection closes', async () => {
  const listener = await listenFor((_, response) => response.end());
  const socket = connectTo(listener);
  const heads: string[] = [];
  socket.setEncoding('latin1').on('data', (text: string) => void heads.push(text));
  const half = Math.floor(get.length / 2);
  socket.write(get + get.slice(0, half));
  await once(socket, 'data');
  const drained = listener.drain(600_000);
  socket.write(get.slice(half));
  await drained;
  await once(socket, 'close');
  expect(heads.map((head) => /^HTTP\/1.1 (\d+) .*\r\nConnection: ([\w-]+)\r\n/s.exec(head)?.slice(1))).toEqual([
    ['200', 'keep-alive'],
    ['200', 'close'],
  ]);
});

test('a drain that waits for one long answer after the other ends with the last, whoever is idle beside them', async () => {
  const long: ServerResponse[] = [];
  const listener = await listenFor((request, response) => {
    if (request.url === '/') return void response.end();
    long.push(response);
    setImmediate(() => response.end(Buffer.alloc(16 * 1024 * 1024)));
  });
  const ask = async (client: Socket, request: string): Promise<void> => {
    client.resume().write(request);
    await once(client, 'data');
    client.pause();
  };
  const [first, second, idle] = [connectTo(listener), connectTo(listener), connectTo(listener)];
  for (const client of [first, second, idle]) await ask(client, get);
  await ask(first, get.replace('/', '/long'));
  const drained = listener.drain(600_000);
  await ask(second, get.replace('/', '/long'));
  for (const [at, client] of [first, second].entries()) {
    client.resume();
    await once(long[at]!, 'close');
  }
  await drained;
});

test.each<[string, RequestListener]>([
  ['has no answer yet', () => undefined],
  ['has one that nobody reads', (_, response) => response.end(Buffer.alloc(8 * 1024 * 1024))],
])('a connection with CONNECT behind a request that %s is cut when the grace of a drain is over', async (_, handle) => {
  const listener = await listenFor(handle);
  const client = connectTo(listener).pause();
  client.write(`${get}CONNECT b:1 HTTP/1.1\r\nHost: x\r\n\r\n`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  // Without the cut the test would exceed its timeout.
  await listener.drain(100);
  client.destroy();
});

test.each([
  ['UNHEARD-OF / HTTP/1.1', 'the response end'],
  ['CONNECT b:1 HTTP/1.1', 'the response end'],
  ['GET / HTTP/1.1\r\nno header', '\r\n\r\n end'],
])('after %j a client that sends on is read for five seconds', async (beginning, last) => {
  const listener = await listenFor((_, response) => response.end('the response'));
  const { hostname, port } = new URL(listener.url);
  const seen: string[] = [];
  const client = createConnection({ host: hostname, port: Number(port), allowHalfOpen: true });
  client.setEncoding('utf8').on('data', (text: string) => seen.push(text));
  for (const event of ['error', 'end']) client.on(event, () => seen.push(event));
  client.write(`${beginning}\r\nHost: x\r\n\r\n`);
  const answered = performance.now();
  const sending = setInterval(() => client.write('more'), 20);
  await new Promise((resolve) => client.on('close', resolve));
  clearInterval(sending);
  expect(performance.now() - answered).toBeGreaterThan(4_900);
  // Half-closed after its response, and reset at the end alone.
  expect(seen.join(' ').replace(/ error$/, '')).toMatch(new RegExp(`${last}$`));
});
