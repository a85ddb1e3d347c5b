// The built process in production: it refuses unsafe settings, reports all of them at once, and never migrates by itself.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { migrationLock } from '../../src/platform/database/migrations.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { startDurablePostgres, type DurablePostgres } from '../support/durablePostgres.ts';
import { holdLock } from '../support/heldLock.ts';
import { testKey } from '../support/keys.ts';
import { productionEnv } from '../support/productionEnv.ts';
import { clearAway, newDataDir, postgresPid, runBuilt, startService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { createApplication } from '../support/testWorkspace.ts';
import { unusedPort } from '../support/unusedPort.ts';

const databases: TestDatabase[] = [];
let durable: DurablePostgres;
beforeAll(async () => {
  durable = await startDurablePostgres();
});
afterAll(() => durable.stop());
afterEach(async () => {
  await clearAway();
  await Promise.all(databases.splice(0).map((database) => database.drop()));
});

/** Uses a server that may lose commits, like most tests, or a durable one. */
async function productionOn(options: { empty: boolean; server?: string }): Promise<Record<string, string>> {
  const database = await createTestDatabase(options);
  databases.push(database);
  return {
    ...productionEnv,
    DATABASE_URL: database.url,
    HOST: '127.0.0.1',
    PORT: '0',
    OPS_PORT: '0',
  };
}

test('a start without secrets is refused with every problem, and nothing is begun', async () => {
  const service = runBuilt('src/main.js', { NODE_ENV: 'production', DATA_DIR: newDataDir() });
  expect(await service.ended).toEqual({ code: 1, signal: null });
  for (const name of ['DATABASE_URL', 'ENCRYPTION_KEY', 'TOKEN_KEY', 'SIGNUP', 'DASHBOARD_URL', 'SMTP_URL'])
    expect(service.stderr()).toContain(`  ${name}: `);
  expect(service.stderr()).not.toContain('    at ');
  expect(service.stdout()).toBe('');
});

test('a start with pending migrations is refused and says what to run; then it starts, and keeps its keys to itself', async () => {
  const env = await productionOn({ empty: true, server: durable.url });
  const refused = runBuilt('src/main.js', env);
  expect(await refused.ended).toEqual({ code: 1, signal: null });
  expect(refused.stderr()).toMatch(/lacks \d+ migration\(s\): \d{14}_\w+.*npm run db:migrate/);

  const migration = runBuilt('src/programs/migrate.js', env);
  expect(await migration.ended).toEqual({ code: 0, signal: null });
  expect(migration.stdout()).toMatch(/^Applied: \d{14}_\w+/m);
  const again = runBuilt('src/programs/migrate.js', env);
  expect(await again.ended).toEqual({ code: 0, signal: null });
  expect(again.stdout()).toMatch(/^Nothing to apply\.$/m);

  const service = await startService(env);
  expect((await fetch(`${service.opsUrl}/readyz`)).status).toBe(200);
  const unknown = await fetch(`${service.url}/api/v1/session`, { method: 'POST', body: '{}' });
  expect([unknown.status, await unknown.json()]).toEqual([404, { detail: 'Application not found' }]);
  expect(service.stdout()).not.toMatch(/sec_|pub_|password/);
  expect(await databases[0]!.prisma.application.count()).toBe(0);
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('a database that may lose what it has committed ends the start, with the setting by name', async () => {
  const env = await productionOn({ empty: true, server: durable.url });
  expect(await runBuilt('src/programs/migrate.js', env).ended).toMatchObject({ code: 0 });
  const asking = new URL(env['DATABASE_URL']!);
  asking.searchParams.set('options', '-c synchronous_commit=off');
  const refused = runBuilt('src/main.js', { ...env, DATABASE_URL: asking.href });
  expect(await refused.ended).toEqual({ code: 1, signal: null });
  expect(refused.stderr()).toContain('PostgreSQL runs with synchronous_commit=off');

  await durable.set({ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' });
  const both = runBuilt('src/main.js', env);
  expect(await both.ended).toEqual({ code: 1, signal: null });
  expect(both.stderr()).toContain('PostgreSQL runs with fsync=off and synchronous_commit=off');

  await durable.set({ fsync: 'on', synchronous_commit: 'local' });
  const service = await startService(env);
  expect(service.stdout()).toMatch(/"level":"warn".*"settings":\["full_page_writes"\]/);
  expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('a key that opens no secret of the database ends the start, one that opens some is told of, and all together are not', async () => {
  const env = await productionOn({ empty: true, server: durable.url });
  expect(await runBuilt('src/programs/migrate.js', env).ended).toMatchObject({ code: 0 });
  const other = randomBytes(32);
  await createApplication(databases.at(-1)!.prisma, createEncryption(other));
  const refused = runBuilt('src/main.js', env);
  expect(await refused.ended).toEqual({ code: 1, signal: null });
  expect(refused.stderr()).toContain('ENCRYPTION_KEY: opens no secret in api_keys');
  await createApplication(databases.at(-1)!.prisma, createEncryption(testKey('encryption')));
  const both = `${productionEnv.ENCRYPTION_KEY},${other.toString('base64')}`;
  for (const [ENCRYPTION_KEY, warns] of [
    [productionEnv.ENCRYPTION_KEY, true],
    [both, false],
  ] as const) {
    const service = await startService({ ...env, ENCRYPTION_KEY });
    expect(/"level":"warn".*"table":"api_keys".*opens only some/.test(service.stdout())).toBe(warns);
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  }
});

test('a database whose encoding is not UTF-8 is refused by the migration', async () => {
  const env = await productionOn({ empty: true, server: durable.url });
  const url = new URL(env['DATABASE_URL']!);
  url.pathname = `${url.pathname}_latin`;
  const { pool } = databases.at(-1)!;
  const name = url.pathname.slice(1);
  await pool.query(`CREATE DATABASE ${name} ENCODING 'WIN1252' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`);
  const refused = runBuilt('src/programs/migrate.js', { ...env, DATABASE_URL: url.href });
  expect(await refused.ended).toEqual({ code: 1, signal: null });
  expect(refused.stderr()).toBe("The database has the encoding WIN1252: create it with ENCODING 'UTF8'.\n");
  await pool.query(`DROP DATABASE ${name}`);
});

test('what a role is bound to for requests does not cut off a migration, nor its wait for another one', async () => {
  const env = await productionOn({ empty: true, server: durable.url });
  const { pool } = databases.at(-1)!;
  const url = new URL(env['DATABASE_URL']!);
  await pool.query(`ALTER DATABASE ${url.pathname.slice(1)} SET statement_timeout = '300ms'`);
  await pool.query(`ALTER DATABASE ${url.pathname.slice(1)} SET lock_timeout = '300ms'`);
  const held = await holdLock(pool, 'SELECT pg_advisory_xact_lock($1)', String(migrationLock));
  const migration = runBuilt('src/programs/migrate.js', env);
  await held.waiting(1);
  // Longer than either limit.
  await new Promise((resolve) => setTimeout(resolve, 400));
  await held.release();
  expect(await migration.ended).toEqual({ code: 0, signal: null });
});

test('migrations that several processes apply at once are applied once, and all processes succeed', async () => {
  const env = await productionOn({ empty: true });
  const migrations = [1, 2, 3].map(() => runBuilt('src/programs/migrate.js', env));
  for (const { ended } of migrations) expect(await ended).toEqual({ code: 0, signal: null });
  // One process may apply the schema's migrations and another one the job queue's.
  const applied = migrations.flatMap(({ stdout }) => /Applied: (.+)/.exec(stdout())?.[1]?.split(', ') ?? []);
  expect(applied.length).toBeGreaterThan(1);
  expect(new Set(applied).size).toBe(applied.length);
});

test('a database that cannot be reached ends the start with one line and without its password', async () => {
  const env = await productionOn({ empty: false });
  const url = new URL(env['DATABASE_URL']!);
  url.port = String(await unusedPort());
  const service = runBuilt('src/main.js', { ...env, DATABASE_URL: url.href });
  expect(await service.ended).toEqual({ code: 1, signal: null });
  expect(service.stderr().trim()).not.toBe('');
  expect(service.stderr() + service.stdout()).not.toContain(url.password);
});

test.each(['BEGIN READ ONLY', 'graphile_worker.migrations'])(
  'a database that falls silent when it is asked for %s ends the start',
  async (text) => {
    const env = await productionOn({ empty: true, server: durable.url });
    expect(await runBuilt('src/programs/migrate.js', env).ended).toMatchObject({ code: 0 });
    const silent = await startSilencer(new URL(env['DATABASE_URL']!), text);
    const url = new URL(env['DATABASE_URL']!);
    url.port = String(silent.port);
    const service = runBuilt('src/main.js', { ...env, DATABASE_URL: url.href });
    expect(await service.ended).toEqual({ code: 1, signal: null });
    expect(service.stderr().trim()).not.toBe('');
    silent.close();
  },
);

/** A proxy before the database that forwards nothing more once a client sends `text`. */
async function startSilencer({ hostname, port }: URL, text: string): Promise<{ port: number; close: () => void }> {
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const socket of [client, server]) sockets.add(socket.on('error', () => undefined));
    client.on('data', (chunk: Buffer) => void (chunk.includes(text) ? server.destroy() : server.write(chunk)));
    server.on('data', (chunk: Buffer) => void client.write(chunk));
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const close = (): void => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (listener.address() as AddressInfo).port, close };
}

test('a port that is taken ends the start, and with it the embedded PostgreSQL that it had begun', async () => {
  const taken = createServer().listen(0, '127.0.0.1').unref();
  await new Promise((resolve) => taken.once('listening', resolve));
  const dataDir = newDataDir();
  const port = String((taken.address() as AddressInfo).port);
  const service = runBuilt('src/main.js', { DATA_DIR: dataDir, PORT: port, OPS_PORT: '0' });
  expect(await service.ended).toEqual({ code: 1, signal: null });
  expect(service.stderr()).toContain('EADDRINUSE');
  expect(postgresPid(dataDir)).toBeUndefined();
});
