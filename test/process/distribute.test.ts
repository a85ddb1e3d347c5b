// Runs the built `npm run db:distribute`: its refusals on a plain PostgreSQL, and its calls on a stand-in for Citus.
import { ensureEventPartitions } from '../../src/sessions/upkeep/dropOldEvents.ts';
import { chooseSettings, createCitusStandIn, takeCalls } from '../support/citusStandIn.ts';
import { clearAway, runBuilt } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase({ plain: true });
});
afterEach(async () => {
  await clearAway();
  await database.drop();
});

async function distribute(): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const running = runBuilt('src/programs/distribute.js', { DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
  const { code } = await running.ended;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

const addWorker = () =>
  database.pool.query(`INSERT INTO citus_stand_in.pg_dist_node VALUES ('w', true, true, 'primary')`);

/** The value that `ALTER DATABASE` has set. */
async function setting(name: string): Promise<string | null> {
  const { rows } = await database.pool.query<{ value: string | null }>(
    `SELECT split_part(each, '=', 2) AS value FROM pg_db_role_setting, unnest(setconfig) AS each
     WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND split_part(each, '=', 1) = $1`,
    [name],
  );
  return rows[0]?.value ?? null;
}

const everything = [
  'devices by key beside none 4',
  'sessions by device_key beside devices',
  'events by device_key beside devices',
  'attribution_reports by device_key beside devices',
  'store_transaction_devices by device_key beside devices',
];

test('without the extension it says what is missing and what to do, and changes nothing', async () => {
  const { code, stdout, stderr } = await distribute();
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^The extension "citus" is missing in this database\. .*CREATE EXTENSION citus.*\n$/);
});

describe('with a stand-in for the extension', () => {
  beforeEach(() => createCitusStandIn(database.pool));

  test('it distributes each table once, in an order in which the co-located ones come later', async () => {
    await addWorker();
    const names = everything.map((call) => call.split(' ')[0]).join(', ');
    expect(await distribute()).toEqual({ code: 0, stdout: `Distributed: ${names}\n`, stderr: '' });
    expect(await takeCalls(database.pool)).toEqual(everything);
    expect(await distribute()).toEqual({ code: 0, stdout: 'Nothing to distribute.\n', stderr: '' });
    expect(await takeCalls(database.pool)).toEqual([]);
  });

  test('each worker gets four shards and as many connections kept', async () => {
    await addWorker();
    await addWorker();
    await distribute();
    expect(await takeCalls(database.pool)).toContain('devices by key beside none 8');
    expect(await setting('citus.max_cached_conns_per_worker')).toBe('4');
  });

  test('a node that is away or takes no shards is not counted', async () => {
    await addWorker();
    await database.pool.query(`INSERT INTO citus_stand_in.pg_dist_node
        VALUES ('away', false, true, 'primary'), ('coordinator', true, false, 'primary'), ('copy', true, true, 'secondary')`);
    await distribute();
    expect(await takeCalls(database.pool)).toContain('devices by key beside none 4');
  });

  test('shards and connections that somebody has chosen stay as they are', async () => {
    await addWorker();
    await chooseSettings(database.pool, ['citus.shard_count', 'citus.max_cached_conns_per_worker']);
    await distribute();
    expect(await takeCalls(database.pool)).toContain('devices by key beside none');
    expect(await setting('citus.max_cached_conns_per_worker')).toBeNull();
  });

  test('what was interrupted is finished: the tables that are left, and rows that were copied and not yet removed', async () => {
    await addWorker();
    await ensureEventPartitions(database.pool);
    await database.pool.query(
      `INSERT INTO citus_stand_in.pg_dist_partition VALUES ('devices'), ('sessions'), ('events');
        INSERT INTO devices (key, application_id, id, properties, user_properties, state_at)
        VALUES (gen_random_uuid(), gen_random_uuid(), 'd', '{}', '{}', now());
        INSERT INTO events (session_ref, occurred_at, anchored_on, system, device_key, application_id, id, name, params)
        VALUES (1, now(), (now() AT TIME ZONE 'UTC')::date, false, gen_random_uuid(), gen_random_uuid(), '', 'E', '{}')`,
    );
    expect((await distribute()).stdout).toMatch(/^Distributed: attribution_reports, /);
    const left = everything.filter((call) => !/^(devices|sessions|events) /.test(call));
    const removed = ['local rows of devices', 'local rows of events'];
    const calls = await takeCalls(database.pool);
    expect(calls.filter((call) => call.startsWith('local'))).toEqual(removed);
    expect(calls.filter((call) => !call.startsWith('local'))).toEqual(left);
    expect((await distribute()).stdout).toBe('Nothing to distribute.\n');
    expect(await takeCalls(database.pool)).toEqual([]);
  });

  test.each([
    ['no worker takes shards', 'SELECT 1', /citus_add_node/],
    ['the database is a worker', 'UPDATE citus_stand_in.pg_dist_local_group SET groupid = 2', /must name the coordin/],
    [
      'migrations are pending',
      `INSERT INTO citus_stand_in.pg_dist_node VALUES ('w', true, true, 'primary'); DROP TABLE devices, events CASCADE`,
      /^The database lacks devices, events\. Run "npm run db:migrate" first\.\n$/,
    ],
  ])('when %s it says so and calls nothing', async (_, change, message) => {
    await database.pool.query(change);
    const { code, stderr } = await distribute();
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(await takeCalls(database.pool)).toEqual([]);
  });
});
