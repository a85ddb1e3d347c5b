// A start without NODE_ENV on production's database: it is refused, and the demo's published password opens nothing in production.
import { demoLogin } from '../../src/accounts/demoLogin.ts';
import { createDurableDatabase } from '../support/durablePostgres.ts';
import { askAdmin } from '../support/adminClient.ts';
import { productionEnv } from '../support/productionEnv.ts';
import { clearAway, newDataDir, runBuilt, startService } from '../support/serviceProcess.ts';
import type { TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDurableDatabase();
});
afterAll(async () => {
  await clearAway();
  await database.drop();
});

const login = 'mutation M($input: LoginInput!) { login(input: $input) { token } }';

test('production refuses the login that a start outside production has made, and its database is refused outside production', async () => {
  const ports = { DATABASE_URL: database.url, HOST: '127.0.0.1', PORT: '0', OPS_PORT: '0' };
  const { ENCRYPTION_KEY, TOKEN_KEY } = productionEnv;
  const outside = { ...ports, ENCRYPTION_KEY, TOKEN_KEY, DATA_DIR: newDataDir() };
  const before = await startService(outside);
  const opened = await askAdmin(before.url, { query: login, variables: { input: demoLogin } });
  expect(opened.errors).toEqual([]);
  await before.end('SIGTERM');

  const production = await startService({ ...productionEnv, ...ports });
  expect(production.stdout()).toMatch(/"level":"warn".*"email":"demo@example.com".*login of the demo/);
  const { errors } = await askAdmin(production.url, { query: login, variables: { input: demoLogin } });
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID_CREDENTIALS' } }]);
  await production.end('SIGTERM');

  const name = new URL(database.url).pathname.slice(1);
  const refused = runBuilt('src/main.js', outside);
  expect(await refused.ended).toEqual({ code: 1, signal: null });
  expect(refused.stderr()).toContain(`DATABASE_URL: a production process uses the database "${name}"`);
  const other = runBuilt('src/main.js', { ...outside, ALLOW_PRODUCTION_DATABASE: 'another' });
  expect(await other.ended).toEqual({ code: 1, signal: null });
  const allowed = await startService({ ...outside, ALLOW_PRODUCTION_DATABASE: name });
  await allowed.end('SIGTERM');
});
