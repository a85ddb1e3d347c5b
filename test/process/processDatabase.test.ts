// The built programs report in one line a DATABASE_URL that leads nowhere, or to a database that they may not change.
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg, { type Pool } from 'pg';
import {
  CreateApiKeyDocument,
  EditApplicationDocument,
  EditProjectDocument,
  MeDocument,
  RefreshTokenDocument,
  SignupDocument,
} from '../../generated/dashboard/graphql.ts';
import { sealedColumns } from '../../src/compose/tableFacts.ts';
import { createEncryption, reencryptColumn } from '../../src/platform/encryption.ts';
import type { Statement } from '../../src/platform/database/sql.ts';
import { dashboardClient, type DashboardClient } from '../support/dashboardClient.ts';
import { createDurableDatabase, type DurableDatabase } from '../support/durablePostgres.ts';
import { eventually } from '../support/eventually.ts';
import { newAccount } from '../support/fakeStore.ts';
import { keyList, testKey } from '../support/keys.ts';
import { productionEnv } from '../support/productionEnv.ts';
import { setCredentials } from '../support/purchases.ts';
import { startTraffic, type Traffic } from '../support/rollingTraffic.ts';
import { mintServerCertificate } from '../support/serverCertificate.ts';
import { clearAway, runBuilt, type RunningService, startService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { createApplication } from '../support/testWorkspace.ts';
import { aReport, json, signedHeaders } from '../support/uploads.ts';
import { storeWebhook } from '../support/webhooks.ts';

describe('process.database', () => {
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
});

// TLS to PostgreSQL: `sslrootcert` in DATABASE_URL names the root of its certificate, and no other server is accepted.
describe('process.databaseTls', () => {
  /** Its connections are those of the service, and not those of this test. */
  const [role, password] = ['tls_service', 'wordless-9'];
  let database: DurableDatabase;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-tls-'));
    database = await createDurableDatabase();
    const { root, certificate, key } = await mintServerCertificate('localhost');
    writeFileSync(path.join(folder, 'root.pem'), root);
    writeFileSync(path.join(folder, 'other.pem'), (await mintServerCertificate('localhost')).root);
    await placeInServer({ 'server.crt': certificate, 'server.key': key });
    await database.set({ ssl: 'on' });
    await database.pool.query(`CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD '${password}'`);
  });
  afterEach(clearAway);
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  /** PostgreSQL accepts a key that only its own user may read. */
  async function placeInServer(files: Record<string, string>): Promise<void> {
    const { rows } = await database.pool.query<{ data_directory: string }>('SHOW data_directory');
    const { data_directory: cluster } = rows[0]!;
    const { uid, gid } = statSync(cluster);
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(path.join(cluster, name), text, { mode: 0o600 });
      chownSync(path.join(cluster, name), uid, gid);
    }
  }

  function urlWith(host: string, query: Record<string, string>): string {
    const url = new URL(database.url);
    Object.assign(url, { hostname: host, username: role, password });
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.href;
  }
  const rootFile = (name: string) => ({ sslmode: 'verify-full', sslrootcert: path.join(folder, name) });
  const migrate = (DATABASE_URL: string) =>
    runBuilt('src/programs/migrate.js', { NODE_ENV: 'production', DATABASE_URL });

  test('with the root of its certificate every connection of the service is encrypted', async () => {
    const DATABASE_URL = urlWith('localhost', rootFile('root.pem'));
    const migrated = migrate(DATABASE_URL);
    expect([await migrated.ended, migrated.stderr()]).toEqual([{ code: 0, signal: null }, '']);
    const service = await startService({
      ...{ ...productionEnv, DATABASE_URL, ANALYTICS: 'embedded', ANALYTICS_DIR: path.join(folder, 'copy') },
      ...{ HOST: '127.0.0.1', PORT: '0', OPS_PORT: '0' },
    });
    const observer = new pg.Client({ connectionString: database.url });
    await observer.connect();
    const connections = async () => {
      const { rows } = await observer.query<{ ssl: boolean }>(
        `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
         WHERE usename = $1`,
        [role],
      );
      return rows.map(({ ssl }) => ssl);
    };
    // The pool, the two listeners and the copy for analytics.
    const seen = await eventually(connections, (found) => found.length >= 4);
    await observer.end();
    expect(new Set(seen)).toEqual(new Set([true]));
    expect(service.stderr()).toBe('');
    await service.end('SIGTERM');
  });

  test.each([
    [
      'another root',
      urlFor('localhost', 'other.pem'),
      /certificate signature failure|self-signed certificate|unable to verify/,
    ],
    ['a name that is not in the certificate', urlFor('127.0.0.1', 'root.pem'), /does not match certificate/],
    ['a file that is missing', urlFor('localhost', 'missing.pem'), /ENOENT: .*missing\.pem/],
  ])('%s is refused with the name of the variable', async (_, url, fault) => {
    const refused = migrate(url());
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.stderr()).toMatch(/^DATABASE_URL: [^\n]*\n$/);
    expect(refused.stderr()).toMatch(fault);
  });

  /** A function, because the database does not exist yet when the table of tests is made. */
  function urlFor(host: string, name: string): () => string {
    return () => urlWith(host, rootFile(name));
  }
});

