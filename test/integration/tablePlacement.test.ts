// The plan of a Citus cluster against the migrated schema: every table has a place, and Citus refuses none.
import { distributedTables, tablePlacement } from '../../src/compose/tablePlacement.ts';
import { ensureEventPartitions } from '../../src/sessions/upkeep/housekeepingStore.ts';
import { distributionProblems, tablesOf } from '../support/citusRules.ts';
import { onDistributedTables, statementProblem } from '../support/distributedStatements.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ plain: true });
  await ensureEventPartitions(database.pool);
});
afterAll(() => database.drop());

test('every table of the migrated schema has its place, and no other', async () => {
  expect(Object.keys(tablePlacement).sort()).toEqual((await tablesOf(database.pool)).sort());
});

test('what is distributed keeps the rules of Citus', async () => {
  expect(await distributionProblems(database.pool, distributedTables)).toEqual([]);
});

test('no view of analytics joins a local table with a distributed one', async () => {
  const { rows } = await database.pool.query<{ name: string; text: string }>(
    `SELECT relname AS name, pg_get_viewdef(oid, true) AS text FROM pg_class
     WHERE relkind = 'v' AND relnamespace = 'analytics'::regnamespace`,
  );
  const views = onDistributedTables(rows);
  expect(views.map(({ name }) => name).sort()).toEqual(['devices', 'events', 'firsts', 'sessions']);
  expect(views.map(({ name, text }) => [name, statementProblem(text)]).filter(([, problem]) => problem)).toEqual([]);
});

test('every table with a device_key is distributed by it, beside the devices', async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE a.attname = 'device_key' AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
  );
  const byDevice = distributedTables.filter(({ column }) => column === 'device_key');
  expect(byDevice.map(({ name }) => name).sort()).toEqual(rows.map(({ name }) => name).sort());
  expect(new Set(byDevice.map(({ colocateWith }) => colocateWith))).toEqual(new Set(['devices']));
});

test.each([
  ['CREATE UNIQUE INDEX one ON sessions (id)', 'sessions: the unique key one lacks device_key'],
  [
    'ALTER TABLE sessions DROP CONSTRAINT sessions_pkey, ALTER device_key DROP NOT NULL',
    'sessions: the column device_key may be null',
  ],
  [
    'ALTER TABLE devices ADD CONSTRAINT two FOREIGN KEY (application_id) REFERENCES applications',
    'devices: the foreign key two crosses nodes',
  ],
  [
    'CREATE TRIGGER three BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION refuse_update()',
    'events: the trigger three',
  ],
  ['ALTER TABLE attribution_reports ENABLE ROW LEVEL SECURITY', 'attribution_reports: a rule or row security'],
  ['ALTER TABLE devices ADD COLUMN four serial', 'devices: the sequence of four is no bigint'],
  ['ALTER TABLE sessions ADD COLUMN five bigint GENERATED ALWAYS AS IDENTITY', 'sessions: the generated column five'],
  [
    "CREATE TABLE six PARTITION OF events FOR VALUES FROM ('1990-01-01') TO ('1990-01-08') PARTITION BY LIST (device_key)",
    'events: the partition six has partitions',
  ],
  [
    'ALTER TABLE store_transaction_devices ALTER device_key TYPE text',
    'store_transaction_devices: text is not the type of devices',
  ],
])('%s would be seen', async (change, problem) => {
  const client = await database.pool.connect();
  try {
    await client.query(`BEGIN; ${change}`);
    expect(await distributionProblems(client, distributedTables)).toEqual([problem]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
