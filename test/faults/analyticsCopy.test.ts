// The process with the copy for analytics, PostgreSQL, or both are killed in mid-copy, and the copy's disk is full: afterwards it equals PostgreSQL.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expectEqual, seedApplication, storeSessions, testCopies, type TestCopies } from '../support/analyticsCopy.ts';
import { eventually } from '../support/eventually.ts';
import { clearAway, newDataDir, type RunningService } from '../support/serviceProcess.ts';
import { startFaultPostgres, type FaultPostgres } from './support/faultPostgres.ts';
import { newFaultApplication, startFaultService } from './support/faultService.ts';
import { testFault, type FaultContext } from './support/scenario.ts';

let postgres: FaultPostgres;
let service: RunningService;
let copies: TestCopies;

const startService = (dir = copies.dir): Promise<RunningService> =>
  startFaultService(postgres.url, { ANALYTICS: 'embedded', ANALYTICS_DIR: dir, ANALYTICS_MEMORY_MIB: '128' });

beforeAll(async () => {
  postgres = await startFaultPostgres(newDataDir());
  copies = await testCopies(postgres.url, { proveMillis: 500, proofRests: 1 });
  service = await startService();
});
afterAll(async () => {
  await copies.remove();
  await postgres.close();
  await clearAway();
});

/** Opened by this process once the service has ended: the file as the last kill has left it, which is not built anew. */
async function copyEquals(): Promise<void> {
  await service.end('SIGKILL');
  const pool = new pg.Pool({ connectionString: postgres.url });
  // What the process had sent before its end is still executed.
  await eventually(
    () => pool.query(others),
    ({ rowCount }) => rowCount === 0,
  );
  const copy = copies.open();
  try {
    await expectEqual(copy, pool);
    expect(await copies.mended()).toEqual({});
    expect((await readdir(path.join(copies.dir, '1'))).filter(isCopy)).toEqual(['copy-1.duckdb']);
  } finally {
    await copy.stop();
    await pool.end();
    service = await startService();
  }
}

const others = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
const isCopy = (name: string): boolean => /^copy-\d+\.duckdb$/.test(name);

/** Stores a deleted application and sessions of four weeks ago, which retention then drops. */
async function storeAndRemove(): Promise<void> {
  const pool = new pg.Pool({ connectionString: postgres.url });
  const { rows } = await pool.query<{ age: string }>(
    `SELECT (now() - date_trunc('week', now() - interval '28 days') - interval '1 day')::text AS age`,
  );
  try {
    const gone = await seedApplication(pool);
    await storeSessions(pool, { applicationId: gone, devices: ['x', 'y'], events: 50 });
    await pool.query(`DO $$ DECLARE week date := date_trunc('week', now() - interval '28 days')::date; BEGIN
      EXECUTE format('CREATE TABLE IF NOT EXISTS events_%s PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
        to_char(week, 'YYYYMMDD'), week, week + 7); END $$`);
    await storeSessions(pool, { applicationId: gone, devices: ['old'], events: 50, age: rows[0]!.age });
    await pool.query('UPDATE applications SET deleted_at = now() WHERE id = $1', [gone]);
    await pool.query('SELECT drop_oldest_event_partition(14)');
    await pool.query(`DELETE FROM sessions WHERE received_at < now() - interval '20 days'`);
  } finally {
    await pool.end();
  }
}

async function underLoad({ trial }: FaultContext) {
  const target = { databaseUrl: postgres.url, url: () => service.url, mayBeCut: true };
  const steady = await trial({ ...target, ...(await newFaultApplication(postgres.url)) });
  steady.load(8);
  await steady.recovered();
  return steady;
}

testFault({
  name: 'process, PostgreSQL or both killed with -9 while the copy for analytics follows',
  times: { short: 3, long: 45 },
  async run(context) {
    const steady = await underLoad(context);
    for (let kill = 0; kill < context.times; kill++) {
      await pause(context.random.between(200, 900));
      // Both, then one, then the other.
      if (kill % 3 !== 2) await service.end('SIGKILL');
      if (kill % 3 !== 1) await postgres.kill();
      context.injected();
      if (kill % 3 !== 1) await postgres.start();
      if (kill % 3 !== 2) service = await startService();
      await steady.recovered();
      if (kill % 3 === 0) await storeAndRemove();
      if (kill % 9 === 8) await copyEquals();
    }
    await copyEquals();
    await steady.recovered();
    await expectNeverMended();
  },
});

const disk = mkdtempSync(path.join(tmpdir(), 'analytics-disk-'));

/** Null, or the reason why this machine cannot mount a disk of a known size. */
function mount(): string | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=755', 'tmpfs', disk], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return `no tmpfs can be mounted (${(error as Error).message.split('\n')[0]})`;
  }
}

function fill(): () => void {
  const file = path.join(disk, 'filler');
  const descriptor = openSync(file, 'w');
  for (let size = 1_048_576; size >= 1;) {
    try {
      writeSync(descriptor, Buffer.alloc(size));
    } catch {
      size >>= 1;
    }
  }
  closeSync(descriptor);
  return () => rmSync(file);
}

const metric = async (line: RegExp): Promise<string | undefined> =>
  line.exec(await (await fetch(`${service.opsUrl}/metrics`)).text())?.[0];

/** The service compares its copy after each start, and after each time that it could not follow. */
async function expectNeverMended(): Promise<void> {
  expect(await metric(/^analytics_copy_mended_total\{\S+ 0$/m)).toBeDefined();
  expect(await metric(/^analytics_copy_mended_total\{\S+ [^0].*$/m)).toBeUndefined();
}

/** Fails with all that the service says of its copy. */
async function caughtUp(): Promise<void> {
  try {
    await eventually(
      () => metric(/^analytics_copy_lag_seconds [0-4](\.\d+)?$/m),
      (lag) => lag !== undefined,
    );
  } catch (cause) {
    const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith('analytics_copy'));
    const files = await readdir(disk, { recursive: true });
    throw new Error(`the copy has not caught up:\n${[...lines, ...files].join('\n')}`, { cause });
  }
}

testFault({
  name: 'the disk of the copy for analytics full for 2 s, which uploads do not notice',
  times: { short: 1, long: 5 },
  async run(context) {
    const refusal = mount();
    if (refusal !== null) return context.skip(refusal);
    try {
      await service.end('SIGKILL');
      service = await startService(disk);
      const steady = await underLoad(context);
      for (let full = 0; full < context.times; full++) {
        await eventually(
          () => metric(/^analytics_copy_lag_seconds \S+/m),
          (lag) => lag !== undefined,
        );
        const makeRoom = fill();
        const failures = await metric(/^analytics_copy_failures_total{reason="disk"} \d+/m);
        await eventually(
          () => metric(/^analytics_copy_failures_total{reason="disk"} \d+/m),
          (now) => now !== failures,
        );
        context.injected();
        await pause(2_000);
        await steady.recovered();
        makeRoom();
      }
      // A process that serves everything stores uploads first: beside other tests the copy may be behind for as long as they come.
      await steady.stop();
      await caughtUp();
      await expectNeverMended();
      await service.end('SIGTERM');
      service = await startService();
    } finally {
      execFileSync('umount', ['--lazy', disk]);
    }
  },
});
