// The job worker misjudged: taken for dead while it lives, or given a job of which it never heard.
import type { PoolClient } from 'pg';
import type { AnyTasks } from '../../src/jobs/tasks.ts';
import { startWorker } from '../../src/jobs/worker.ts';
import { sweepDeadWorkers } from '../../src/jobs/workersStore.ts';
import { addJobs } from '../../src/platform/jobQueue/jobQueue.ts';
import { captureLog } from '../support/capturedLog.ts';
import { eventually } from '../support/eventually.ts';
import { mortalTiming } from '../support/jobTiming.ts';
import { moveClock } from '../support/movedClock.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
let captured: ReturnType<typeof captureLog>;
let stop: () => Promise<void>;
beforeEach(async () => {
  database = await createTestDatabase();
  captured = captureLog();
});
afterEach(async () => {
  await stop();
  captured.stop();
  await database.drop();
});

async function start(tasks: AnyTasks, timing: Partial<typeof mortalTiming> = {}): Promise<void> {
  const stopWorker = await startWorker({
    pool: database.pool,
    log: captured.log,
    tasks,
    timing: { ...mortalTiming, ...timing },
  });
  let stopped: Promise<void> | null = null;
  stop = () => (stopped ??= stopWorker());
}

const add = (key: string, runAt?: Date): Promise<void> =>
  addJobs(database.pool, { task: 'greet' as never }, [
    { payload: {} as never, key, owner: key, ...(runAt && { runAt }) },
  ]);

async function jobs(): Promise<{ key: string | null; run_at: Date }[]> {
  const { rows } = await database.pool.query<{ key: string | null; run_at: Date }>(
    'SELECT key, run_at FROM graphile_worker._private_jobs ORDER BY id',
  );
  return rows;
}

const runs = (counter: { count: number }, least: number) =>
  eventually(
    async () => counter.count,
    (count) => count >= least,
  );

test('a worker that was taken for dead does not delete what its job put back into the queue', async () => {
  const later = new Date(Date.now() + 3_600_000);
  const counter = { count: 0 };
  const greet = async () => {
    await sweepDeadWorkers(database.pool, -60_000);
    await add('a', later);
    counter.count += 1;
  };
  await add('a');
  // No worker takes the freed job before it is put back.
  await start({ greet }, { pollMillis: 60_000 });
  await runs(counter, 1);
  await stop();
  expect(await jobs()).toEqual([{ key: 'a', run_at: later }]);
});

test('a job that has lost its key to a later one is not kept as one that was given up, when its worker dies', async () => {
  await add('a');
  await add('b');
  await database.pool.query(`
    UPDATE graphile_worker._private_jobs SET locked_by = 'pool-killed', locked_at = now(), attempts = 1;
    INSERT INTO job_workers (id) VALUES ('pool-killed')`);
  const later = new Date(Date.now() + 3_600_000);
  await add('a', later);
  await sweepDeadWorkers(database.pool, -60_000);
  const left = await jobs();
  expect(left.map(({ key }) => key).toSorted()).toEqual(['a', 'b']);
  expect(left.find(({ key }) => key === 'a')).toEqual({ key: 'a', run_at: later });
  stop = async () => undefined;
});

test('a job is run though the answer that gave it to the worker was lost', async () => {
  const lost = { count: 0 };
  // Wraps the clients as they connect: graphile-worker fetches jobs only through `query`.
  database.pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    const losing = async (...args: unknown[]): Promise<unknown> => {
      const answer = (await query(...args)) as { rows: unknown[] };
      if (lost.count > 0 || answer.rows.length === 0) return answer;
      lost.count += 1;
      throw new Error('Query read timeout');
    };
    const takesJob = (question: unknown): boolean =>
      typeof question === 'object' && /skip locked/i.test((question as { text?: string } | null)?.text ?? '');
    client.query = ((...args: unknown[]) => (takesJob(args[0]) ? losing(...args) : query(...args))) as never;
  });
  const counter = { count: 0 };
  await start({ greet: async () => void (counter.count += 1) });
  await add('a');
  await eventually(jobs, ({ length }) => length === 0);
  expect([lost.count, counter.count]).toEqual([1, 1]);
  expect(captured.text()).toContain('the job worker lost an answer and starts again');
});

test('a worker that was forgotten makes itself known again before it takes a job', async () => {
  const known: (number | null)[] = [];
  const greet = async () => void known.push((await database.pool.query('SELECT FROM job_workers')).rowCount);
  await start({ greet }, { beatMillis: 60_000 });
  await database.pool.query('DELETE FROM job_workers');
  // No job waits: the worker makes itself known when it looks for one. A look that began before the clock moved does not.
  await eventually(
    async () => {
      moveClock(mortalTiming.silentMillis);
      return (await database.pool.query('SELECT FROM job_workers')).rowCount;
    },
    (count) => count === 1,
  );
  await add('a');
  await eventually(jobs, ({ length }) => length === 0);
  expect(known).toEqual([1]);
});
