// Answers that nobody reads: the oldest give way to those that come after them, and each has its time.
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { boundUnreadAnswers, type UnreadBounds } from '../../src/platform/httpServer/unreadAnswers.ts';

const answer = Buffer.alloc(8 * 1024 * 1024);
let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise((resolve) => server!.close(resolve));
});

/** A server whose every answer is more than the kernel takes, and a client of it that asks so often and reads nothing. */
async function serve(bounds: UnreadBounds): Promise<(requests: number) => Promise<Socket>> {
  const watch = boundUnreadAnswers(bounds);
  server = createServer((_request, response) => {
    watch(response);
    response.end(answer);
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return async (requests) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
    await pause(50);
    return socket;
  };
}

/** How many bytes a client that reads now still gets, before its connection ends or nothing more comes. */
async function bytesLeft(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
  for (let seen = -1; seen < bytes; await pause(300)) seen = bytes;
  return bytes;
}

test('beyond their bound together, those that have waited longest are cut', async () => {
  const ask = await serve({ bytes: 3.5 * answer.length, millis: 60_000 });
  const [first, second, third] = [await ask(1), await ask(1), await ask(2)];
  expect(await bytesLeft(first)).toBeLessThan(answer.length);
  expect(await bytesLeft(second)).toBeGreaterThan(answer.length);
  expect(await bytesLeft(third)).toBeGreaterThan(2 * answer.length);
});

test('an answer that is not taken in time is cut, and one that is taken is not', async () => {
  const ask = await serve({ bytes: Infinity, millis: 400 });
  const [taken, left] = [await ask(1), await ask(1)];
  expect(await bytesLeft(taken)).toBeGreaterThan(answer.length);
  await pause(300);
  expect(taken.destroyed).toBe(false);
  expect(await bytesLeft(left)).toBeLessThan(answer.length);
});
