// Runs the built `npm run db:distribute` on a real Citus cluster, with a service beside it.
import { ensureEventPartitions } from '../../src/sessions/upkeep/dropOldEvents.ts';
import { distributedTables } from '../../src/compose/tableFacts.ts';
import { citusWorkers, makeCluster } from '../support/citusCluster.ts';
import { sendReport, storedRows } from '../support/reportSessions.ts';
import { clearAway, runBuilt } from '../support/serviceProcess.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aReport, type SessionReport } from '../support/uploads.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService({ plain: true });
  await makeCluster(process.env['TEST_SERVER_URL']!, new URL(service.database.url).pathname.slice(1));
});
afterEach(async () => {
  await clearAway();
  await service.stop();
});

async function distribute(): Promise<string> {
  const running = runBuilt('src/programs/distribute.js', { DATABASE_URL: service.database.url, LOG_LEVEL: 'silent' });
  expect(await running.ended).toEqual({ code: 0, signal: null });
  expect(running.stderr()).toBe('');
  return running.stdout();
}

async function rows<Row extends object>(text: string): Promise<Row[]> {
  return (await service.database.pool.query<Row>(text)).rows;
}

async function sendMany(count: number): Promise<SessionReport[]> {
  const reports = Array.from({ length: count }, () => aReport());
  const responses = await Promise.all(reports.map((report) => sendReport(service, report)));
  for (const { status } of responses) expect(status).toBe(200);
  return reports;
}

const names = distributedTables.map((table) => table.name);
const countedRows = `SELECT ${names.map((table) => `(SELECT count(*)::integer FROM ${table}) AS ${table}`).join(', ')}`;

test('each table is where the plan has it, and a second run changes nothing', async () => {
  expect(await distribute()).toBe(`Distributed: ${names.join(', ')}\n`);
  const found = await rows<{ name: string; column: string; type: string; colocation: number }>(
    `SELECT table_name::text AS name, distribution_column AS column, citus_table_type AS type,
      colocation_id AS colocation FROM citus_tables
     WHERE NOT (SELECT relispartition FROM pg_class WHERE oid = table_name)`,
  );
  const places = new Map(found.map((place) => [place.name, place]));
  expect([...places.keys()].sort()).toEqual([...names].sort());
  for (const { name: table, column, colocateWith } of distributedTables) {
    expect(places.get(table)).toMatchObject({ column, type: 'distributed' });
    if (colocateWith) expect(places.get(table)!.colocation).toBe(places.get(colocateWith)!.colocation);
  }
  expect(await distribute()).toBe('Nothing to distribute.\n');
});

const shardsOf = async (table: string): Promise<number> => {
  const shards = 'SELECT count(*)::integer AS shards FROM pg_dist_shard WHERE logicalrelid = $1::regclass';
  return (await service.database.pool.query<{ shards: number }>(shards, [table])).rows[0]!.shards;
};
const settings = () =>
  rows<{ set: string }>(
    `SELECT unnest(setconfig) AS set FROM pg_db_role_setting
     WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY 1`,
  );

test('each worker gets four shards of a table, and four connections to it are kept', async () => {
  await distribute();
  for (const table of ['devices', 'events']) {
    expect([table, await shardsOf(table)]).toEqual([table, 4 * citusWorkers.length]);
  }
  expect(await settings()).toEqual([{ set: 'citus.max_cached_conns_per_worker=4' }]);
});

test('other figures that somebody has chosen stay', async () => {
  await service.database.pool.query(`DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET citus.max_cached_conns_per_worker = 2', current_database());
    EXECUTE format('ALTER DATABASE %I SET citus.shard_count = 6', current_database());
  END $$`);
  await distribute();
  for (const table of ['devices', 'events']) expect([table, await shardsOf(table)]).toEqual([table, 6]);
  expect(await settings()).toEqual([{ set: 'citus.max_cached_conns_per_worker=2' }, { set: 'citus.shard_count=6' }]);
});

test('rows that were there move to the workers, and an upload that comes again is known', async () => {
  const reports = await sendMany(40);
  const before = await rows(countedRows);
  await distribute();
  expect(await rows(countedRows)).toEqual(before);
  expect(await distribute()).toBe('Nothing to distribute.\n');
  const [local] = await rows<{ bytes: string }>(
    `SELECT sum(pg_relation_size(relid)) AS bytes FROM unnest('{${names.join(',')}}'::regclass[]) AS t (parent),
      LATERAL (SELECT relid FROM pg_partition_tree(parent) UNION SELECT parent) AS tree`,
  );
  expect(Number(local!.bytes)).toBe(0);
  for (const report of reports) expect((await sendReport(service, report)).status).toBe(200);
  expect(await rows(countedRows)).toEqual(before);
});

test('uploads that come while it runs are stored once', async () => {
  const distributing = distribute();
  const sent = [];
  for (let round = 0; round < 10; round++) sent.push(...(await sendMany(10)));
  await distributing;
  for (const report of [...sent, ...(await sendMany(10))]) {
    const stored = await storedRows(service, report);
    expect([stored.sessions.length, stored.events.length]).toEqual([1, 1]);
  }
});

test('the rows of many devices lie on every worker', async () => {
  await distribute();
  await sendMany(60);
  const nodes = await rows<{ node: string; rows: number }>(
    `SELECT nodename || ':' || nodeport AS node, sum(result::integer)::integer AS rows
     FROM run_command_on_placements('sessions', 'SELECT count(*) FROM %s') GROUP BY 1`,
  );
  expect(nodes.length).toBeGreaterThan(1);
  for (const node of nodes) expect(node.rows).toBeGreaterThan(0);
});

test('a partition made later is spread like the others, and a later change of the schema reaches the shards', async () => {
  await distribute();
  await service.database.pool.query(
    `DO $$ DECLARE last text; BEGIN
      SELECT relid::text INTO last FROM pg_partition_tree('events') WHERE level = 1 ORDER BY 1 DESC LIMIT 1;
      EXECUTE format('DROP TABLE %I', last);
    END $$`,
  );
  expect(await ensureEventPartitions(service.database.pool)).toBe(1);
  const [parts] = await rows<{ local: number }>(
    `SELECT count(*)::integer AS local FROM pg_partition_tree('events')
     WHERE relid NOT IN (SELECT logicalrelid FROM pg_dist_partition)`,
  );
  expect(parts!.local).toBe(0);
  await service.database.pool.query('ALTER TABLE sessions ADD COLUMN note text');
  await service.database.pool.query('CREATE INDEX ON sessions (note)');
  await sendMany(10);
  expect(await rows('SELECT count(*)::integer AS count FROM sessions WHERE note IS NULL')).toEqual([{ count: 10 }]);
});
