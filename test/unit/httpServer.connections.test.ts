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

test('however many requests wait on a connection, its end is listened for once, and each response hears of it once', async () => {
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

test('a request that is not whole in time gets 408, where no earlier one waits for its response', async () => {
  const listener = await listenFor(() => undefined);
  const [slow, waiting] = [connectTo(listener), connectTo(listener)].map((client) => {
    const received: string[] = [];
    client.setEncoding('latin1').on('data', (text: string) => void received.push(text));
    return { client, received, closed: once(client, 'close') };
  });
  slow!.client.write(get.slice(0, 20));
  waiting!.client.write(get + get.slice(0, 20));
  // Ten seconds: Node gives no other clock for its timeouts.
  await Promise.all([slow!.closed, waiting!.closed]);
  expect(slow!.received.join('')).toMatch(
    /^HTTP\/1\.1 408 Request Timeout\r\nDate: [^]*\r\nContent-Length: 0\r\n\r\n$/,
  );
  expect(waiting!.received).toEqual([]);
});
