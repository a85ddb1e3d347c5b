// What removes and moves rows on a cluster under load: an application is removed and retention cuts while a worker is away, and a worker joins.
import { setTimeout as pause } from 'node:timers/promises';
import { distributedTables } from '../../src/compose/tableFacts.ts';
import { readActivity } from '../../src/analytics/activity.ts';
import { retryConflicts } from '../../src/platform/database/transaction.ts';
import { addRemovalJobsAt } from '../../src/workspace/removal.ts';
import { newFaultApplication, startFaultService } from '../faults/support/faultService.ts';
import { testFault, type FaultContext } from '../faults/support/scenario.ts';
import type { TcpProxy } from '../faults/support/tcpProxy.ts';
import { openEngines } from '../support/analytics/engines.ts';
import {
  expectEqual,
  seedApplication,
  storeSessions,
  testCopies,
  type StoredSessions,
  type TestCopies,
} from '../support/analyticsCopy.ts';
import { allDecided, citusWorkers, joinCluster } from '../support/citusCluster.ts';
import { eventually } from '../support/eventually.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { proxyBeforeWorker } from './citusFaults.ts';

const daysKept = 14;

let database: TestDatabase;
let proxy: TcpProxy;
let copies: TestCopies;
let service: RunningService;

const start = async (): Promise<void> => {
  const analytics = { ANALYTICS: 'embedded', ANALYTICS_DIR: copies.dir, ANALYTICS_MEMORY_MIB: '128' };
  service = await startFaultService(database.url, { ...analytics, EVENT_RETENTION_DAYS: String(daysKept) });
};
beforeEach(async () => {
  database = await createTestDatabase();
  copies = await testCopies(database.url);
  proxy = await proxyBeforeWorker(database.pool);
  await start();
});
afterEach(async () => {
  await clearAway();
  await copies.remove();
  proxy.restore();
  await database.drop();
  await proxy.close();
});

async function underLoad({ trial }: FaultContext) {
  const application = await newFaultApplication(database.url);
  const steady = await trial({ databaseUrl: database.url, url: () => service.url, mayBeCut: true, ...application });
  steady.load(8);
  await steady.recovered();
  return { steady, applicationId: application.application.id };
}

const others = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND application_name NOT LIKE 'citus%' AND backend_type = 'client backend' AND state <> 'idle'`;

/** The file as the service has left it, which is not built anew. The service runs again afterwards. */
async function expectCopyEqual(): Promise<void> {
  await service.end('SIGKILL');
  // What the process had sent before its end is still executed.
  const idle = () => database.pool.query(others);
  await eventually(idle, ({ rowCount }) => rowCount === 0);
  await eventually(() => allDecided(database.url), Boolean);
  const copy = copies.open();
  await expectEqual(copy, database.pool);
  await copy.stop();
  await start();
}

/** Both engines have the same figures. */
async function expectEqualReads(applicationId: string): Promise<void> {
  const [now, today] = [new Date(), new Date().toISOString().slice(0, 10)];
  const range = { from: '2026-01-01', to: today, timeZone: 'UTC', interval: 'MONTH', compare: true } as const;
  const engines = openEngines(database);
  try {
    const responses: object[] = [];
    for (const { engine, follow } of engines) {
      await follow();
      const question = { applicationId, ...range, unit: 'USER' as const, includeTest: false };
      const found = await readActivity(engine, question, now);
      expect(found.totals.events).toBeGreaterThan(0);
      responses.push({ ...found, asOf: null });
    }
    expect(responses[0]).toEqual(responses[1]);
  } finally {
    for (const { engine } of engines) await engine.close();
  }
}

/** Sessions of an application that is to be removed, and of one whose events are older than retention keeps. */
async function storeRemovable(): Promise<{ gone: string; old: string }> {
  const { pool } = database;
  const [gone, old] = [await seedApplication(pool), await seedApplication(pool)];
  const devices = Array.from({ length: 60 }, (_, n) => `device ${n}`);
  // Statements on all shards and the uploads beside them lock shards in different orders.
  const store = (stored: StoredSessions) => retryConflicts(() => storeSessions(pool, stored));
  await store({ applicationId: gone, devices, events: 20 });
  await pool.query(`DO $$ DECLARE week date := date_trunc('week', now() - interval '28 days')::date; BEGIN
    EXECUTE format('CREATE TABLE events_%s PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
      to_char(week, 'YYYYMMDD'), week, week + 7); END $$`);
  const { rows } = await pool.query<{ age: string }>(
    `SELECT (now() - date_trunc('week', now() - interval '28 days') - interval '1 day')::text AS age`,
  );
  await store({ applicationId: old, devices, events: 20, age: rows[0]!.age });
  return { gone, old };
}

/** Of each table that has the column. */
async function rowsOf(applicationId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of ['devices', 'sessions', 'events']) {
    const text = `SELECT count(*)::integer AS count FROM ${name} WHERE application_id = $1`;
    counts[name] = (await database.pool.query<{ count: number }>(text, [applicationId])).rows[0]!.count;
  }
  return counts;
}

const restart = async (): Promise<void> => {
  await service.end('SIGTERM');
  await start();
};

testFault({
  name: 'Citus: an application is removed and retention cuts while a worker is away, and the service is restarted',
  times: { short: 1, long: 5 },
  async run(context) {
    const { steady } = await underLoad(context);
    for (let round = 0; round < context.times; round++) {
      const { gone, old } = await storeRemovable();
      proxy.refuse();
      context.injected();
      await steady.refused();
      await database.pool.query('UPDATE applications SET deleted_at = now() WHERE id = $1', [gone]);
      await addRemovalJobsAt(database.pool, [gone], new Date());
      await restart();
      // The first tries of the removal and of retention have failed by then.
      await eventually(
        () => Promise.resolve(service.stdout()),
        (log) => log.includes('dropOldEvents') && log.includes('removeApplication'),
      );
      proxy.restore();
      await steady.recovered();
      // Retention cuts at each start, and every ten minutes.
      await restart();
      await steady.recovered();
      await eventually(
        () => rowsOf(gone),
        (counts) => Object.values(counts).every((count) => count === 0),
      );
      await eventually(
        () => rowsOf(old),
        ({ sessions, events }) => sessions === 0 && events === 0,
      );
    }
    await steady.wellAgain();
    await steady.stop();
    await expectCopyEqual();
  },
});

testFault({
  name: 'Citus: a worker joins and takes shards under load, and the service is killed meanwhile',
  times: { short: 1, long: 1 },
  async run(context) {
    const { steady, applicationId } = await underLoad(context);
    const { pool, url } = database;
    await joinCluster(process.env['TEST_SERVER_URL']!, new URL(url).pathname.slice(1));
    await pool.query(`SELECT citus_rebalance_start(shard_transfer_mode => 'force_logical')`);
    context.injected();
    await pause(1_000);
    await service.end('SIGKILL');
    await start();
    const state = async () =>
      (await pool.query<{ state: string }>('SELECT state::text FROM citus_rebalance_status()')).rows[0]?.state;
    expect(await eventually(state, (found) => ['finished', 'failed'].includes(found ?? ''))).toBe('finished');
    const { rows } = await pool.query<{ shards: number }>(
      `SELECT count(*)::integer AS shards FROM citus_shards WHERE table_name = $1::regclass
       GROUP BY nodename, nodeport`,
      [distributedTables[0]!.name],
    );
    expect(rows).toHaveLength(citusWorkers.length + 1);
    await steady.recovered();
    await steady.wellAgain();
    await steady.stop();
    await expectCopyEqual();
    await expectEqualReads(applicationId);
  },
});
