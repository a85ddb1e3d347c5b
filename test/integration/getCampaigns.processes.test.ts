// The campaigns in memory: two processes on one database, their reads of it, and their behaviour when it does not respond.
import { createCampaignDirectory } from '../../src/campaigns/campaignDirectory.ts';
import { composeDeps } from '../../src/compose/composeDeps.ts';
import type { Deps } from '../../src/deps.ts';
import { openDatabase, type Database } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { deliveredIn, editCampaign, fetchConfig, storeCampaign, withinASecond } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { moveClock } from '../support/movedClock.ts';
import { sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aReport } from '../support/uploads.ts';

const log = createLog('silent');
let service: TestService;
/** Another process on the same database. */
let other: { deps: Deps; database: Database; reads: () => number };
beforeAll(async () => {
  service = await startTestService();
  const database = openDatabase({ url: service.database.url, poolSize: 2, statementTimeoutMillis: 20_000, log });
  let reads = 0;
  const query = database.pool.query.bind(database.pool) as (...given: unknown[]) => unknown;
  database.pool.query = ((...given: unknown[]) => {
    if (JSON.stringify(given[0]).includes('campaigns:')) reads += 1;
    return query(...given);
  }) as typeof database.pool.query;
  const config = {
    encryptionKeys: [Buffer.alloc(32, 1)] as [Buffer],
    tokenKeys: [Buffer.alloc(32, 2)] as [Buffer],
    signatureRequired: false,
    ingestQueueUploads: 8,
    signup: 'open' as const,
  };
  other = { deps: composeDeps({ config, database, log }), database, reads: () => reads };
});
afterAll(async () => {
  await other.deps.campaigns.stop();
  await other.database.close();
  await service.stop();
});

function namesIn(deps: Deps, applicationId: string): Promise<string[]> {
  return deps.campaigns.find(applicationId, new Date()).then((config) => deliveredIn(config).map(({ name }) => name));
}

/** A heartbeat was asked, answered, and another one asked, since this was called: by each process that listens. */
async function heartbeats(): Promise<void> {
  const asked = async () => {
    const { rows } = await service.database.pool.query<{ at: string }>(
      `SELECT min(query_start)::text AS at FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE '/* notifications: heartbeat%'`,
    );
    return rows[0]!.at;
  };
  for (let times = 0; times < 2; times += 1) {
    const before = await asked();
    await eventually(asked, (at) => at !== null && at !== before);
  }
}

/** Waits until the other process hears notifications: from then on it reads nothing twice. */
async function heard(applicationId: string): Promise<void> {
  let known = -1;
  while (known !== other.reads()) {
    await namesIn(other.deps, applicationId);
    known = other.reads();
    // Longer than what is remembered counts without notifications.
    moveClock(1_200);
    await heartbeats();
    await namesIn(other.deps, applicationId);
  }
}

/**
 * The work costs the other process so many reads. It is tried again where it costs another number: for more than a second
 * the machine may have kept the process from hearing anything, and then it trusts its memory no longer.
 */
async function expectReads(applicationId: string, wanted: number, work: () => Promise<void>): Promise<void> {
  let reads = NaN;
  for (let times = 0; times < 4 && reads !== wanted; times += 1) {
    await heard(applicationId);
    const before = other.reads();
    await work();
    reads = other.reads() - before;
  }
  expect(reads).toBe(wanted);
}

test('between changes nothing is asked, and a change by another process is seen within a second', async () => {
  const place = { ...service, application: await service.newApplication() };
  const { id } = place.application;
  let campaign = await storeCampaign(place, { name: 'one' });
  await expectReads(id, 0, async () => {
    for (let i = 0; i < 50; i++) expect(await namesIn(other.deps, id)).toEqual(['one']);
    moveClock(1_500);
    await heartbeats();
    expect(await namesIn(other.deps, id)).toEqual(['one']);
  });
  await expectReads(id, 2, async () => {
    for (const name of ['two', 'three']) {
      campaign = await editCampaign(place, campaign, { name });
      await withinASecond(async () => (await namesIn(other.deps, id))[0] === name);
    }
  });
  expect((await fetchConfig(place)).body.campaigns[0]!.name).toBe('three');
});

