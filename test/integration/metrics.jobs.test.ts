// The private listener's metrics of jobs: running jobs, waiting jobs, and their waiting time.
import { startHousekeeping } from '../../src/jobs/housekeeping.ts';
import { observedTasks } from '../../src/jobs/observedTasks.ts';
import { countWaitingJobs, findOldestDueSeconds } from '../../src/jobs/waitingJobsStore.ts';
import { countWaitingLookUps } from '../../src/purchases/dueLookUpsStore.ts';
import { eventually } from '../support/eventually.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';
import { createTestDatabase } from '../support/testDatabase.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.stop());

const read = async () => readMetrics(await service.deps.metrics.registry.metrics());

test('a task of which nothing waits any more is no longer shown as waiting', async () => {
  const { metrics } = service.deps;
  const counts = { task: 'sendPasswordMail', kind: 'mail', due: 2, scheduled: 1, givenUp: 1, oldestDueSeconds: 90 };
  metrics.jobsCounted([counts]);
  expect(valueOf(await read(), 'job_queue_jobs')).toBe(4);
  metrics.jobsCounted([]);
  const families = await read();
  expect(families.get('job_queue_jobs')?.samples ?? []).toEqual([]);
  expect(families.get('job_queue_oldest_due_seconds')?.samples ?? []).toEqual([]);
});

test('runs of jobs are counted by task and outcome, and what waits by its state', async () => {
  const { metrics } = service.deps;
  const run = async (fails: boolean, attempts: number) => {
    const tasks = { resolveStoreTransaction: () => (fails ? Promise.reject(new Error('failed')) : Promise.resolve()) };
    const helpers = { job: { attempts, max_attempts: 25 } } as never;
    const running = observedTasks(tasks, metrics)['resolveStoreTransaction']!(undefined as never, helpers);
    // The error must reach the queue, or the job is lost.
    await (fails ? expect(running).rejects.toThrow('failed') : running);
  };
  for (const [fails, attempts] of [
    [false, 1],
    [true, 1],
    [true, 2],
    [true, 25],
  ] as const)
    await run(fails, attempts);
  const jobs = `SELECT graphile_worker.add_job('sendPasswordMail', '{}', run_at := now() + $1::interval)`;
  for (const delay of ['-1 day', '-90 seconds', '-10 seconds', '1 hour'])
    await service.database.pool.query(jobs, [delay]);
  await service.database.pool.query(`
    UPDATE graphile_worker._private_jobs SET attempts = max_attempts WHERE run_at < now() - interval '1 hour'`);
  metrics.jobsCounted(await countWaitingJobs(service.database.pool));
  const families = await read();
  const runs = (outcome: string) => valueOf(families, 'job_runs_total', { task: 'resolveStoreTransaction', outcome });
  expect([runs('success'), runs('failure'), runs('given_up')]).toEqual([1, 2, 1]);
  const waiting = (state: string) => valueOf(families, 'job_queue_jobs', { task: 'sendPasswordMail', state });
  expect([waiting('due'), waiting('scheduled'), waiting('given_up')]).toEqual([2, 1, 1]);
  const oldest = valueOf(families, 'job_queue_oldest_due_seconds', { kind: 'mail' });
  expect([oldest > 89, oldest < 3_600]).toEqual([true, true]);
});

test('look-ups that are due are counted by their line, and the oldest is measured', async () => {
  const { metrics } = service.deps;
  await service.database.pool.query(
    `INSERT INTO store_transactions (id, application_id, behind, look_up_at) VALUES
      ('a', $1, false, now() - interval '90 seconds'), ('b', $1, false, now()), ('c', $1, true, now() + interval '1 hour'),
      ('d', $1, true, NULL)`,
    [service.application.id],
  );
  metrics.lookUpsCounted(await countWaitingLookUps(service.database.pool));
  const families = await read();
  const due = (line: string) => valueOf(families, 'store_lookups_waiting', { line });
  const oldest = (line: string) => valueOf(families, 'store_lookups_oldest_due_seconds', { line });
  expect([due('front'), due('behind'), oldest('behind')]).toEqual([2, 0, 0]);
  expect([oldest('front') > 89, oldest('front') < 3_600]).toEqual([true, true]);
});

test('a run of a job is measured in seconds', async () => {
  service.deps.metrics.jobEnded({ task: 'sendPasswordMail', outcome: 'success', millis: 1_500 });
  expect(valueOf(await read(), 'job_duration_seconds_sum', { task: 'sendPasswordMail' })).toBe(1.5);
});

test('where no jobs run, the oldest is found by the index that the queue takes its jobs by', async () => {
  const database = await createTestDatabase();
  const add = `SELECT graphile_worker.add_job('t', '{}', priority := $1, run_at := now() + $2::interval)`;
  expect(await findOldestDueSeconds(database.pool)).toBe(0);
  await database.pool.query(add, [7, '1 hour']);
  expect(await findOldestDueSeconds(database.pool)).toBe(0);
  for (const [priority, age] of [
    [0, '-10 seconds'],
    [10, '-90 seconds'],
    [100, '-5 seconds'],
    [100, '1 hour'],
    [-5, '-1 day'],
    [50, '-1 day'],
  ] as const)
    await database.pool.query(add, [priority, age]);
  // The jobs of a day ago are running.
  await database.pool.query(`
    UPDATE graphile_worker._private_jobs SET locked_by = 'a worker', locked_at = now(), attempts = 1
    WHERE run_at < now() - interval '1 hour'`);
  const seconds = await findOldestDueSeconds(database.pool);
  expect([seconds > 89, seconds < 150]).toEqual([true, true]);
  await database.drop();
});

test('where no jobs run, what a killed worker held is due again, so that the metric tells that nobody is left', async () => {
  const { pool } = service.database;
  await pool.query(`SELECT graphile_worker.add_job('t', '{}', run_at := now() - interval '90 seconds')`);
  await pool.query(`
    UPDATE graphile_worker._private_jobs SET locked_by = 'pool-killed', locked_at = now(), attempts = 1`);
  await pool.query(`INSERT INTO job_workers (id, seen_at) VALUES ('pool-killed', now() - interval '31 seconds')`);
  expect(await findOldestDueSeconds(pool)).toBe(0);
  const { metrics, log } = service.deps;
  const stop = startHousekeeping({ pool, log, metrics, runsJobs: false, eventRetentionDays: undefined });
  await eventually(
    () => findOldestDueSeconds(pool),
    (seconds) => seconds > 89,
  );
  stop();
});
