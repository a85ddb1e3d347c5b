// The proxy of test/faults must affect a connection exactly as each fault's description says.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { startTcpProxy, type TcpProxy } from '../faults/support/tcpProxy.ts';

/** Responds to each piece with the same text in capitals, and ends when its client ends. */
let server: Server;
let proxy: TcpProxy;
const accepted: Socket[] = [];
const clients: Socket[] = [];

beforeEach(async () => {
  server = createServer((socket) => {
    accepted.push(socket);
    socket.on('data', (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()));
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await startTcpProxy(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterEach(async () => {
  for (const socket of [...clients.splice(0), ...accepted.splice(0)]) socket.destroy();
  await proxy.close();
  server.close();
});

interface Client {
  socket: Socket;
  received: () => string;
  closed: () => boolean;
}

async function newClient(): Promise<Client> {
  const socket = connect(proxy.port, '127.0.0.1');
  clients.push(socket);
  const state = { received: '', closed: false };
  socket.on('data', (chunk: Buffer) => void (state.received += chunk.toString()));
  socket.on('error', () => undefined);
  socket.on('close', () => void (state.closed = true));
  await once(socket, 'connect');
  return { socket, received: () => state.received, closed: () => state.closed };
}

/** What was written is read by the other end, in this process: also where a timer is late, the loop looks at the sockets after it. */
async function arrival(): Promise<void> {
  await pause(50);
  for (let turn = 0; turn < 2; turn++) await nextTurn();
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 10_000; !condition(); await pause(2)) if (Date.now() > end) throw new Error('in vain');
}

test('forwards in both directions, and hands the end of a connection on', async () => {
  const client = await newClient();
  client.socket.write('hello');
  await until(() => client.received() === 'HELLO');
  client.socket.end();
  await until(() => client.closed() && accepted[0]!.closed);
});

test('a server that hangs up is heard by the client', async () => {
  const client = await newClient();
  client.socket.write('a');
  await until(() => client.received() === 'A');
  accepted[0]!.resetAndDestroy();
  await until(() => client.closed());
});

test('stands in the server’s place in a URL', () => {
  const url = 'postgresql://user:secret@localhost:5432/name?sslmode=disable';
  expect(proxy.through(url)).toBe(`postgresql://user:secret@127.0.0.1:${proxy.port}/name?sslmode=disable`);
  expect(proxy.through('http://127.0.0.1:1')).toBe(`http://127.0.0.1:${proxy.port}`);
});

test('a delay counts in each direction, and a shorter one does not change the order', async () => {
  const client = await newClient();
  proxy.delay(150);
  const start = performance.now();
  client.socket.write('a');
  await arrival();
  proxy.delay(0);
  client.socket.write('b');
  await until(() => client.received().length === 2);
  expect(client.received()).toBe('AB');
  expect(performance.now() - start).toBeGreaterThan(145);
  proxy.delay(100);
  const again = performance.now();
  client.socket.write('c');
  await until(() => client.received() === 'ABC');
  expect(performance.now() - again).toBeGreaterThan(195);
});

test('what has met the silence stays silent on both sides, and new connections are served after it', async () => {
  const before = await newClient();
  before.socket.write('a');
  await until(() => before.received() === 'A');
  proxy.fallSilent();
  const during = await newClient();
  for (const { socket } of [before, during]) socket.write('b');
  before.socket.end();
  await arrival();
  proxy.restore();
  const after = await newClient();
  after.socket.write('c');
  await until(() => after.received() === 'C');
  during.socket.write('d');
  accepted[0]!.write('nobody hears this');
  await pause(50);
  expect([before.received(), during.received()]).toEqual(['A', '']);
  expect([before.closed(), during.closed()]).toEqual([false, false]);
  expect(accepted).toHaveLength(2);
  expect(accepted[0]!.readableEnded).toBe(false);
});

test('a reply that is to be lost is not delivered, also in two pieces, and its connection is cut on both sides', async () => {
  proxy.loseReplies('SECRET', 2);
  const [whole, pieces, other] = [await newClient(), await newClient(), await newClient()];
  whole.socket.write('the secret');
  await until(() => whole.closed());
  pieces.socket.write('sec');
  await until(() => pieces.received() === 'SEC');
  pieces.socket.write('ret');
  await until(() => pieces.closed() && accepted.filter(({ closed }) => closed).length === 2);
  other.socket.write('secret');
  await until(() => other.received() === 'SECRET');
  expect([whole.received(), pieces.received(), other.closed(), proxy.lost()]).toEqual(['', 'SEC', false, 2]);
});
