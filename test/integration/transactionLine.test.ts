// Consecutive transactions: which statements are sent ahead, which never are, and the effect of the first one's failure on the second.
import type { Socket } from 'node:net';
import type { Pool, PoolClient } from 'pg';
import { classifyDatabaseError } from '../../src/platform/database/databaseErrors.ts';
import { createTransactionLine, type LinedTransaction } from '../../src/platform/database/transactionLine.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  await database.pool.query('CREATE TABLE numbers (number int PRIMARY KEY)');
});
afterAll(() => database.drop());
beforeEach(() => database.pool.query('TRUNCATE numbers'));

const behind = { behind: true };
const add = (number: number) => ({ text: 'INSERT INTO numbers VALUES ($1)', values: [number] });
const stored = async (): Promise<number[]> => {
  const { rows } = await database.pool.query<{ number: number }>('SELECT number FROM numbers ORDER BY number');
  return rows.map(({ number }) => number);
};

/** A transaction in a single pipeline; returns the back-end that stored it. */
const adding = (number: number, waiting = 'SELECT 1') => {
  return (transaction: LinedTransaction): Promise<number> =>
    transaction.pipelinedToCommit(async (client) => {
      const [, , { rows }] = await Promise.all([
        client.query(waiting),
        client.query(add(number)),
        client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'),
      ]);
      return rows[0]!.pid;
    });
};

/** A line over the test's pool, and the connections that it took. */
function newLine({ waitingCount = 0 } = {}) {
  const taken: PoolClient[] = [];
  const connect = async (): Promise<PoolClient> => {
    const client = await database.pool.connect();
    taken.push(client);
    return client;
  };
  return { run: createTransactionLine({ connect, waitingCount } as unknown as Pool), taken };
}

const bytesWritten = (client: PoolClient): number =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream.bytesWritten;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('the second is sent while the first runs, on its connection, and a third takes one of its own', async () => {
  const { run, taken } = newLine();
  const answered: number[] = [];
  const first = run(adding(1, 'SELECT pg_sleep(0.2)'), behind).then((pid) => (answered.push(1), pid));
  await nextTurn();
  const before = bytesWritten(taken[0]!);
  const second = run(adding(2), behind).then((pid) => (answered.push(2), pid));
  expect(bytesWritten(taken[0]!)).toBeGreaterThan(before);
  const third = run(adding(3), behind);
  const pids = await Promise.all([first, second, third]);
  expect(answered).toEqual([1, 2]);
  expect(pids[1]).toBe(pids[0]);
  expect(pids[2]).not.toBe(pids[0]);
  expect(taken).toHaveLength(2);
  expect(await stored()).toEqual([1, 2, 3]);
  expect(database.pool.idleCount).toBe(database.pool.totalCount);
});

test('one that must not wait for another takes a connection of its own', async () => {
  const { run, taken } = newLine();
  const first = run(adding(1, 'SELECT pg_sleep(0.1)'), { behind: false });
  await nextTurn();
  await Promise.all([first, run(adding(2), { behind: false })]);
  expect(taken).toHaveLength(2);
});

test('nobody waits for a connection that a line keeps', async () => {
  const { run, taken } = newLine({ waitingCount: 1 });
  const first = run(adding(1, 'SELECT pg_sleep(0.1)'), behind);
  await nextTurn();
  await Promise.all([first, run(adding(2), behind)]);
  expect(taken).toHaveLength(2);
});

test('behind one whose COMMIT fails the second is stored', async () => {
  const deferred = 'CREATE TABLE doubles (number int UNIQUE DEFERRABLE INITIALLY DEFERRED)';
  await database.pool.query(deferred);
  const { run, taken } = newLine();
  const first = run(adding(1, 'INSERT INTO doubles VALUES (1), (1)'), behind);
  await nextTurn();
  const second = run(adding(2), behind);
  await expect(first).rejects.toMatchObject({ code: '23505' });
  await second;
  expect(taken).toHaveLength(1);
  expect(await stored()).toEqual([2]);
});

test('what the first has not prepared, since it failed before, the second prepares when it comes again', async () => {
  const { run, taken } = newLine();
  const named = (number: number) => ({ name: 'add_named', ...add(number) });
  const store = (first: string, number: number) => (transaction: LinedTransaction) =>
    transaction.pipelinedToCommit((client) => Promise.all([client.query(first), client.query(named(number))]));
  const failing = run(store('SELECT 1 / 0', 1), behind);
  await nextTurn();
  const passedOver = run(store('SELECT 1', 2), behind);
  await expect(failing).rejects.toMatchObject({ code: '22012' });
  await expect(passedOver).rejects.toMatchObject({ code: '25P02' });
  await run(store('SELECT 1', 3), behind);
  await run(store('SELECT 1', 4), behind);
  expect(new Set(taken).size).toBe(1);
  expect(await stored()).toEqual([3, 4]);
});

