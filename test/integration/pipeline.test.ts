// Statements sent together: each gets its own result, a failure undoes and reports all of them, and the connection stays usable.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { PoolClient } from 'pg';
import { copyFrom } from '../../src/platform/database/copyFrom.ts';
import { pipelined } from '../../src/platform/database/pipeline.ts';
import type { SqlConnection } from '../../src/platform/database/sqlClient.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
let client: PoolClient;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  client = await database.pool.connect();
  await client.query('CREATE TABLE numbers (number int PRIMARY KEY)');
});
afterAll(async () => {
  client.release();
  await database.drop();
});
beforeEach(() => client.query('TRUNCATE numbers'));

const add = (number: number | string, name = 'add_number') => ({
  name,
  text: 'INSERT INTO numbers VALUES ($1) RETURNING number AS added',
  values: [number],
});
const stored = async (): Promise<number[]> => {
  const { rows } = await client.query<{ number: number }>('SELECT number FROM numbers ORDER BY number');
  return rows.map(({ number }) => number);
};
const copied = 'COPY numbers FROM STDIN';

test('each statement is answered by its own rows, a COPY among them', async () => {
  const answers = await pipelined(client, (pipeline) =>
    Promise.all([
      pipeline.query(add(1)),
      copyFrom(pipeline, copied, '2\n3\n'),
      pipeline.query('SELECT count(*)::int AS count FROM numbers'),
      pipeline.query(add(4)),
    ]),
  );
  expect([answers[0].rows, answers[2].rows, answers[3].rows]).toEqual([[{ added: 1 }], [{ count: 3 }], [{ added: 4 }]]);
  expect(await stored()).toEqual([1, 2, 3, 4]);
});

test.each([
  ['in a statement', () => add('none'), '22P02'],
  ['in a COPY', () => null, '22P02'],
  ['of a key', () => add(1), '23505'],
])('a failure %s is the answer of all, and nothing is stored', async (_, failing, code) => {
  const attempt = inTransaction(database.pool, (transaction) =>
    transaction.pipelinedToCommit((pipeline) => {
      const statement = failing();
      const second = statement ? pipeline.query(statement) : copyFrom(pipeline, copied, 'none\n');
      return Promise.all([pipeline.query(add(1)), second, pipeline.query(add(2, `after_${code}`))]);
    }),
  );
  await expect(attempt).rejects.toMatchObject({ code });
  expect(await stored()).toEqual([]);
});

test('a statement behind a failure was not prepared, and is when it comes again', async () => {
  const later = add(2, 'prepared_late');
  const send = (first: number | string) =>
    pipelined(client, (pipeline) => Promise.all([pipeline.query(add(first)), pipeline.query(later)]));
  await expect(send('none')).rejects.toMatchObject({ code: '22P02' });
  await send(1);
  expect(await stored()).toEqual([1, 2]);
});

test('one that is asked for more when it has been sent refuses, and leaves its connection free', async () => {
  const attempt = inTransaction(database.pool, (transaction) =>
    transaction.pipelined(async (pipeline) => {
      await pipeline.query(add(1));
      await pipeline.query(add(2));
    }),
  );
  await expect(attempt).rejects.toThrow('asked for more after it had been sent');
  expect(await stored()).toEqual([]);
  expect(database.pool.idleCount).toBe(database.pool.totalCount - 1);
});

test('a transaction is undone by its roll back and committed at its end, whatever its last pipeline was', async () => {
  await inTransaction(database.pool, async (transaction) => {
    await transaction.pipelined((pipeline) => pipeline.query(add(1)));
    await transaction.rollBack();
    await transaction.pipelined((pipeline) => pipeline.query(add(2)));
    expect(await stored()).toEqual([]);
  });
  await inTransaction(database.pool, (transaction) =>
    transaction.pipelinedToCommit((pipeline) => pipeline.query(add(3))),
  );
  expect(await stored()).toEqual([2, 3]);
});

test('what throws between two pipelines leaves nothing behind', async () => {
  const attempt = inTransaction(database.pool, async (transaction) => {
    await transaction.pipelined((pipeline) => pipeline.query(add(1)));
    throw new Error('thought better of it');
  });
  await expect(attempt).rejects.toThrow('thought better of it');
  expect(await stored()).toEqual([]);
});

test('a connection that is cut fails all statements', async () => {
  const other = await database.pool.connect();
  other.on('error', () => undefined);
  const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const attempt = pipelined(other, (pipeline) =>
    Promise.all([pipeline.query('SELECT pg_sleep(20)'), pipeline.query(add(1))]),
  );
  const refused = expect(attempt).rejects.toThrow(/terminat/i);
  await client.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
  await refused;
  other.release(true);
  expect(await stored()).toEqual([]);
});

test.each([
  ['answered', 1, 'stored'],
  ['refused', 'none', 'invalid input syntax for type integer: "none"'],
])('a pipeline that is %s holds no values, whoever still holds it', async (_, number, outcome) => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const held: object[] = [];
  const holding = { query: (statement: object) => (held.push(statement), client.query(statement as never)) };
  const store = async (): Promise<[WeakRef<object>, string]> => {
    const values = [number];
    const text = 'INSERT INTO numbers VALUES ($1)';
    const adding = pipelined(holding as unknown as SqlConnection, (pipeline) => pipeline.query({ text, values }));
    return [new WeakRef(values), await adding.then(() => 'stored').catch((error: Error) => error.message)];
  };
  const [values, known] = await store();
  expect(known).toBe(outcome);
  await new Promise(setImmediate);
  collectGarbage();
  expect(held).toHaveLength(1);
  expect(values.deref()).toBeUndefined();
});
