// The built programs report in one line a DATABASE_URL that leads nowhere, or to a database that they may not change.
import { clearAway, runBuilt } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true, plain: true });
});
afterEach(clearAway);
afterAll(() => database.drop());

async function refusal(program: string, change: (url: URL) => void): Promise<string> {
  const url = new URL(database.url);
  change(url);
  const refused = runBuilt(program, { DATABASE_URL: url.href, PORT: '0', OPS_PORT: '0' });
  expect(await refused.ended).toEqual({ code: 1, signal: null });
  return refused.stderr();
}

test.each<[string, (url: URL) => void, RegExp]>([
  ['a wrong port', (url) => void (url.port = '1'), /^DATABASE_URL: .*ECONNREFUSED.*\n$/],
  [
    'no such database',
    (url) => void (url.pathname = '/nobodys'),
    /^DATABASE_URL: database "nobodys" does not exist\n$/,
  ],
])('%s ends the start and the migration, with the variable by name', async (_, change, told) => {
  for (const program of ['src/main.js', 'src/programs/migrate.js'])
    expect(await refusal(program, change)).toMatch(told);
});

test('a role that may create nothing is told so, without a trace of the engine', async () => {
  const role = `poor_${process.pid}`;
  await database.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'poor'`);
  const told = await refusal('src/programs/migrate.js', (url) =>
    Object.assign(url, { username: role, password: 'poor' }),
  );
  expect(told).toMatch(/permission denied for schema public\n$/);
  await database.pool.query(`DROP ROLE ${role}`);
});
