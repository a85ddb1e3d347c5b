// The queue of jobs, and the worker through everything that can happen to it.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, runOnce } from 'graphile-worker';
import type { Pool, PoolClient } from 'pg';
import { addPasswordMail } from '../../src/accounts/mails.ts';
import { startWorker, usualPlaces } from '../../src/jobs/worker.ts';
import type { AnyTasks, Tasks } from '../../src/jobs/tasks.ts';
import { beat, signOff, sweepDeadWorkers } from '../../src/jobs/heartbeat.ts';
import type { SqlConnection } from '../../src/platform/database/sql.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { addJobs, type JobPayloads, wakeJobs } from '../../src/platform/jobQueue/jobQueue.ts';
import { applyJobQueueMigrations, pendingJobQueueMigrations } from '../../src/platform/jobQueue/jobQueueSchema.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { type CallSlotRequest, endPause, pauseCalls, takeCallSlot } from '../../src/purchases/callSlotsStore.ts';
import { captureLog } from '../support/capturedLog.ts';
import { eventually } from '../support/eventually.ts';
import { holdLock } from '../support/heldLock.ts';
import { mortalTiming, quickTiming } from '../support/jobTiming.ts';
import { moveClock } from '../support/movedClock.ts';
import { schemaDrift } from '../support/schemaDrift.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { administer, databaseUrl } from '../support/testPostgres.ts';

// Adding jobs to the queue: the required form of a job, and the effect of a key that another job has.
describe('addJobs', () => {
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
});

// The job queue's schema: pending until applied, by any number of processes at once, beside a schema without drift.
describe('jobQueueSchema', () => {
  test('a schema of a newer release that this one must not run on is refused when it is applied', async () => {
    const database = await createTestDatabase();
    await administer(database.url, ['INSERT INTO graphile_worker.migrations (id, breaking) VALUES (999999, true)']);
    const { exitCode } = process;
    await expect(applyJobQueueMigrations(database.url)).rejects.toThrow('revision 999999');
    // The library also sets the exit code.
    process.exitCode = exitCode;
    await database.drop();
  });

  test('is pending in an empty database, and applied once by two at a time', async () => {
    const server = process.env['TEST_SERVER_URL']!;
    const name = `test_${randomBytes(8).toString('hex')}`;
    await administer(server, [`CREATE DATABASE ${name}`]);
    const url = databaseUrl(server, name);
    const pending = await pendingJobQueueMigrations(url);
    expect(pending[0]).toBe('graphile_worker/000001');
    const applied = await Promise.all([applyJobQueueMigrations(url), applyJobQueueMigrations(url)]);
    expect(applied.flat()).toEqual(pending);
    expect(await pendingJobQueueMigrations(url)).toEqual([]);
    expect(await applyJobQueueMigrations(url)).toEqual([]);
    await administer(server, [`DROP DATABASE ${name} WITH (FORCE)`]);
  });

  test('does not show in the comparison of our own schema with schema.prisma', async () => {
    const database = await createTestDatabase();
    expect(await schemaDrift({ url: database.url, prismaDir: projectFile('prisma') })).toBe('');
    await database.drop();
  });
});