// Both secret keys are replaced under traffic, process by process, and no request or login fails.
describe('process.keyRotation', () => {
  const timeout = 600_000;
  const email = 'olga@example.com';
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await clearAway();
    await database.drop();
  }, timeout);

  interface Keys {
    encryption: string[];
    token: string[];
  }

  interface Owner {
    client: (service: RunningService) => DashboardClient;
    applicationId: string;
    key: { public: string; secret: string };
    refreshToken: string;
  }

  const env = ({ encryption, token }: Keys) => ({
    DATABASE_URL: database.url,
    SESSION_SIGNATURE: 'required',
    ENCRYPTION_KEY: keyList(...encryption),
    TOKEN_KEY: keyList(...token),
  });

  async function signUp(service: RunningService): Promise<Owner> {
    const nobody = dashboardClient(service.url);
    const input = { email, password: 'a fine phrase', organization: 'Acme', name: 'Olga' };
    const { signup } = await nobody.ask(SignupDocument, { input });
    const client = nobody.as(signup.token);
    const { projectEdit } = await client.ask(EditProjectDocument, { input: { name: 'Games' } });
    const { applicationEdit } = await client.ask(EditApplicationDocument, {
      input: { projectId: projectEdit.id, name: 'Runner', bundleId: 'com.example.runner', platform: 'iOS' },
    });
    const { apiKeyCreate } = await client.ask(CreateApiKeyDocument, { applicationId: applicationEdit.id });
    const { refreshToken } = signup;
    const clientOf = ({ url }: RunningService) => dashboardClient(url, signup.token);
    return { client: clientOf, applicationId: applicationEdit.id, key: apiKeyCreate, refreshToken };
  }

  async function upload({ url }: RunningService, key: Owner['key']): Promise<void> {
    const body = json(aReport());
    const response = await fetch(`${url}/api/v1/session`, { method: 'POST', headers: signedHeaders(key, body), body });
    if (response.status !== 200) throw new Error(`an upload got ${response.status}: ${await response.text()}`);
  }

  /** Sends uploads, reads that need the first token, and sometimes creates a key, which the other process must decrypt. */
  function sendInTurn({ client, applicationId, key }: Owner): (service: RunningService) => Promise<void> {
    const keys = [key];
    let turn = 0;
    return async (service) => {
      turn += 1;
      if (turn % 25 === 0) keys.push((await client(service).ask(CreateApiKeyDocument, { applicationId })).apiKeyCreate);
      else if (turn % 3 === 0) await client(service).ask(MeDocument, {});
      else await upload(service, keys[turn % keys.length]!);
    };
  }

  async function restartEach(
    services: RunningService[],
    traffic: Traffic<RunningService>,
    keys: Keys,
  ): Promise<RunningService[]> {
    const restarted: RunningService[] = [];
    for (const service of services) {
      await traffic.remove(service);
      expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
      const next = await startService(env(keys));
      restarted.push(next);
      const { done } = traffic.outcome();
      traffic.add(next);
      while (traffic.outcome().done < done + 25) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return restarted;
  }

  async function rotate(keys: Keys): Promise<string> {
    const rotation = runBuilt('src/programs/rotateKeys.js', { ...env(keys), LOG_LEVEL: 'error' });
    expect(await rotation.ended).toEqual({ code: 0, signal: null });
    return rotation.stdout();
  }

  test(
    'no request fails, tokens of the old key stay good, and afterwards the old key is needed by nothing',
    async () => {
      const only = { encryption: ['old'], token: ['old token'] };
      let services = [await startService(env(only)), await startService(env(only))];
      const owner = await signUp(services[0]!);
      const traffic = startTraffic(sendInTurn(owner), { senders: 2 });
      services.forEach((service) => traffic.add(service));
      // First every process learns the new keys, then every process uses them.
      services = await restartEach(services, traffic, {
        encryption: ['old', 'new'],
        token: ['old token', 'new token'],
      });
      const used = { encryption: ['new', 'old'], token: ['new token', 'old token'] };
      services = await restartEach(services, traffic, used);
      expect(await rotate(used)).toMatch(/^api_keys: [1-9]\d* sealed anew, 0 not readable\n/);
      const [last] = await restartEach(services.slice(0, 1), traffic, { ...used, encryption: ['new'] });
      await traffic.stop();
      expect(traffic.outcome().failures).toEqual([]);
      expect(traffic.outcome().done).toBeGreaterThan(100);
      const again = await dashboardClient(last!.url).ask(RefreshTokenDocument, { token: owner.refreshToken });
      expect((await dashboardClient(services[1]!.url, again.refreshToken.token).ask(MeDocument, {})).me.email).toBe(
        email,
      );
    },
    timeout,
  );

  test('every sealed column is known, and what cannot be opened is counted and left', async () => {
    const { rows } = await database.pool.query<{ place: string }>(
      `SELECT table_name || '.' || column_name AS place FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name LIKE '%\\_encrypted' ORDER BY 1`,
    );
    expect(sealedColumns.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
      rows.map(({ place }) => place),
    );
    for (const name of ['old', 'lost', 'old']) {
      await createApplication(database.prisma, createEncryption(testKey(name)));
    }
    const [apiKeys] = sealedColumns;
    const encryption = createEncryption(testKey('new'), testKey('old'));
    const before = await database.prisma.apiKey.findMany({ orderBy: { id: 'asc' } });
    expect(await reencryptColumn(database.pool, encryption, apiKeys!)).toEqual({ reencrypted: 2, unreadable: 1 });
    expect(await reencryptColumn(database.pool, encryption, apiKeys!)).toEqual({ reencrypted: 0, unreadable: 1 });
    const after = await database.prisma.apiKey.findMany({ orderBy: { id: 'asc' } });
    const changed = after.filter(
      (row, index) => !Buffer.from(row.secretEncrypted).equals(before[index]!.secretEncrypted),
    );
    expect(changed).toHaveLength(2);
    for (const { id, secretEncrypted } of changed) {
      expect(createEncryption(testKey('new')).decrypt(secretEncrypted, id)).toMatch(/^sec_/);
    }
  });

  test('secrets of any table that cannot be opened fail the rotation, which seals the others', async () => {
    await createApplication(database.prisma, createEncryption(testKey('lost')));
    const { id } = await createApplication(database.prisma, createEncryption(testKey('old')));
    await setCredentials({ database, application: { id } }, newAccount(), createEncryption(testKey('old')));
    await storeWebhook({ database }, id, { encryption: createEncryption(testKey('old')) });
    const rotation = runBuilt('src/programs/rotateKeys.js', {
      ...env({ encryption: ['new', 'old'], token: ['token'] }),
      LOG_LEVEL: 'error',
    });
    expect(await rotation.ended).toEqual({ code: 1, signal: null });
    expect(rotation.stdout()).toBe(
      'api_keys: 1 sealed anew, 1 not readable\nstore_credentials: 1 sealed anew, 0 not readable\nwebhooks: 1 sealed anew, 0 not readable\n',
    );
    expect(rotation.stderr()).toContain('ENCRYPTION_KEY');
  });

  test('a secret that is changed while it is sealed anew stays as it was changed', async () => {
    await createApplication(database.prisma, createEncryption(testKey('old')));
    const { pool } = database;
    const [apiKeys] = sealedColumns;
    const changed = Buffer.from('changed meanwhile');
    // The change happens between the read of a row and its write.
    const changing = {
      async query(statement: Statement) {
        if (statement.text.includes(' UPDATE '))
          await pool.query('UPDATE api_keys SET secret_encrypted = $1', [changed]);
        return pool.query(statement);
      },
    };
    const encryption = createEncryption(testKey('new'), testKey('old'));
    expect(await reencryptColumn(changing as unknown as Pool, encryption, apiKeys!)).toEqual({
      reencrypted: 0,
      unreadable: 0,
    });
    const { secretEncrypted } = await database.prisma.apiKey.findFirstOrThrow();
    expect(Buffer.from(secretEncrypted)).toEqual(changed);
  });
});
