// The built process obeys its settings: a setting that got lost on its way from the environment would have no effect, unnoticed.
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { demoLogin } from '../../src/accounts/signupPolicy.ts';
import { variableNames } from '../../src/config.ts';
import { migrationLock } from '../../src/platform/database/migrations.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { projectFile, projectRoot, version } from '../../src/platform/projectRoot.ts';
import { askAdmin } from '../support/adminClient.ts';
import { parseCurl } from '../support/curl.ts';
import { createDurableDatabase, type DurablePostgres, startDurablePostgres } from '../support/durablePostgres.ts';
import { eventually } from '../support/eventually.ts';
import { aPurchase, startTestStore } from '../support/fakeStore.ts';
import { holdLock } from '../support/heldLock.ts';
import { testKey } from '../support/keys.ts';
import { readMail } from '../support/mailServer.ts';
import { productionEnv } from '../support/productionEnv.ts';
import { encryptionKey, expectPaced, setCredentials } from '../support/purchases.ts';
import { clearAway, newDataDir, postgresPid, runBuilt, startService, until } from '../support/serviceProcess.ts';
import { startFlags } from '../support/startFlags.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { createApplication } from '../support/testWorkspace.ts';
import { unusedPort } from '../support/unusedPort.ts';

describe('process.settings', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await clearAway();
    await database.drop();
  });

  const sql = (text: string, values: unknown[] = []) => database.pool.query<{ n: number }>(text, values);

  test('TRUSTED_PROXIES: attempts are counted by the address that so many proxies vouch for, and logged by its network', async () => {
    const { url, stdout } = await startService({ DATABASE_URL: database.url, TRUSTED_PROXIES: '1' });
    const rowsAfterOneFrom = async (addresses: string) => {
      const query = 'mutation { refreshToken(token: "wrong") { token } }';
      const { codes } = await askAdmin(url, { query, headers: { 'X-Forwarded-For': addresses } });
      expect(codes).toEqual(['INVALID_TOKEN']);
      return (await sql('SELECT count(*)::int AS n FROM attempts')).rows[0]!.n;
    };
    // There is one row for the token, one for each IPv4 address, and two for an IPv6 address: its /64 and its /48.
    expect(await rowsAfterOneFrom('203.0.113.1')).toBe(2);
    expect(await rowsAfterOneFrom('198.51.100.7, 203.0.113.1')).toBe(2);
    expect(await rowsAfterOneFrom('203.0.113.2')).toBe(3);
    expect(await rowsAfterOneFrom('2001:db8:77:1::8')).toBe(5);
    // The log has the network, and no address.
    const lines = stdout()
      .split('\n')
      .filter((line) => line.includes('"authentication"'));
    const networks = lines.map((line) => (JSON.parse(line) as { network: string }).network);
    expect(networks).toEqual([...Array.from({ length: 3 }, () => '203.0.113.0/24'), '2001:db8:77::/48']);
    expect(stdout()).not.toMatch(/203\.0\.113\.[12]|198\.51|77:1/);
  });

  test('DASHBOARD_ORIGINS: their browsers may call the admin API, and others may not', async () => {
    const origins = ['https://one.example', 'https://two.example'];
    const { url } = await startService({ DATABASE_URL: database.url, DASHBOARD_ORIGINS: origins.join(',') });
    for (const origin of [...origins, 'https://three.example']) {
      const { headers } = await askAdmin(url, { query: '{ id }', headers: { Origin: origin } });
      expect(headers.get('access-control-allow-origin')).toBe(origins.includes(origin) ? origin : null);
    }
  });

  test('EVENT_RETENTION_DAYS, and what every process tidies up: at once, since it may not live for an hour', async () => {
    await sql(`CREATE TABLE events_20200106 PARTITION OF events FOR VALUES FROM ('2020-01-06') TO ('2020-01-13')`);
    await sql(`INSERT INTO nonces (nonce, application_id, body_hash, received_at)
      VALUES ('expired', gen_random_uuid(), '\\x00', now() - interval '16 minutes')`);
    const left = `SELECT (SELECT count(*)::int FROM nonces) + count(*)::int AS n
      FROM pg_class WHERE relname = 'events_20200106'`;
    expect((await sql(left)).rows).toEqual([{ n: 2 }]);
    const { opsUrl } = await startService({ DATABASE_URL: database.url, EVENT_RETENTION_DAYS: '30' });
    await eventually(
      () => sql(left),
      ({ rows }) => rows[0]!.n === 0,
    );
    const metrics = async () => (await fetch(`${opsUrl}/metrics`)).text();
    expect(await metrics()).not.toMatch(/^housekeeping_failures_total\{/m);
  });

  test('STORE_API_URL, STORE_ROOT_CERTIFICATES and STORE_CALLS_PER_SECOND: that store is asked, and no more often', async () => {
    const store = await startTestStore();
    try {
      const { stdout } = await startService({
        DATABASE_URL: database.url,
        ENCRYPTION_KEY: encryptionKey.toString('base64'),
        STORE_API_URL: store.url,
        STORE_ROOT_CERTIFICATES: store.rootFile,
        STORE_CALLS_PER_SECOND: '1',
      });
      const application = await database.prisma.application.findFirstOrThrow();
      await setCredentials({ database, application }, store.account);
      const ids = Array.from({ length: 3 }, () => randomUUID());
      for (const id of ids) store.respondWith(id, { production: [{ purchase: aPurchase({ transactionId: id }) }] });
      const { url, headers } = parseCurl(stdout());
      const body = JSON.stringify({ device: { id: 'd' }, transactions: ids.map((id) => ({ id })) });
      const to = url.replace('/session', '/tm/store');
      const begun = Date.now();
      expect((await fetch(to, { method: 'POST', headers, body })).status).toBe(200);
      const resolved = () => database.prisma.storeTransaction.count({ where: { state: 'RESOLVED' } });
      await eventually(resolved, (count) => count === 3);
      expectPaced(store, begun, 1);
    } finally {
      await store.stop();
    }
  });
});

