// The time limits of the pool behind PgBouncer, for a role that nobody has prepared. It needs PgBouncer, and skips without.
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { askIdleConnections, type Database, openDatabase } from '../../src/platform/database/database.ts';
import { migrationStatus } from '../../src/platform/database/migrations.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { captureLog, type CapturedLog } from '../support/capturedLog.ts';
import { eventually } from '../support/eventually.ts';
import { pgbouncerIsInstalled, startPgbouncer, type Pooler } from '../support/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

const limitMillis = 600;
const roles: string[] = [];
const describeWithPooler = pgbouncerIsInstalled() ? describe : describe.skip;
let database: TestDatabase;
let captured: CapturedLog;
beforeAll(async () => {
  database = await createTestDatabase();
  captured = captureLog();
});
afterAll(async () => {
  captured.stop();
  await database.drop();
  // The settings of a role in a database go with the database.
  const admin = new pg.Client(new URL('/postgres', database.url).href);
  await admin.connect();
  for (const role of roles) await admin.query(`DROP ROLE ${role}`);
  await admin.end();
});

/** A role as an operator makes it when the password changes. */
async function newRole(): Promise<string> {
  const role = `pooled_${process.pid}_${roles.length}`;
  await database.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'pooled'`);
  await database.pool.query(`GRANT USAGE ON SCHEMA public TO ${role}`);
  await database.pool.query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`);
  roles.push(role);
  return Object.assign(new URL(database.url), { username: role, password: 'pooled' }).href;
}

const open = (url: string): Database =>
  openDatabase({ url, poolSize: 3, statementTimeoutMillis: limitMillis, log: captured.log });
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: Error & { code?: string }) => error.code ?? error.message,
  );
/** Asks again where a pause of the machine has used up the client's own limit. */
const served = async <Result>(ask: () => Promise<Result>): Promise<Result> =>
  (await eventually(
    () => ask().catch(() => null),
    (response) => response !== null,
  ))!;
const ends = (work: () => Promise<unknown>, codes: string[]): Promise<unknown> =>
  eventually(
    () => codeOf(work()),
    (code) => codes.includes(String(code)),
  );
const limitsOf = `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
  current_setting('idle_in_transaction_session_timeout') AS idle`;
const limits = { statement: '600ms', lock: '600ms', idle: '600ms' };

describeWithPooler.each(['session', 'transaction'] as const)('PgBouncer in %s mode', (mode) => {
  let url: string;
  let pooler: Pooler;
  let service: Database;
  beforeAll(async () => {
    url = await newRole();
    pooler = await startPgbouncer(url, mode);
    // Connections of the pooler to PostgreSQL that are older than what the role gets.
    const before = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const client = new pg.Client(pooler.url);
        await client.connect();
        await client.query('SELECT pg_sleep(0.3)');
        return client;
      }),
    );
    for (const client of before) await client.end();
    service = open(pooler.url);
  });
  afterAll(async () => {
    await service.close();
    await pooler.stop();
  });
  /** Each on a connection of the pooler of its own. */
  const atOnce = <Result>(work: () => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: 3 }, work));

  test('all connections get the limits, the older ones within seconds', async () => {
    const stop = askIdleConnections(service);
    const look = () => atOnce(async () => (await service.pool.query<object>(`${limitsOf}, pg_sleep(0.1)`)).rows[0]!);
    const looks = () => served(look);
    await looks();
    await eventually(looks, (all) =>
      all.every((each) => isDeepStrictEqual({ ...each, pg_sleep: '' }, { ...limits, pg_sleep: '' })),
    );
    stop();
    expect(captured.text()).toContain('a pooler drops time limits: the role has them now');
  });

  test('a statement ends at the server, and so do a wait for a lock and a transaction that nobody goes on with', async () => {
    await ends(() => service.pool.query('SELECT pg_sleep(5)'), ['57014']);
    const holder = await database.pool.connect();
    await holder.query('BEGIN; LOCK TABLE nonces');
    await ends(() => service.pool.query('SELECT FROM nonces'), ['55P03', '57014']);
    await holder.query('ROLLBACK');
    holder.release();
    const idle = await served(() => service.pool.connect());
    idle.on('error', () => undefined);
    await idle.query('BEGIN; LOCK TABLE nonces').catch(() => undefined);
    await ends(() => database.pool.query('DO $$ BEGIN LOCK TABLE nonces NOWAIT; END $$'), ['done']);
    expect(await codeOf(idle.query('SELECT 1'))).not.toBe('done');
    idle.release(true);
  });

  test('another process and every later connection have them, and a shorter limit of the operator stays', async () => {
    const direct = new pg.Client(url);
    await direct.connect();
    expect((await direct.query(limitsOf)).rows[0]).toEqual(limits);
    const { rows } = await direct.query<{ name: string }>('SELECT current_database() AS name');
    await database.pool.query(
      `ALTER ROLE ${new URL(url).username} IN DATABASE "${rows[0]!.name}" SET lock_timeout = '200ms'`,
    );
    await direct.end();
    const again = await startPgbouncer(url, mode);
    const other = open(again.url);
    expect((await served(() => other.pool.query(limitsOf))).rows[0]).toEqual({ ...limits, lock: '200ms' });
    await other.close();
    await again.stop();
  });

  test('the check of migrations leaves nothing on a connection that others use', async () => {
    const prismaDir = projectFile('prisma');
    await atOnce(() => migrationStatus({ url: pooler.url, prismaDir }));
    const text = `SELECT current_setting('default_transaction_read_only') AS value, pg_sleep(0.1)`;
    const look = async () => (await service.pool.query<{ value: string }>(text)).rows[0]!.value;
    const readOnly = await served(() => atOnce(look));
    expect(readOnly).toEqual(['off', 'off', 'off']);
  });
});

test('without a pooler nothing is set for the role', async () => {
  const url = await newRole();
  const direct = open(url);
  expect((await served(() => direct.pool.query(limitsOf))).rows[0]).toEqual(limits);
  await direct.close();
  const text = 'SELECT FROM pg_db_role_setting WHERE setrole = $1::text::regrole';
  expect((await database.pool.query(text, [new URL(url).username])).rowCount).toBe(0);
});