// The order of jobs within a kind: owners take turns, and mails that a user waits for come first.
describe('jobTurns', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  async function taken(task: keyof JobPayloads, named: (payload: never) => string): Promise<string[]> {
    const names: string[] = [];
    const taskList = { [task]: (payload: unknown) => void names.push(named(payload as never)) };
    const logger = new Logger(() => () => {});
    await runOnce({ pgPool: database.pool, taskList, concurrency: 1, noHandleSignals: true, logger });
    return names;
  }

  test('the second job of one organization comes after the first one of another, however many it has', async () => {
    const add = (group: string, webhookId: string) =>
      addJobs(database.pool, { task: 'deliverWebhooks' }, [
        { payload: { webhookId }, key: webhookId, owner: `application of ${webhookId}`, group },
      ]);
    for (const name of ['a 1', 'a 2', 'a 3']) await add('a', name);
    for (const name of ['b 1', 'b 2']) await add('b', name);
    // Replaced, it keeps its round.
    await add('a', 'a 1');
    const order = await taken('deliverWebhooks', ({ webhookId }: JobPayloads['deliverWebhooks']) => webhookId);
    expect([order.slice(0, 2).toSorted(), order.slice(2, 4).toSorted(), order.slice(4)]).toEqual([
      ['a 2', 'b 1'],
      ['a 3', 'b 2'],
      ['a 1'],
    ]);
  });

  test('several jobs that are added at once take their turns like those that are added one after the other', async () => {
    const job = (owner: string, webhookId: string) => ({ payload: { webhookId }, key: webhookId, owner });
    const jobs = [job('a', 'a 1'), job('a', 'a 2'), job('a', 'a 3'), job('b', 'b 1')];
    await addJobs(database.pool, { task: 'deliverWebhooks' }, jobs);
    const order = await taken('deliverWebhooks', ({ webhookId }: JobPayloads['deliverWebhooks']) => webhookId);
    expect([order.slice(0, 2).toSorted(), order.slice(2)]).toEqual([
      ['a 1', 'b 1'],
      ['a 2', 'a 3'],
    ]);
  });

  test('a mail that somebody waits for comes before invitations', async () => {
    const owner = { organization: randomUUID(), user: randomUUID() };
    await database.pool.query(`INSERT INTO organizations (id, name) VALUES ($1, 'a')`, [owner.organization]);
    const { rows } = await database.pool.query<{ id: string }>(
      `INSERT INTO memberships (id, organization_id, role, status, invited_email)
    VALUES (gen_random_uuid(), $1, 'admin', 'invited', 'b@example.com')
    RETURNING id`,
      [owner.organization],
    );
    const mail = { mailId: randomUUID(), email: 'b@example.com' };
    await addPasswordMail(database.pool, { ...mail, purpose: 'invitation', membershipId: rows[0]!.id });
    await addPasswordMail(database.pool, { mailId: randomUUID(), email: 'c@example.com', purpose: 'reset' });
    const order = await taken('sendPasswordMail', ({ purpose }: JobPayloads['sendPasswordMail']) => purpose);
    expect(order).toEqual(['reset', 'invitation']);
  });

  test('a job that is due is not touched when it is woken, and one that is due later runs now', async () => {
    const jobs = ['due', 'later'].map((key) => ({ payload: { applicationId: key }, key, owner: key }));
    const hour = new Date(Date.now() + 3_600_000);
    const task = 'resolveTransactions';
    await addJobs(database.pool, { task }, [jobs[0]!, { ...jobs[1]!, runAt: hour }]);
    const rows = async () =>
      (
        await database.pool.query<{ key: string; revision: number; due: boolean }>(
          'SELECT key, revision, run_at <= now() AS due FROM graphile_worker._private_jobs ORDER BY key',
        )
      ).rows;
    await wakeJobs(database.pool, task, jobs);
    expect(await rows()).toEqual([
      { key: 'due', revision: 0, due: true },
      { key: 'later', revision: 1, due: true },
    ]);
  });
});

// Calls to the store in the database: a pause belongs to one application, is never shortened, and its end removes the waiting calls.
describe('callSlotsStore', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const later = (seconds: number) => new Date(Date.now() + seconds * 1_000);

  function take(applicationId: string, request: Partial<CallSlotRequest> = {}) {
    const newcomer = { applicationId, perSecond: 10, patienceMillis: 1_000, queued: false, behind: false };
    return takeCallSlot(database.pool, { ...newcomer, ...request });
  }

  /** Two applications that have called the store before. */
  async function applications(): Promise<[string, string]> {
    const ids: [string, string] = [randomUUID(), randomUUID()];
    for (const id of ids) expect(await take(id)).toMatchObject({ granted: true });
    return ids;
  }

  async function slotOf(applicationId: string): Promise<unknown> {
    const { rows } = await database.pool.query('SELECT * FROM store_call_slots WHERE application_id = $1', [
      applicationId,
    ]);
    return rows[0];
  }

  test('nobody calls for a paused application before its time, which a shorter pause does not bring forward', async () => {
    const [paused, other] = await applications();
    const until = later(600);
    await pauseCalls(database.pool, paused, until);
    await pauseCalls(database.pool, paused, later(60));
    const { granted, dueAt } = await take(paused, { queued: true });
    expect([granted, dueAt]).toEqual([false, until]);
    expect(await take(other)).toMatchObject({ granted: true });
  });

  test('with the end of a pause the places of all that waited for it are forgotten, of this application alone', async () => {
    const [paused, other] = await applications();
    for (const id of [paused, other]) {
      await pauseCalls(database.pool, id, later(600));
      for (const behind of [false, true]) expect(await take(id, { behind })).toMatchObject({ granted: false });
    }
    expect(await endPause(database.pool, paused)).toBe(true);
    for (const behind of [false, true]) expect(await take(paused, { behind })).toMatchObject({ granted: true });
    expect(await take(other, { queued: true })).toMatchObject({ granted: false });
  });

  test('a queue is no pause, and stays', async () => {
    const [busy] = await applications();
    while ((await take(busy)).granted);
    const before = await slotOf(busy);
    expect(await endPause(database.pool, busy)).toBe(false);
    expect(await slotOf(busy)).toEqual(before);
  });
});

