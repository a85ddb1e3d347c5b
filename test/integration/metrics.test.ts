// The metrics: what they count, and those of jobs.
import { randomUUID } from 'node:crypto';
import type { Deps } from '../../src/deps.ts';
import { countWaitingJobs, findOldestDueSeconds, startHousekeeping } from '../../src/jobs/housekeeping.ts';
import { observedTasks } from '../../src/jobs/tasks.ts';
import { countWaitingLookUps } from '../../src/purchases/queueDueLookUps.ts';
import { askAdmin } from '../support/adminClient.ts';
import { eventually } from '../support/eventually.ts';
import { lintMetrics, type MetricFamily, readMetrics, valueOf } from '../support/metricsText.ts';
import { createTestDatabase } from '../support/testDatabase.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { anEvent, aReport, aSession, json, type SessionReport, signedHeaders } from '../support/uploads.ts';

// The metrics: names and labels by convention, what they count, and the invariant received = inserted + duplicate + rejected.
describe('metrics', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
  });
  afterEach(() => service.stop());

  type Families = Map<string, MetricFamily>;
  const read = async (): Promise<Families> => readMetrics(await service.deps.metrics.registry.metrics());
  const own = (families: Families) => [...families.values()].filter(({ name }) => !/^(nodejs|process)_/.test(name));
  const events = (count: number) => Array.from({ length: count }, () => anEvent());
  const reportOf = (count: number): SessionReport => aReport({ sessions: [aSession({ events: events(count) })] });

  async function upload(body: object, { signed = false, timestamp = Math.floor(Date.now() / 1000), nonce = '' } = {}) {
    const { key } = service.application;
    const bytes = json(body);
    const signing = { timestamp, ...(nonce && { nonce }) };
    const headers = signed ? signedHeaders(key, bytes, signing) : { 'X-Api-Key': key.public };
    return (await service.client.send('reportSessions', headers, bytes)).status;
  }

  const invalid = (report: SessionReport) => ({ ...report, device: { id: '' } });

  describe('the events of uploads', () => {
    test('are counted once each: received = inserted + duplicate + rejected', async () => {
      const report = reportOf(7);
      expect(await upload(report)).toBe(200);
      expect(await upload(report)).toBe(200);
      const twice = anEvent();
      expect(await upload(aReport({ sessions: [aSession({ events: [twice, twice, ...events(1)] })] }))).toBe(200);
      expect(await upload(invalid(reportOf(5)))).toBe(422);
      expect(await upload(aReport({ sessions: Array.from({ length: 501 }, () => aSession()) }))).toBe(413);
      const signed = { signed: true, nonce: 'AAECAwQFBgcICQoLDA0ODw' };
      expect(await upload(report, signed)).toBe(200);
      expect(await upload(report, signed)).toBe(200);
      expect(await upload(reportOf(2), signed)).toBe(403);
      expect(await upload(invalid(reportOf(3)), signed)).toBe(403);
      // Uploads that count no events: invalid JSON, no list, an unknown key, a wrong signature.
      const { key } = service.application;
      await service.client.send('reportSessions', { 'X-Api-Key': key.public }, Buffer.from('{"sessions":'));
      expect(await upload({ sessions: [{ events: { length: 9 } }, null, 4] })).toBe(422);
      await service.client.send('reportSessions', { 'X-Api-Key': 'pub_nobody' }, reportOf(9));
      await service.client.send('reportSessions', { ...signedHeaders(key, json({})) }, reportOf(9));

      const families = await read();
      const results = Object.fromEntries(
        ['inserted', 'duplicate', 'rejected'].map((result) => [
          result,
          valueOf(families, 'ingest_events_total', { result }),
        ]),
      );
      expect(results).toEqual({ inserted: 9, duplicate: 7 + 1 + 7 + 7, rejected: 5 + 501 + 2 + 3 });
      expect(valueOf(families, 'ingest_events_received_total')).toBe(valueOf(families, 'ingest_events_total'));
      expect(valueOf(families, 'ingest_events_received_total')).toBe(7 * 4 + 3 + 5 + 501 + 2 + 3);
      expect(await service.database.prisma.event.count()).toBe(results['inserted']);
    });

    test('of a session that comes again are duplicates where they are stored, and inserted where they are not', async () => {
      const [report, session] = [aReport(), aSession()];
      const sent = events(6);
      for (const count of [2, 6]) {
        expect(await upload({ ...report, sessions: [{ ...session, events: sent.slice(0, count) }] })).toBe(200);
      }
      const families = await read();
      expect(valueOf(families, 'ingest_events_total', { result: 'inserted' })).toBe(6);
      expect(valueOf(families, 'ingest_events_total', { result: 'duplicate' })).toBe(2);
    });

    test('are counted too when the revision cannot be read or the database refuses', async () => {
      await service.database.pool.query('ALTER TABLE events ADD CONSTRAINT broken CHECK (false) NOT VALID');
      expect(await upload(reportOf(4))).toBe(500);
      const { find } = service.deps.campaigns;
      await service.stop();
      const campaigns = { find, findRevision: () => Promise.reject(new Error('away')), forget: () => undefined };
      const change = (deps: Deps): Deps => ({ ...deps, campaigns: { ...deps.campaigns, ...campaigns } });
      service = await startTestService({ change });
      expect(await upload(reportOf(6))).toBe(500);
      const families = await read();
      expect(valueOf(families, 'ingest_events_received_total')).toBe(6);
      expect(valueOf(families, 'ingest_events_total', { result: 'rejected' })).toBe(6);
    });
  });

  test('uploads are counted by what their client was told, clocks by their distance, transactions by their time', async () => {
    const now = Math.floor(Date.now() / 1000);
    await upload(reportOf(1), { signed: true, timestamp: now + 100 });
    await upload(reportOf(1), { signed: true, timestamp: now - 90_000 });
    await upload(invalid(reportOf(1)));
    await service.client.send('reportSessions', { 'X-Api-Key': 'pub_nobody' }, reportOf(1));
    const families = await read();
    const outcomes = ['accepted', 'timestamp_out_of_window', 'validation_failed', 'application_not_found'];
    for (const outcome of outcomes)
      expect([outcome, valueOf(families, 'ingest_uploads_total', { outcome })]).toEqual([outcome, 1]);
    expect(valueOf(families, 'ingest_uploads_total')).toBe(
      valueOf(families, 'http_requests_total', { operation: 'reportSessions' }),
    );
    const skew = (device_clock: string, le: string) =>
      valueOf(families, 'ingest_clock_skew_seconds_bucket', { device_clock, le });
    expect([skew('ahead', '60'), skew('ahead', '300')]).toEqual([0, 1]);
    expect([skew('behind', '86400'), skew('behind', '31536000')]).toEqual([0, 1]);
    expect(valueOf(families, 'ingest_commit_duration_seconds_count')).toBe(1);
    expect(valueOf(families, 'ingest_commit_duration_seconds_sum')).toBeGreaterThan(0);
    expect(valueOf(families, 'ingest_batch_uploads_count')).toBe(1);
    expect(valueOf(families, 'http_request_duration_seconds_count', { operation: 'reportSessions' })).toBe(4);
  });

  test('uploads that are turned away because the queue is full are counted like others', async () => {
    const { uploads } = service.deps;
    Object.defineProperty(uploads, 'isFull', { value: () => true });
    expect(await upload(reportOf(1))).toBe(503);
    const families = await read();
    expect(valueOf(families, 'ingest_uploads_total', { outcome: 'unavailable' })).toBe(1);
    expect(valueOf(families, 'http_requests_total', { operation: 'reportSessions', status: '503' })).toBe(1);
  });

  test('names, labels, types and help texts are what Prometheus asks for', async () => {
    await exercise();
    const families = await read();
    expect(lintMetrics(own(families))).toEqual([]);
    expect(families.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
    expect(valueOf(families, 'service_build_info')).toBe(1);
    expect(valueOf(families, 'database_pool_connections')).toBeGreaterThan(0);
    expect(valueOf(families, 'campaign_config_reads_total', { outcome: 'success' })).toBeGreaterThan(0);
  });

  test('a wrong name, unit, type or help text would be found', () => {
    const text =
      '# HELP uploadTime_ms_total no sentence\n# TYPE uploadTime_ms_total gauge\nuploadTime_ms_total{le="x"} 1\n';
    expect(lintMetrics(readMetrics(text).values())).toHaveLength(5);
    expect(() => readMetrics('a_metric 1\n')).toThrow('outside its family');
  });

  test('nobody can make labels: what comes from outside opens no new series', async () => {
    await exercise();
    const before = own(await read()).reduce((sum, { samples }) => sum + samples.length, 0);
    for (let i = 0; i < 20; i++) {
      await exercise(randomUUID());
      const methods = ['GET', 'PUT', 'PROPFIND'];
      await fetch(`${service.url}/${randomUUID()}`, { method: methods[i % methods.length]! });
    }
    const after = own(await read()).reduce((sum, { samples }) => sum + samples.length, 0);
    expect(after).toBe(before);
  });

  /**
   * Sends one request of each kind: an unknown path, an unknown key, an accepted upload, the configuration, and the admin
   * API.
   */
  async function exercise(word = 'word'): Promise<void> {
    await fetch(`${service.url}/${word}`);
    await service.client.send('reportSessions', { 'X-Api-Key': word }, {});
    await upload(reportOf(1));
    await service.client.get('getCampaigns', { 'X-Api-Key': service.application.key.public });
    await askAdmin(service.url, { query: `{ me { name } }`, token: word });
    await askAdmin(service.url, { query: `{ a${word.slice(0, 4)}: id }` });
    await askAdmin(service.url, { query: `{ x${word.slice(0, 4)} }` });
  }

  test('refusals of the admin API are counted by code', async () => {
    await askAdmin(service.url, { query: '{ me { name } }' });
    expect(valueOf(await read(), 'admin_errors_total', { code: 'UNAUTHENTICATED' })).toBe(1);
    await eventually(
      read,
      (families) => valueOf(families, 'http_requests_total', { operation: 'adminGraphql', status: '401' }) === 1,
    );
  });

  test('of a response with several errors each is counted', async () => {
    await askAdmin(service.url, { query: '{ nothing nobody nowhere }' });
    expect(valueOf(await read(), 'admin_errors_total')).toBe(3);
  });

  test('of a document with more faults than a response lists, those that are in it are counted', async () => {
    const fields = Array.from({ length: 120 }, (_, index) => `nothing${index}`);
    const { errors } = await askAdmin(service.url, { query: `{ ${fields.join(' ')} }` });
    expect([errors.length, valueOf(await read(), 'admin_errors_total')]).toEqual([21, 21]);
  });

  test('a campaign configuration that cannot be read is counted as such', async () => {
    const { campaigns, pool } = service.deps;
    await pool.query('ALTER TABLE campaigns RENAME TO campaigns_away');
    await expect(campaigns.find(service.application.id, new Date())).rejects.toThrow('campaigns');
    const reads = async (outcome: string) => valueOf(await read(), 'campaign_config_reads_total', { outcome });
    expect([await reads('success'), await reads('failure')]).toEqual([0, 1]);
  });
});

// The private listener's metrics of jobs: running jobs, waiting jobs, and their waiting time.
describe('metrics: jobs', () => {
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
      const tasks = {
        resolveStoreTransaction: () => (fails ? Promise.reject(new Error('failed')) : Promise.resolve()),
      };
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
});