test('a change without the service is seen as well, and a rolled back one asks for nothing', async () => {
  const { id } = await service.newApplication();
  await heard(id);
  const { pool } = service.database;
  const insert = `INSERT INTO campaigns (id, application_id, name, state, trigger, action) VALUES
    (gen_random_uuid(), '${id}', 'by psql', 'ACTIVE', '{"event":"E","type":"CUSTOM"}', '{"type":"message"}')`;
  // Both reads are of the other application.
  await expectReads(id, 2, async () => {
    const later = { ...service, application: await service.newApplication() };
    expect(await namesIn(other.deps, later.application.id)).toEqual([]);
    await pool.query(`BEGIN; ${insert}; ROLLBACK`);
    // Notifications come in their order: when this one was heard, that one would have been.
    await storeCampaign(later);
    await withinASecond(async () => (await namesIn(other.deps, later.application.id)).length === 1);
    expect(await namesIn(other.deps, id)).toEqual([]);
  });
  await pool.query(insert);
  await withinASecond(async () => (await namesIn(other.deps, id)).length === 1);
  await pool.query('DELETE FROM campaigns WHERE application_id = $1', [id]);
  await withinASecond(async () => (await namesIn(other.deps, id)).length === 0);
});

test('a lost listener comes back, and what changed meanwhile is seen within a second', async () => {
  const place = { ...service, application: await service.newApplication() };
  const { id } = place.application;
  const campaign = await storeCampaign(place, { name: 'before' });
  await heard(id);
  const { rows } = await service.database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND query LIKE '/* notifications: heartbeat%'`,
  );
  expect(rows.length).toBeGreaterThanOrEqual(1);
  let edited = await editCampaign(place, campaign, { name: 'meanwhile' });
  await withinASecond(async () => (await namesIn(other.deps, id))[0] === 'meanwhile');
  await expectReads(id, 1, async () => {
    edited = await editCampaign(place, edited, { name: `after ${edited.version}` });
    await withinASecond(async () => (await namesIn(other.deps, id))[0] === edited.name);
  });
});

test('what changed while the listener was away is seen, also by who asks only after it is back', async () => {
  const { id } = await service.newApplication();
  await heard(id);
  const { pool } = service.database;
  const listeners = `FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '/* notifications: heartbeat%'`;
  const { rows } = await pool.query(`SELECT pg_terminate_backend(pid) ${listeners}`);
  await pool.query(
    `INSERT INTO campaigns (id, application_id, name, state, trigger, action) VALUES
      (gen_random_uuid(), $1, 'meanwhile', 'ACTIVE', '{"event":"E","type":"CUSTOM"}', '{"type":"message"}')`,
    [id],
  );
  const back = () => pool.query(`SELECT pid ${listeners}`).then(({ rowCount }) => rowCount);
  await eventually(back, (count) => count === rows.length);
  await withinASecond(async () => (await namesIn(other.deps, id))[0] === 'meanwhile');
});

test('requests at once share one reading', async () => {
  const { id } = await service.newApplication();
  const reads = other.reads();
  await Promise.all(Array.from({ length: 40 }, () => namesIn(other.deps, id)));
  expect(other.reads()).toBe(reads + 1);
});

describe('while campaigns cannot be read', () => {
  const away = () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
  const deaf = () => ({ live: () => false, stop: () => Promise.resolve() });

  test('an upload is stored and told the last known revision', async () => {
    let answering = true;
    const campaigns = createCampaignDirectory({
      read: () => (answering ? Promise.resolve([]) : away()),
      subscribe: deaf,
    });
    await using broken = await startTestService({ change: (deps) => ({ ...deps, campaigns }) });
    const first = await sendReport(broken, aReport());
    answering = false;
    moveClock(1_100);
    expect((await fetchConfig(broken)).status).toBe(503);
    const second = await sendReport(broken, aReport());
    expect(second).toMatchObject({ status: 200, headers: { 'x-config-revision': first.headers['x-config-revision'] } });
  });

  test('and none was ever known, an upload is 503 and not stored', async () => {
    const campaigns = createCampaignDirectory({ read: away, subscribe: deaf });
    await using broken = await startTestService({ change: (deps) => ({ ...deps, campaigns }) });
    expect((await sendReport(broken, aReport())).status).toBe(503);
    expect(await broken.database.prisma.session.count()).toBe(0);
  });
});
