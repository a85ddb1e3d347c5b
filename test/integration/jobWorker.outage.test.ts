// The job worker while the database is away: a job that ends meanwhile is not lost, and the process survives.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { usualPlaces } from '../../src/jobs/places.ts';
import { startWorker } from '../../src/jobs/worker.ts';
import { addJobs } from '../../src/platform/jobQueue/jobQueue.ts';
import { captureLog } from '../support/capturedLog.ts';
import { eventually } from '../support/eventually.ts';
import { mortalTiming } from '../support/jobTiming.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

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