// The command line of every program in package.json: --help and --version do nothing else, and an unknown word is refused.
describe('process.commandLine', () => {
  afterEach(clearAway);

  const { scripts } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const programs = new Set(Object.values(scripts).flatMap((script) => /dist\/(\S+\.js)/.exec(script)?.[1] ?? []));

  /** Outside production, so that a program that went on would start the embedded PostgreSQL, or migrate one. */
  async function run(program: string, word: string) {
    const dataDir = newDataDir();
    const running = runBuilt(program, { DATA_DIR: dataDir, PORT: '0', OPS_PORT: '0' }, [word]);
    const { code } = await running.ended;
    const begun = existsSync(path.join(dataDir, 'postgres'));
    return { code, stdout: running.stdout(), stderr: running.stderr(), begun };
  }

  test('the programs are found', () => {
    for (const name of ['main', 'programs/migrate', 'programs/rotateKeys', 'programs/userCreate', 'programs/dev'])
      expect(programs).toContain(`src/${name}.js`);
    for (const name of ['demo', 'mock', 'stub', 'samples']) expect(programs).toContain(`test/tools/${name}/main.js`);
  });

  test.each([...programs])('%s', async (program) => {
    const [help, short, asked, unknown] = await Promise.all(
      ['--help', '-h', '--version', '--nonsense'].map((word) => run(program, word)),
    );
    expect(help).toMatchObject({ code: 0, stderr: '', begun: false });
    expect(help!.stdout).toMatch(/^Usage: npm (start|run \S+)/);
    expect(help!.stdout).toContain('--help prints this text, and --version the version.');
    expect(short).toEqual(help);
    expect(asked).toEqual({ code: 0, stdout: `${version}\n`, stderr: '', begun: false });
    expect(unknown).toMatchObject({ code: 2, stdout: '', begun: false });
    expect(unknown!.stderr).toMatch(/^Unknown option '--nonsense'\. Usage: npm (start|run )[^\n]*\n$/);
  });

  /** Prints, at the end of a process, the names that it has looked up in its environment. */
  const spy = `
  const names = new Set();
  process.env = new Proxy(process.env, { get: (env, name) => (names.add(name), env[name]) });
  process.on('exit', () => process.stdout.write('\\nread:' + [...names].filter((name) => typeof name === 'string')));
`;

  /** Without these words a program ends before it reads a setting. */
  const words: Record<string, string[]> = {
    'src/programs/userCreate.js': ['--email', 'a@example.com', '--organization', 'Acme'],
    'src/programs/userReset.js': ['--email', 'a@example.com'],
  };

  /** From a run that ends at its settings. */
  async function settingsRead(program: string): Promise<string[]> {
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(spy)}`;
    const running = runBuilt(program, { NODE_ENV: 'refused', NODE_OPTIONS }, words[program]);
    expect((await running.ended).code).toBe(1);
    expect(running.stderr()).toContain('The environment is not usable:\n  NODE_ENV: ');
    const read = running.stdout().split('\nread:').at(-1)!.split(',');
    return variableNames.filter((name) => read.includes(name));
  }

  /** The other tools read no setting of the service. */
  const readers = [...programs].filter((name) => name.startsWith('src/') || name.includes('/demo/'));

  test.each(readers)(
    '%s: --help names each setting that it reads, or only the file of all settings where it reads all',
    async (program) => {
      const [read, { stdout: help }] = await Promise.all([settingsRead(program), run(program, '--help')]);
      expect(read).toContain('NODE_ENV');
      expect(help).toContain('.env.example');
      const unnamed = read.filter((name) => !new RegExp(`\\b${name}\\b`).test(help));
      if (read.length < variableNames.length) expect(unnamed).toEqual([]);
    },
  );
});

// The built process responds and ends in order although nobody takes its output: on a full disk, or with closed readers.
describe('process.output', () => {
  let database: TestDatabase;
  let child: ChildProcess;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => void child.kill('SIGKILL'));
  afterAll(() => database.drop());

  /** Another test may take a port before the process listens. The process then ends, and its output goes nowhere here. */
  async function start(stdio: StdioOptions): Promise<{ url: string; opsUrl: string }> {
    const addresses = await startOnce(stdio);
    const ready = () => fetch(`${addresses.opsUrl}/readyz`).catch(() => null);
    await eventually(ready, (response) => response?.status === 200 || child.exitCode !== null);
    return child.exitCode === null ? addresses : await startOnce(stdio);
  }

  async function startOnce(stdio: StdioOptions): Promise<{ url: string; opsUrl: string }> {
    const [port, opsPort] = [await unusedPort(), await unusedPort()];
    const env = { DATABASE_URL: database.url, PORT: String(port), OPS_PORT: String(opsPort), DATA_DIR: '/nonexistent' };
    const program = projectFile('dist', 'src', 'main.js');
    child = spawn(process.execPath, [...startFlags, program], { cwd: projectRoot, env, stdio });
    return { url: `http://127.0.0.1:${port}`, opsUrl: `http://127.0.0.1:${opsPort}` };
  }

  async function expectToServe({ url, opsUrl }: { url: string; opsUrl: string }): Promise<void> {
    const ready = () => fetch(`${opsUrl}/readyz`).catch(() => null);
    await eventually(ready, (response) => response?.status === 200);
    await eventually(
      () => fetch(url).catch(() => null),
      (response) => response?.status === 404,
    );
    // Each request writes a line to the log; together the lines exceed the buffer of a pipe.
    for (let index = 0; index < 500; index++) {
      expect((await askAdmin(url, { query: '{ me { email } }' })).status).toBe(401);
    }
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  }

  test('with a full disk under both outputs', async () => {
    const full = openSync('/dev/full', 'w');
    const addresses = await start(['ignore', full, full]);
    closeSync(full);
    await expectToServe(addresses);
  });

  test('with readers that have gone', async () => {
    const addresses = await start(['ignore', 'pipe', 'pipe']);
    child.stdout!.destroy();
    child.stderr!.destroy();
    await expectToServe(addresses);
  });

  test('with a reader that reads nothing', async () => {
    const addresses = await start(['ignore', 'pipe', 'ignore']);
    child.stdout!.pause();
    await expectToServe(addresses);
  });
});

