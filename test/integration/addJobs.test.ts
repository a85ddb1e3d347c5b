// Adding jobs to the queue: the required form of a job, and the effect of a key that another job has.
import type { Tasks } from '../../src/jobs/tasks.ts';
import type { SqlConnection } from '../../src/platform/database/sqlClient.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { addJobs } from '../../src/platform/jobQueue/jobQueue.ts';
import { holdLock } from '../support/heldLock.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

type Payload = { key: string; turn: number };

const add = (connection: SqlConnection, payloads: Payload[]): Promise<void> =>
  addJobs(
    connection,
    { task: 'greet' as never, priority: 7 },
    payloads.map((payload) => ({ payload: payload as never, key: payload.key, owner: payload.key })),
  );

async function waiting(): Promise<unknown[]> {
  const { rows } = await database.pool.query<{ payload: unknown }>(
    'SELECT payload FROM graphile_worker._private_jobs WHERE is_available AND priority = 7 ORDER BY key',
  );
  return rows.map(({ payload }) => payload);
}

test('of two with one key only the later waits', async () => {
  await add(database.pool, [
    { key: 'a', turn: 1 },
    { key: 'b', turn: 1 },
  ]);
  await add(database.pool, [{ key: 'a', turn: 2 }]);
  expect(await waiting()).toEqual([
    { key: 'a', turn: 2 },
    { key: 'b', turn: 1 },
  ]);
});

const clients = {
  'a connection': (payloads: Payload[]) => add(database.pool, payloads),
  'a transaction': (payloads: Payload[]) => inTransaction(database.pool, (transaction) => add(transaction, payloads)),
};

test.each(Object.entries(clients))(
  'by %s: one that is added while a worker takes the earlier one waits for its own turn, and others are added once',
  async (_name, addBy) => {
    await add(database.pool, [{ key: 'a', turn: 1 }]);
    const taking = await holdLock(
      database.pool,
      "UPDATE graphile_worker._private_jobs SET locked_by = 'pool-a', locked_at = now(), attempts = 1",
    );
    const jobs = ['a', 'b', 'c'].map((key) => ({ key, turn: 2 }));
    const added = addBy(jobs);
    await taking.waiting(1);
    await taking.release();
    await added;
    expect(await waiting()).toEqual(jobs);
  },
);

test('a job without a task, a task without a job, or another payload than the task reads does not compile', () => {
  const job = { key: 'a', owner: 'a', payload: { applicationId: 'a' } };
  const jobs = [job];
  const task = () => Promise.resolve();
  expect([
    () => addJobs(database.pool, { task: 'removeApplication' }, jobs),
    // @ts-expect-error -- no task has this name
    () => addJobs(database.pool, { task: 'removeAplication' }, jobs),
    // @ts-expect-error -- the task reads `applicationId`
    () => addJobs(database.pool, { task: 'removeApplication' }, [{ ...job, payload: { aplicationId: 'a' } }]),
    // @ts-expect-error -- no code adds a job of this name
    (tasks: Tasks): Tasks => ({ ...tasks, removeAplication: task }),
    // @ts-expect-error -- no code that adds this job gives an `id`
    (tasks: Tasks): Tasks => ({ ...tasks, removeApplication: ({ id }: { id: string }) => Promise.resolve(void id) }),
  ]).toHaveLength(5);
});