// The job worker: the fate of its jobs when it is killed, when it stops and when its connections break.
describe('jobWorker', () => {
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
});

// The job worker misjudged: taken for dead while it lives, or given a job of which it never heard.
describe('jobWorker: misjudged', () => {
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

  test('a job is run though the response that gave it to the worker was lost', async () => {
    const lost = { count: 0 };
    // Wraps the clients as they connect: graphile-worker fetches jobs only through `query`.
    database.pool.on('connect', (client: PoolClient) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      const losing = async (...args: unknown[]): Promise<unknown> => {
        const response = (await query(...args)) as { rows: unknown[] };
        if (lost.count > 0 || response.rows.length === 0) return response;
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
});

// The job worker while the database is away: a job that ends meanwhile is not lost, and the process survives.
describe('jobWorker: outage', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  /** The test's pool, which gives no connection while the database is away. */
  function interruptible(pool: Pool): { pool: Pool; outage: { on: boolean } } {
    const outage = { on: false };
    const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
    // The pool's own `query` calls it with a callback.
    const connect = (callback?: (error: Error) => void): unknown => {
      if (!outage.on) return callback ? pool.connect(callback as () => void) : pool.connect();
      return callback ? callback(refused) : Promise.reject(refused);
    };
    return { pool: Object.assign(Object.create(pool) as Pool, { connect }), outage };
  }

  const succeed = () => Promise.resolve();
  const fail = () => Promise.reject(new Error('the mail server is away, too'));
  // With four jobs, graphile-worker 0.17.3 never ends.
  test.each([
    ['one job that succeeds', 1, succeed],
    ['one job that fails', 1, fail],
    ['six jobs that succeed', 6, succeed],
    ['six jobs that fail', 6, fail],
  ])('%s while nobody can record it come again, and the process lives on', async (_what, count, end) => {
    const { pool, outage } = interruptible(database.pool);
    const { log, text, stop: stopCapture } = captureLog();
    let runs = 0;
    const job = async () => {
      runs += 1;
      if (runs > count) return;
      // The jobs end one after the other, so that each is recorded separately.
      await sleep(100 * runs);
      outage.on = true;
      await end();
    };
    const places = { ...usualPlaces, upkeep: { places: 8, ofOwner: 1, ofGroup: 8, ofSlow: 8 } };
    const stop = await startWorker({ pool, log, tasks: { job }, timing: mortalTiming, places });
    try {
      const jobs = Array.from({ length: count }, (_, index) => ({
        ...{ payload: {} as never, key: `job ${index}`, owner: `${index}` },
      }));
      await addJobs(database.pool, { task: 'job' as never }, jobs);
      await eventually(
        async () => text().includes('the job worker could not be started again'),
        (said) => said,
      );
      outage.on = false;
      await eventually(
        () => database.pool.query('SELECT FROM graphile_worker._private_jobs'),
        ({ rowCount }) => rowCount === 0,
      );
      expect(runs).toBe(2 * count);
      expect(text()).toMatch(/"err":\{[^}]*ECONNREFUSED[^}]*\},"msg":"Failed to (complete|fail) jobs '\d+'"/);
    } finally {
      stopCapture();
      outage.on = false;
      await stop();
    }
  });
});
