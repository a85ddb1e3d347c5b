// The job worker: the fate of its jobs when it is killed, when it stops and when its connections break.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyTasks } from '../../src/jobs/tasks.ts';
import { startWorker } from '../../src/jobs/worker.ts';
import { beat, signOff, sweepDeadWorkers } from '../../src/jobs/workersStore.ts';
import { addJobs } from '../../src/platform/jobQueue/jobQueue.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { captureLog } from '../support/capturedLog.ts';
import { eventually } from '../support/eventually.ts';
import { holdLock } from '../support/heldLock.ts';
import { mortalTiming, quickTiming } from '../support/jobTiming.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
const stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  await database.drop();
});

const silent = createLog('silent');

/** The returned function stops the worker; otherwise it stops after the test. */
async function start(tasks: AnyTasks, timing = quickTiming, log = silent): Promise<() => Promise<void>> {
  let running: Promise<void> | null = null;
  const stopWorker = await startWorker({ pool: database.pool, log, tasks, timing });
  const stop = () => (running ??= stopWorker());
  stops.push(stop);
  return stop;
}

/** The service does not know these tasks. */
const add = (task: string, payloads: object[] = [{}]): Promise<void> =>
  addJobs(
    database.pool,
    { task: task as never },
    payloads.map((payload) => ({ payload: payload as never, key: randomUUID(), owner: randomUUID() })),
  );

async function jobs(): Promise<{ locked_by: string | null; attempts: number }[]> {
  const { rows } = await database.pool.query<{ locked_by: string | null; attempts: number }>(
    'SELECT locked_by, attempts FROM graphile_worker._private_jobs',
  );
  return rows;
}

test('a job runs with its payload, and is gone', async () => {
  const seen: unknown[] = [];
  const stop = await start({ greet: async (payload: unknown) => void seen.push(payload) });
  await add('greet', [{ name: 'é' }, { name: 'b' }]);
  await eventually(jobs, (rows) => rows.length === 0);
  expect(seen).toEqual(expect.arrayContaining([{ name: 'é' }, { name: 'b' }]));
  await stop();
});

test('a job of a killed worker is picked up by another', async () => {
  // The traces of a kill: a locked job, and a heartbeat that has ended.
  await add('greet');
  let runs = 0;
  const begun = Date.now();
  await database.pool.query(`
    UPDATE graphile_worker._private_jobs SET locked_by = 'pool-killed', locked_at = now(), attempts = 1;
    INSERT INTO job_workers (id) VALUES ('pool-killed')`);
  const stop = await start({ greet: async () => void (runs += 1) }, mortalTiming);
  await eventually(jobs, (rows) => rows.length === 0);
  expect(runs).toBe(1);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(mortalTiming.silentMillis);
  await stop();
  const { rows } = await database.pool.query('SELECT id FROM job_workers');
  expect(rows).toEqual([]);
});

test('a living worker keeps its long job, also one that has only just begun to beat', async () => {
  let runs = 0;
  // Longer than a pause of a busy machine, which keeps both workers silent.
  const timing = { ...quickTiming, silentMillis: 10_000, stopMillis: 60_000 };
  const slow: AnyTasks = {
    slow: async () => {
      runs += 1;
      await sleep(timing.silentMillis + 1_500);
    },
  };
  const stops = [await start(slow, timing), await start(slow, timing)];
  await add('slow');
  await eventually(jobs, (rows) => rows.length === 0);
  expect(runs).toBe(1);
  await Promise.all(stops.map((stop) => stop()));
  await database.pool.query(`DELETE FROM job_workers`);
  await add('slow');
  await database.pool.query(`UPDATE graphile_worker._private_jobs SET locked_by = 'pool-new', locked_at = now()`);
  expect(await sweepDeadWorkers(database.pool, 5_000)).toEqual([]);
});

test('nobody looks through the queue as long as every worker is seen', async () => {
  await beat(database.pool, 'pool-living');
  const lock = await holdLock(database.pool, 'LOCK TABLE graphile_worker._private_jobs');
  expect(await sweepDeadWorkers(database.pool, 60_000)).toEqual([]);
  await lock.release();
});

