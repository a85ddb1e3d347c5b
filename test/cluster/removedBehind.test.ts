// An application that comes and goes while the copy for analytics is behind: rows that nobody will ever see hold up no read.
import { removeApplication } from '../../src/jobs/removeApplication.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import type { TcpProxy } from '../faults/support/tcpProxy.ts';
import { expectEqual, seedApplication, storeSessions, testCopies, type TestCopies } from '../support/analyticsCopy.ts';
import { allDecided } from '../support/citusCluster.ts';
import { eventually } from '../support/eventually.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { proxyBeforeWorker } from './citusFaults.ts';

/** A rule that waited for missing rows took two minutes for them. */
const longestMillis = 60_000;

let database: TestDatabase;
let copies: TestCopies;
let proxy: TcpProxy;
beforeEach(async () => {
  database = await createTestDatabase();
  await database.pool.query('SELECT ensure_event_partitions(2)');
  copies = await testCopies(database.url);
  proxy = await proxyBeforeWorker(database.pool);
});
afterEach(async () => {
  proxy.restore();
  await copies.remove();
  await database.drop();
  await proxy.close();
});

const devices = Array.from({ length: 40 }, (_, n) => `device ${n}`);
const store = (applicationId: string) => storeSessions(database.pool, { applicationId, devices, events: 3 });

async function remove(applicationId: string): Promise<void> {
  const { pool } = database;
  await pool.query('UPDATE applications SET deleted_at = now() WHERE id = $1', [applicationId]);
  const deps = { pool, log: createLog('silent'), now: () => new Date() };
  await removeApplication({ applicationId }, deps, new AbortController().signal);
  const { rows } = await pool.query<{ left: number }>(
    'SELECT count(*)::integer AS left FROM events WHERE application_id = $1',
    [applicationId],
  );
  expect(rows[0]!.left).toBe(0);
}

test.each(['was stopped', 'waits for a commit that a worker does not show'])(
  'the copy %s, and an application comes and is removed',
  async (state) => {
    const kept = await seedApplication(database.pool);
    const first = copies.open();
    await store(kept);
    await expectEqual(first, database.pool);
    if (state === 'was stopped') await first.stop();
    else proxy.loseRequests('COMMIT PREPARED', 1);
    await store(kept);
    proxy.restore();
    const gone = await seedApplication(database.pool);
    await store(gone);
    await remove(gone);
    await eventually(() => allDecided(database.url), Boolean);
    const copy = state === 'was stopped' ? copies.open() : first;
    const from = Date.now();
    await copy.followed();
    expect(Date.now() - from).toBeLessThan(longestMillis);
    await expectEqual(copy, database.pool);
  },
);
