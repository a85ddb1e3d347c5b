// Responses that no client reads: the oldest are cut to make room for later ones, and each has a time limit.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { boundUnreadAnswers, type UnreadBounds } from '../../src/platform/httpServer/unreadAnswers.ts';

const answer = Buffer.alloc(8 * 1024 * 1024);
let server: Server | undefined;
const sockets: Socket[] = [];
/** Of the server, in the order in which clients connected. */
const accepted: Socket[] = [];
afterEach(async () => {
  for (const socket of [...sockets.splice(0), ...accepted.splice(0)]) socket.destroy();
  await new Promise((resolve) => server!.close(resolve));
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(5);
}

/** A server whose responses are larger than the kernel's buffers, and a client that sends requests and reads nothing. */
async function serve(bounds: UnreadBounds): Promise<(requests: number) => Promise<Socket>> {
  const watch = boundUnreadAnswers(bounds);
  let answered = 0;
  server = createServer((_request, response) => {
    watch(response);
    response.end(answer);
    answered += 1;
  }).on('connection', (socket: Socket) => void accepted.push(socket));
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return async (requests) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    const all = answered + requests;
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
    await until(() => answered === all);
    return socket;
  };
}

/** Whether a client that reads from now on receives so many whole responses before its connection ends. */
async function getsWhole(socket: Socket, responses: number): Promise<boolean> {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
  const isWhole = (): boolean => bytes > responses * answer.length;
  await until(() => isWhole() || socket.closed);
  return isWhole();
}

test('beyond their bound together, those that have waited longest are cut', async () => {
  const ask = await serve({ bytes: 3.5 * answer.length, millis: 60_000 });
  const [first, second, third] = [await ask(1), await ask(1), await ask(2)];
  expect([await getsWhole(first, 1), await getsWhole(second, 1), await getsWhole(third, 2)]).toEqual([
    false,
    true,
    true,
  ]);
});

test('an answer that is not taken in time is cut, and one that is taken is not', async () => {
  const ask = await serve({ bytes: Infinity, millis: 3_000 });
  const [taken, left] = [await ask(1), await ask(1)];
  expect(await getsWhole(taken, 1)).toBe(true);
  // The time of the one that was taken ends before it.
  await until(() => accepted[1]!.destroyed);
  expect(taken.destroyed).toBe(false);
  expect(await getsWhole(left, 1)).toBe(false);
});

describe('an answer that waits behind another one of its connection', () => {
  const length = 1_000_000;
  /** There is room for two responses, but not for a third. */
  const bytes = 2.5 * length;

  interface Asked {
    client: Socket;
    first: ServerResponse;
    second: ServerResponse;
    isCut(): boolean;
  }

  /** A client with two requests: the test ends the first response, and also the second if it has no length. */
  async function serveTwo(): Promise<(length?: number) => Promise<Asked>> {
    const watch = boundUnreadAnswers({ bytes, millis: 60_000 });
    let begun: ServerResponse[] = [];
    server = createServer((request, response) => {
      watch(response);
      begun.push(response);
      // httpServer.ts does the same.
      request.socket.once('close', () => response.emit('close'));
      const asked = Number(request.url!.slice(1));
      if (asked > 0) response.end(Buffer.alloc(asked));
      if (begun.length === 2) server!.emit('asked');
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return async (length = 0) => {
      begun = [];
      const both = once(server!, 'asked');
      const client = connect(port, '127.0.0.1').on('error', () => undefined);
      sockets.push(client);
      client.write(['/', `/${length}`].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
      await both;
      const [first, second] = begun as [ServerResponse, ServerResponse];
      return { client, first, second, isCut: () => first.req.socket.destroyed };
    };
  }
  const cutOf = (asked: Asked[]): boolean[] => asked.map(({ isCut }) => isCut());

  test('counts once, also where it was cut', async () => {
    const ask = await serveTwo();
    const asked = [await ask(length), await ask(length), await ask(length)];
    await once(asked[0]!.client, 'close');
    asked.push(await ask(length));
    expect(cutOf(asked)).toEqual([true, true, false, false]);
  });

  test('counts from 64 KiB on', async () => {
    const ask = await serveTwo();
    const asked: Asked[] = [];
    while (asked.length < 40) asked.push(await ask(64 * 1024));
    expect(cutOf(asked)).toEqual([true, true, ...Array<boolean>(38).fill(false)]);
  });

  test('is cut with others where one alone makes too little room', async () => {
    const ask = await serveTwo();
    const asked = [await ask(length), await ask(length), await ask(2 * length)];
    expect(cutOf(asked)).toEqual([true, true, false]);
  });

  test('counts no more once it is taken, and those before it do', async () => {
    const ask = await serveTwo();
    const [oldest, taken] = [await ask(length), await ask(length)];
    taken.client.resume();
    taken.first.end();
    await once(taken.second, 'close');
    const asked = [oldest, taken, await ask(length)];
    expect(cutOf(asked)).toEqual([false, false, false]);
    asked.push(await ask(length));
    expect(cutOf(asked)).toEqual([true, false, false, false]);
  });

  test('counts for nothing where its client had gone before it was given', async () => {
    const ask = await serveTwo();
    const [oldest, gone] = [await ask(length), await ask()];
    gone.client.destroy();
    await once(gone.first, 'close');
    expect(gone.second.end(Buffer.alloc(length))).toBe(gone.second);
    expect(cutOf([oldest, await ask(length)])).toEqual([false, false]);
  });
});