test('a worker takes no job before it is known, so that its jobs are found if it dies', async () => {
  let runs = 0;
  const client = await database.pool.connect();
  await client.query('BEGIN; LOCK TABLE job_workers');
  // A long interval, because each waiting heartbeat holds one of the pool's few connections.
  await start({ greet: async () => void (runs += 1) }, { ...quickTiming, beatMillis: 5_000 });
  await add('greet');
  await sleep(300);
  expect([runs, await jobs()]).toEqual([0, [{ locked_by: null, attempts: 0 }]]);
  await client.query('COMMIT');
  client.release();
  await eventually(jobs, (rows) => rows.length === 0);
});

test('a worker that signs off leaves no job behind', async () => {
  await add('greet');
  await beat(database.pool, 'pool-me');
  await database.pool.query(`UPDATE graphile_worker._private_jobs SET locked_by = 'pool-me', locked_at = now()`);
  await signOff(database.pool, 'pool-me');
  expect(await jobs()).toEqual([{ locked_by: null, attempts: 0 }]);
});

test('stopping waits for the jobs under way and takes no new ones', async () => {
  let finished = 0;
  let finish = (): void => undefined;
  const told = new Promise<void>((resolve) => (finish = resolve));
  const timing = { ...quickTiming, stopMillis: 60_000 };
  const stop = await start({ slow: () => told.then(() => void (finished += 1)) }, timing);
  await add('slow');
  await eventually(jobs, (rows) => rows[0]?.locked_by !== null);
  const stopped = stop();
  finish();
  await stopped;
  await add('slow');
  await sleep(200);
  expect(finished).toBe(1);
  expect(await jobs()).toEqual([{ locked_by: null, attempts: 0 }]);
});

test('a worker lives on when every connection is cut', async () => {
  let runs = 0;
  const stop = await start({ greet: async () => void (runs += 1) });
  await database.pool.query(`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  await eventually(
    () =>
      add('greet').then(
        () => true,
        () => false,
      ),
    (added) => added,
  );
  await eventually(jobs, (rows) => rows.length === 0);
  expect(runs).toBe(1);
  await stop();
});

test('a worker that keeps its first failure for ever notices and starts again', async () => {
  let runs = 0;
  await database.pool.query('ALTER TABLE graphile_worker._private_tasks RENAME TO tasks_away');
  await start({ greet: async () => void (runs += 1) });
  await sleep(100);
  await database.pool.query('ALTER TABLE graphile_worker.tasks_away RENAME TO _private_tasks');
  await add('greet');
  await eventually(jobs, (rows) => rows.length === 0);
  expect(runs).toBe(1);
});

test('a worker that is stopped while it starts again stops for good', async () => {
  await database.pool.query('ALTER TABLE graphile_worker._private_tasks RENAME TO tasks_away');
  const stop = await start({});
  const lock = await holdLock(database.pool, 'LOCK TABLE graphile_worker.migrations');
  await lock.waiting(1);
  const stopped = stop();
  await lock.release();
  await stopped;
  const { rows } = await database.pool.query('SELECT id FROM job_workers');
  expect(rows).toEqual([]);
});

test('a worker that could not make itself known at once does so later, and takes jobs', async () => {
  let runs = 0;
  await database.pool.query('ALTER TABLE job_workers RENAME TO workers_away');
  await start({ greet: async () => void (runs += 1) }, { ...quickTiming, beatMillis: 60_000 });
  await add('greet');
  await sleep(300);
  expect(runs).toBe(0);
  await database.pool.query('ALTER TABLE workers_away RENAME TO job_workers');
  await eventually(jobs, (rows) => rows.length === 0);
  expect(runs).toBe(1);
});

test('a job that fails is logged with its task, and without the values that its error quotes', async () => {
  const captured = captureLog();
  const failing = () => Promise.reject(new Error('Failing row contains (ann@example.com, "a word of hers")'));
  try {
    await start({ failing }, quickTiming, captured.log);
    await add('failing');
    const failed = () =>
      captured
        .text()
        .split('\n')
        .filter((line) => line.includes('Failed task'));
    const [line] = await eventually(
      async () => failed(),
      ({ length }) => length > 0,
    );
    expect(JSON.parse(line!)).toMatchObject({ task: 'failing', err: { message: 'Failing row contains …' } });
    expect(captured.text()).not.toMatch(/ann@example|a word/);
  } finally {
    captured.stop();
  }
});