test('nothing goes between two pipelines of a transaction', async () => {
  const { run, taken } = newLine();
  let commit = (): void => undefined;
  const held = new Promise<void>((resolve) => (commit = resolve));
  const first = run(async (transaction) => {
    await transaction.pipelined((client) => client.query(add(1)));
    await held;
    await transaction.pipelinedToCommit((client) => client.query(add(2)));
  }, behind);
  await nextTurn();
  await run(adding(3), behind);
  expect(taken).toHaveLength(2);
  expect(await stored()).toEqual([3]);
  commit();
  await first;
  expect(await stored()).toEqual([1, 2, 3]);
});

test('one that takes several pipelines may begin behind another', async () => {
  const { run, taken } = newLine();
  const first = run(adding(1, 'SELECT pg_sleep(0.1)'), behind);
  await nextTurn();
  const second = run(async (transaction) => {
    const { rows } = await transaction.pipelined((client) =>
      client.query<{ count: number }>('SELECT count(*)::int AS count FROM numbers'),
    );
    await transaction.pipelinedToCommit((client) => client.query(add(rows[0]!.count + 1)));
  }, behind);
  await Promise.all([first, second]);
  expect(taken).toHaveLength(1);
  expect(await stored()).toEqual([1, 2]);
});

test('behind one that fails the second is passed over and nothing of it stored; the connection is as new', async () => {
  const { run, taken } = newLine();
  await run(adding(1), behind);
  const first = run(adding(1), behind);
  await nextTurn();
  const second = run(adding(2), behind);
  await expect(first).rejects.toMatchObject({ code: '23505' });
  await expect(second).rejects.toMatchObject({ code: '25P02' });
  expect(taken).toHaveLength(2);
  expect(await stored()).toEqual([1]);
  expect(database.pool.idleCount).toBe(database.pool.totalCount);
  await run(adding(2), behind);
  expect(taken[2]).toBe(taken[1]);
  expect(await stored()).toEqual([1, 2]);
});

test('a second one that fails leaves the first stored', async () => {
  const { run } = newLine();
  const first = run(adding(1, 'SELECT pg_sleep(0.1)'), behind);
  await nextTurn();
  const second = run(adding(1), behind);
  await expect(second).rejects.toMatchObject({ code: '23505' });
  await first;
  expect(await stored()).toEqual([1]);
  expect(database.pool.idleCount).toBe(database.pool.totalCount);
});

test('a connection that is cut fails both, and is not used again', async () => {
  const { run, taken } = newLine();
  const first = run(adding(1, 'SELECT pg_sleep(20)'), behind);
  await nextTurn();
  const second = run(adding(2), behind);
  const refused = Promise.all([first, second].map((each) => each.then(() => 'stored', classifyDatabaseError)));
  const { processID } = taken[0] as unknown as { processID: number };
  await database.pool.query('SELECT pg_terminate_backend($1)', [processID]);
  expect(await refused).toEqual(['unavailable', 'unavailable']);
  expect(await stored()).toEqual([]);
  await run(adding(3), behind);
  expect(taken[1]).not.toBe(taken[0]);
});

test('on a network that has gone silent both end by their time, and the connection is not used again', async () => {
  const silent = await createTestDatabase({ empty: true });
  try {
    await silent.pool.query('CREATE TABLE numbers (number int PRIMARY KEY)');
    const client = await silent.pool.connect();
    const stream = (client as unknown as { connection: { stream: Socket } }).connection.stream;
    (client as unknown as { connectionParameters: { query_timeout: number } }).connectionParameters.query_timeout = 200;
    const run = createTransactionLine({ connect: async () => client, waitingCount: 0 } as unknown as Pool);
    const removed = new Promise((resolve) => silent.pool.once('remove', resolve));
    const first = run(adding(1, 'SELECT pg_sleep(0.1)'), behind);
    await nextTurn();
    stream.pause();
    const second = run(adding(2), behind);
    await expect(first).rejects.toThrow('Query read timeout');
    await expect(second).rejects.toThrow('Query read timeout');
    await removed;
  } finally {
    await silent.drop();
  }
});
