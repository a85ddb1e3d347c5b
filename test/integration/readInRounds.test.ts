// Long responses of PostgreSQL to the admin API: the event loop does other work between two pieces.
import type { PoolClient } from 'pg';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const long = "SELECT repeat('x', 100) FROM generate_series(1, 30000)";

function hold(millis: number): void {
  const end = performance.now() + millis;
  while (performance.now() < end);
}

/** How many long pieces the driver has parsed in each round of the event loop. */
async function piecesInRounds(client: PoolClient): Promise<number[]> {
  const { stream } = (client as unknown as { connection: { stream: NodeJS.ReadableStream } }).connection;
  const pieces = [0];
  const onData = ({ length }: Buffer): void => {
    if (length < 16 * 1_024) return;
    pieces[pieces.length - 1]! += 1;
    // Meanwhile the server fills the buffer of the socket.
    hold(2);
  };
  let reading = true;
  const round = (): void => {
    pieces.push(0);
    if (reading) setImmediate(round);
  };
  stream.on('data', onData);
  round();
  const { rows } = await client.query(long);
  reading = false;
  stream.off('data', onData);
  expect(rows).toHaveLength(30_000);
  return pieces;
}

test('a round of the event loop parses at most two pieces of a long response', async () => {
  const client = await service.database.adminPool.connect();
  try {
    // The system makes the buffer of the socket larger while data comes quickly.
    for (let time = 0; time < 3; time++) await client.query(long);
    const pieces = await piecesInRounds(client);
    expect(Math.max(...pieces)).toBeLessThanOrEqual(2);
    expect(pieces.filter((count) => count > 0).length).toBeGreaterThan(10);
  } finally {
    client.release();
  }
});

test('a connection that the admin API has given back reads as before', async () => {
  const admin = await service.database.adminPool.connect();
  const { stream } = (admin as unknown as { connection: { stream: NodeJS.ReadableStream } }).connection;
  const listeners = stream.listenerCount('data');
  admin.release();
  await new Promise((resolve) => setImmediate(resolve));
  expect(stream.listenerCount('data')).toBe(listeners - 1);
});
