// The log at level trace when the database fails in the middle of every operation: it contains the errors and none of the data.
import {
  askAll,
  expectNothingLogged,
  noObjects,
  ownObjects,
  sendAll,
  startLogTest,
  type LogTest,
} from '../support/logSecrets.ts';
import { administer } from '../support/testPostgres.ts';

let tried: LogTest;
beforeEach(async () => {
  tried = await startLogTest();
});
afterEach(() => tried.stop());

const bearer = () => ({ Authorization: `Bearer ${tried.owner.token}` });
const failed = (answers: Map<string, string>) =>
  [...answers.values()].filter((text) => text.includes('INTERNAL_SERVER_ERROR')).length;

/** ADD makes every table of the service refuse every row, with an error whose `detail` quotes the row. DROP undoes it. */
async function breakTables(
  how: 'ADD CONSTRAINT broken CHECK (false) NOT VALID' | 'DROP CONSTRAINT broken',
): Promise<void> {
  await tried.service.database.pool.query(`DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
      AND NOT relispartition AND relname NOT IN ('_prisma_migrations', 'attempts', 'job_workers')
    LOOP EXECUTE format('ALTER TABLE %I ${how}', name); END LOOP; END $$`);
}

test('a database that refuses every row, and quotes it', async () => {
  const fixed = await ownObjects(tried);
  await breakTables('ADD CONSTRAINT broken CHECK (false) NOT VALID');
  const answers = await askAll(tried, () => Promise.resolve(fixed), bearer);
  expect(failed(answers)).toBeGreaterThan(5);
  expect(await sendAll(tried)).toEqual(expect.arrayContaining([500]));
  await breakTables('DROP CONSTRAINT broken');
  expect(tried.captured.text()).toContain('admin operation failed');
  expect(tried.captured.text()).toContain('a request failed');
  expectNothingLogged(tried);
});

test('a database that is away', async () => {
  const name = new URL(tried.service.database.url).pathname.slice(1);
  await administer(process.env['TEST_SERVER_URL']!, [
    `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
  ]);
  const answers = await askAll(tried, () => Promise.resolve(noObjects), bearer);
  expect(failed(answers)).toBeGreaterThan(10);
  for (const status of await sendAll(tried)) expect(status).toBeGreaterThanOrEqual(500);
  await administer(process.env['TEST_SERVER_URL']!, [`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`]);
  expectNothingLogged(tried);
});
