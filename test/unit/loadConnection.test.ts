// The load generator's connections: a connection that the server has closed, or is about to close, must not count as a lost upload.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { openConnection } from '../bench/ingest/load/connection.ts';
import { eventually } from '../support/eventually.ts';

const request = Buffer.from('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}');
const server = createServer({ headersTimeout: 100, connectionsCheckingInterval: 10 }, (incoming, response) => {
  if (incoming.url === '/last') response.setHeader('Connection', 'close');
  incoming.resume().on('end', () => response.end('{}'));
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('a connection is usable, and again after its answer', async () => {
  const connection = await openConnection(url);
  expect(connection.isUsable()).toBe(true);
  await expect(connection.send(request)).resolves.toEqual({ status: 200, retryAfter: false });
  expect(connection.isUsable()).toBe(true);
  connection.close();
});

test('one that the server closed for sending nothing is not, and what is sent on it is refused at once', async () => {
  const connection = await openConnection(url);
  await eventually(
    async () => connection.isUsable(),
    (usable) => !usable,
  );
  await expect(connection.send(request)).rejects.toThrow('the connection was closed');
});

test('nor is one whose answer said that it is the last', async () => {
  const connection = await openConnection(url);
  await connection.send(Buffer.from(request.toString().replace('/', '/last')));
  expect(connection.isUsable()).toBe(false);
});

test('nor is one that was idle for so long that the server may be closing it', async () => {
  const connection = await openConnection(url);
  await connection.send(request);
  const now = performance.now();
  const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 5_001);
  expect(connection.isUsable()).toBe(false);
  clock.mockRestore();
  connection.close();
});
