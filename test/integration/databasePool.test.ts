// The pool of connections: an abandoned query does not delay the next user of its connection.
import { jest } from '@jest/globals';
import type { PoolClient } from 'pg';
import { adminConnections, openDatabase } from '../../src/platform/database/database.ts';
import { classifyDatabaseError } from '../../src/platform/database/databaseErrors.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { inLane } from '../../src/platform/turns.ts';
import { passMillis } from '../support/stoppedClock.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

const backend = 'SELECT pg_backend_pid() AS pid';

test('a connection given back while it waits for an answer is not used again', async () => {
  const options = { poolSize: 2, statementTimeoutMillis: 10_000, log: createLog('silent') };
  const { pool, close } = openDatabase({ url: testDatabase.url, ...options });
  try {
    const holder = await pool.connect();
    const { rows: first } = await holder.query<{ pid: number }>(backend);
    const givenUp = holder.query('SELECT pg_sleep(20)').catch((error: Error) => error.message);
    holder.release();
    const { rows: next } = await pool.query<{ pid: number }>(backend);
    expect(next[0]!.pid).not.toBe(first[0]!.pid);
    expect(await givenUp).toMatch(/terminated/);
  } finally {
    await close();
  }
});

test('a connection given back in order is used again', async () => {
  const options = { poolSize: 2, statementTimeoutMillis: 10_000, log: createLog('silent') };
  const { pool, close } = openDatabase({ url: testDatabase.url, ...options });
  try {
    const pids = [];
    for (let time = 0; time < 3; time++) pids.push((await pool.query<{ pid: number }>(backend)).rows[0]!.pid);
    expect(new Set(pids).size).toBe(1);
  } finally {
    await close();
  }
});

test('transactions, kept or undone, leave nothing behind on their connection', async () => {
  const options = { poolSize: 1, statementTimeoutMillis: 10_000, log: createLog('silent') };
  const { pool, close } = openDatabase({ url: testDatabase.url, ...options });
  const listeners = async (): Promise<number> => {
    const client = await pool.connect();
    client.release();
    return client.listenerCount('error');
  };
  try {
    const before = await listeners();
    for (const statement of ['SELECT 1', 'SELECT 1', 'SELECT nothing']) {
      await inTransaction(pool, (client) => client.query(statement)).catch(() => undefined);
    }
    expect(await listeners()).toBe(before);
  } finally {
    await close();
  }
});

test.each([
  [2, 1, 1],
  [4, 1, 3],
  [5, 2, 4],
  [10, 4, 9],
  [100, 40, 99],
])('of %d connections the admin API may hold %d, and %d in a process of its own', (poolSize, share, alone) => {
  expect([adminConnections(poolSize, false), adminConnections(poolSize, true)]).toEqual([share, alone]);
});

test("the admin API's share of the pool ends before the pool does, for SQL, transactions and Prisma together", async () => {
  const options = { poolSize: 5, statementTimeoutMillis: 20_000, log: createLog('silent') };
  const { pool, adminPool, prisma, close } = openDatabase({ url: testDatabase.url, ...options });
  const failureOf = (work: Promise<unknown>) => work.then(() => null, classifyDatabaseError);
  const held: PoolClient[] = [];
  try {
    await prisma.organization.count();
    const warm = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
    for (const client of warm) client.release();
    for (const lane of ['one', 'two']) held.push(await inLane(lane, () => adminPool.connect()));
    // From here on the test says how time passes: no pause of the machine uses up the patience.
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask'] });
    let ended = 0;
    const asked = [
      failureOf(adminPool.query('SELECT 1')),
      failureOf(prisma.organization.findMany()),
      failureOf(prisma.$transaction((transaction) => transaction.organization.findMany())),
      failureOf(inTransaction(adminPool, (client) => client.query('SELECT 1'))),
    ];
    for (const each of asked) void each.then(() => (ended += 1));
    expect(await failureOf(pool.query('SELECT 1'))).toBeNull();
    expect(ended).toBe(0);
    while (ended < asked.length) await passMillis(1_000);
    expect(await Promise.all(asked)).toEqual(['unavailable', 'unavailable', 'unavailable', 'unavailable']);
    const waiting = adminPool.query<{ one: number }>('SELECT 1 AS one');
    held.pop()!.release();
    expect((await waiting).rows).toEqual([{ one: 1 }]);
    await expect(adminPool.query('SELECT nothing')).rejects.toThrow('nothing');
    expect(await prisma.organization.count()).toBe(0);
  } finally {
    jest.useRealTimers();
    for (const client of held) client.release();
    await close();
  }
});

test('who comes behind 500 that wait for the share is refused at once, and those are served', async () => {
  const options = { poolSize: 2, statementTimeoutMillis: 20_000, log: createLog('silent') };
  const { adminPool, close } = openDatabase({ url: testDatabase.url, ...options });
  const outcomeOf = (work: Promise<unknown>) => work.then(() => 'served', classifyDatabaseError);
  try {
    const holder = await adminPool.connect();
    const all = Array.from({ length: 501 }, () => outcomeOf(adminPool.query('SELECT 1')));
    holder.release();
    expect(await Promise.all(all)).toEqual([...Array<string>(500).fill('served'), 'unavailable']);
  } finally {
    await close();
  }
});

test.each(['SQL', 'Prisma'])('organizations take turns for the share, for %s', async (kind) => {
  const options = { poolSize: 2, statementTimeoutMillis: 20_000, log: createLog('silent') };
  const { adminPool, prisma, close } = openDatabase({ url: testDatabase.url, ...options });
  const served: string[] = [];
  const ask = (organization: string) =>
    inLane(organization, async () => {
      if (kind === 'SQL') await adminPool.query('SELECT 1');
      else await prisma.project.count();
      served.push(organization);
    });
  try {
    const holder = await adminPool.connect();
    const all = [...Array.from({ length: 20 }, () => ask('busy')), ask('other')];
    holder.release();
    await Promise.all(all);
    expect(served.indexOf('other')).toBeLessThan(3);
  } finally {
    await close();
  }
});

test('one organization leaves a connection of the share to the others, however long its statements take', async () => {
  const options = { poolSize: 5, statementTimeoutMillis: 20_000, log: createLog('silent') };
  const { adminPool, close } = openDatabase({ url: testDatabase.url, ...options });
  const served: string[] = [];
  const ask = (organization: string) =>
    inLane(organization, () => adminPool.query('SELECT 1')).then(() => served.push(organization));
  try {
    const holder = await inLane('slow', () => adminPool.connect());
    const behind = ask('slow');
    await ask('other');
    expect(served).toEqual(['other']);
    holder.release();
    await behind;
  } finally {
    await close();
  }
});

test('a connection of the share that is given back with an error is not used again', async () => {
  const options = { poolSize: 2, statementTimeoutMillis: 10_000, log: createLog('silent') };
  const { adminPool, close } = openDatabase({ url: testDatabase.url, ...options });
  const pids: number[] = [];
  try {
    for (const error of [new Error('its transaction may be open'), undefined]) {
      const client = await adminPool.connect();
      pids.push((await client.query<{ pid: number }>(backend)).rows[0]!.pid);
      client.release(error);
    }
    expect(pids[1]).not.toBe(pids[0]);
  } finally {
    await close();
  }
});
