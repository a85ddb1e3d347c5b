// A connection that listens for notifications, and is lost: nobody trusts it meanwhile, and each loss is reported once.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { subscribe, type Subscription } from '../../src/platform/database/notifications.ts';
import { startTcpProxy } from '../faults/support/tcpProxy.ts';
import { captureLog, type CapturedLog } from '../support/capturedLog.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
let captured: CapturedLog;
let subscription: Subscription;
const heard: string[] = [];
beforeEach(async () => {
  heard.length = 0;
  database = await createTestDatabase();
  captured = captureLog();
  subscription = subscribe({
    connection: database.pool.options,
    channel: 'tests',
    onNotification: (payload) => void heard.push(payload),
    onListening: () => void heard.push('listening'),
    log: captured.log,
  });
  await live(true);
});
afterEach(async () => {
  await subscription.stop();
  captured.stop();
  await database.drop();
});

const live = (wanted: boolean) =>
  eventually(
    async () => subscription.live(),
    (is) => is === wanted,
  );
const cut = () =>
  database.pool.query(`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE '/* notifications%' AND pid <> pg_backend_pid()`);
const losses = () => captured.text().split('notifications are not heard').length - 1;

test('it is not live from the moment that the loss is seen until it is heard again', async () => {
  // The loss is noticed before the last response is too old: on a clock that stands still it never is.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  await cut();
  await live(false);
  await live(true);
  clock.mockRestore();
  expect(heard).toEqual(['listening', 'listening']);
  await database.pool.query("NOTIFY tests, 'again'");
  await eventually(
    async () => heard.length,
    (count) => count === 3,
  );
  expect(heard.at(-1)).toBe('again');
});

test('it is not live while every response comes later than a second after its question', async () => {
  const proxy = await startTcpProxy(database.url);
  const options = { channel: 'tests', onNotification: () => undefined, onListening: () => undefined };
  const connection = { connectionString: proxy.through(database.url) };
  const far = subscribe({ ...options, connection, log: captured.log });
  const farIs = (wanted: boolean) =>
    eventually(
      async () => far.live(),
      (is) => is === wanted,
    );
  await farIs(true);
  proxy.delay(700);
  await farIs(false);
  const seen = new Set<boolean>();
  // Long enough for a response to arrive.
  for (let look = 0; look < 150; look += 1) {
    seen.add(far.live());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect([...seen]).toEqual([false]);
  proxy.restore();
  await farIs(true);
  await far.stop();
  await proxy.close();
});

test('each outage is reported, and only once', async () => {
  for (const count of [1, 2]) {
    await cut();
    await live(false);
    await live(true);
    expect(losses()).toBe(count);
  }
});

test('several attempts to connect are one outage', async () => {
  const { log, text } = captured;
  let attempts = 0;
  const closed = createServer((socket) => ((attempts += 1), socket.destroy())).listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  const nowhere = { connection: { host: '127.0.0.1', port }, channel: 'tests', log };
  const alone = subscribe({ ...nowhere, onNotification: () => undefined, onListening: () => undefined });
  await eventually(
    async () => attempts,
    (count) => count > 3,
  );
  expect(alone.live()).toBe(false);
  await alone.stop();
  closed.close();
  expect(text().split('notifications are not heard')).toHaveLength(2);
});

test('one that cannot listen, and one that is stopped, leave no connection behind', async () => {
  const connections = async () => {
    const { rows } = await database.pool.query<{ count: number }>(`
      SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'listener'`);
    return rows[0]!.count;
  };
  let refused = 0;
  const connection = { ...database.pool.options, application_name: 'listener' };
  const onListening = () => {
    refused += 1;
    throw new Error('as on a replica, where LISTEN is refused');
  };
  const options = { connection, channel: 'tests', onNotification: () => undefined, log: captured.log };
  const one = subscribe({ ...options, onListening });
  await eventually(
    async () => refused,
    (count) => count > 2,
  );
  await one.stop();
  await eventually(connections, (count) => count === 0);
  const other = subscribe({ ...options, onListening: () => undefined });
  await eventually(
    async () => other.live(),
    (is) => is,
  );
  await other.stop();
  await eventually(connections, (count) => count === 0);
});
