// TLS to PostgreSQL: `sslrootcert` in DATABASE_URL names the root of its certificate, and no other server is accepted.
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { eventually } from '../support/eventually.ts';
import { createDurableDatabase, type DurableDatabase } from '../support/durablePostgres.ts';
import { productionEnv } from '../support/productionEnv.ts';
import { mintServerCertificate } from '../support/serverCertificate.ts';
import { clearAway, runBuilt, startService } from '../support/serviceProcess.ts';

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
const migrate = (DATABASE_URL: string) => runBuilt('src/programs/migrate.js', { NODE_ENV: 'production', DATABASE_URL });

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