// A start without NODE_ENV on production's database: it is refused, and the demo's published password opens nothing in production.
describe('process.demoDoor', () => {
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
});

// The built process sends its mails: a developer finds the reset mail as a file in the data folder, and its link's token works.
describe('process.mail', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterEach(clearAway);
  afterAll(() => database.drop());

  test('without SMTP_URL a mail is a file under DATA_DIR', async () => {
    const dataDir = newDataDir();
    const service = await startService({
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      DASHBOARD_URL: 'http://d.test/',
    });
    const reset = 'mutation { resetPassword(input: { email: "demo@example.com" }) }';
    expect((await askAdmin(service.url, { query: reset })).data).toEqual({ resetPassword: true });
    const folder = path.join(dataDir, 'mail');
    const file = await until(
      () => (existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith('.eml')) : undefined),
      service,
    );
    const { link, token } = await readMail(readFileSync(path.join(folder, file), 'utf8'));
    expect(link.href).toBe(`http://d.test/reset-password?token=${token}`);
    expect(service.stdout()).not.toContain(token);
    const input = { token, newPassword: 'a fine phrase', newPasswordRepeat: 'a fine phrase' };
    const query = 'mutation U($input: UpdatePasswordInput!) { updatePassword(input: $input) }';
    expect((await askAdmin(service.url, { query, variables: { input } })).data).toEqual({ updatePassword: true });
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

// The built process in production: it refuses unsafe settings, reports all of them at once, and never migrates by itself.
describe('process.production', () => {
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
});
