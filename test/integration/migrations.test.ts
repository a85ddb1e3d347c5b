// Migrations on a database with a different history: contradictions are refused by name, failures leave nothing, an older release still starts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyMigrations, migrationStatus, pendingMigrations } from '../../src/platform/database/migrations.ts';
import { captureLog, type CapturedLog } from '../support/capturedLog.ts';
import { eventually } from '../support/eventually.ts';
import { holdLock } from '../support/heldLock.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

let database: TestDatabase;
let prismaDir: string;
let captured: CapturedLog;
beforeEach(async () => {
  captured = captureLog();
  prismaDir = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-migrations-'));
  mkdirSync(path.join(prismaDir, 'migrations'));
  writeFileSync(path.join(prismaDir, 'migrations', 'migration_lock.toml'), 'provider = "postgresql"\n');
  database = await createTestDatabase({ empty: true });
});
afterEach(async () => {
  captured.stop();
  await database.drop();
  rmSync(prismaDir, { recursive: true });
});

const [first, second] = ['20260101000000_first', '20260102000000_second'] as const;
const folder = (name: string) => path.join(prismaDir, 'migrations', name);
function write(name: string, sql: string): void {
  mkdirSync(folder(name), { recursive: true });
  writeFileSync(path.join(folder(name), 'migration.sql'), sql);
}
const options = () => ({ url: database.url, prismaDir, log: captured.log });
const apply = () => applyMigrations(options());
const look = () => pendingMigrations(options());

async function tables(): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'",
  );
  return rows.map(({ name }) => name).sort();
}

test('they are applied in the order of their names, each of them is told, and only what is new comes later', async () => {
  write(second, 'ALTER TABLE a ADD COLUMN b int;');
  write(first, 'CREATE TABLE a (id int);');
  expect(await apply()).toEqual([first, second]);
  const told = captured
    .text()
    .split('\n')
    .filter((line) => line.includes('migration applied'));
  expect(told.map((line) => (JSON.parse(line) as { migration: string }).migration)).toEqual([first, second]);
  write('20260103000000_third', 'CREATE TABLE c (id int);');
  expect(await look()).toEqual(['20260103000000_third']);
  expect(await apply()).toEqual(['20260103000000_third']);
});

test('one whose file was edited since is refused by name, by a look and by a run, which applies nothing', async () => {
  write(first, 'CREATE TABLE a (id int);');
  await apply();
  write(first, 'CREATE TABLE a (id bigint);');
  write(second, 'CREATE TABLE b (id int);');
  await expect(look()).rejects.toThrow(`${first} was edited after it was applied`);
  await expect(apply()).rejects.toThrow(`${first} was edited after it was applied`);
  expect(await tables()).toEqual(['a']);
});

test('an older release starts on a newer database and says so, unless it has a migration that the other has not', async () => {
  write(first, 'CREATE TABLE a (id int);');
  write(second, 'CREATE TABLE b (id int);');
  await apply();
  rmSync(folder(second), { recursive: true });
  expect([await look(), await apply()]).toEqual([[], []]);
  expect(captured.text().split('the database is ahead of this release')).toHaveLength(3);
  write('20260103000000_other', 'CREATE TABLE c (id int);');
  const problem = `${second} was applied and is not in the folder, while 20260103000000_other is new`;
  await expect(look()).rejects.toThrow(problem);
  await expect(apply()).rejects.toThrow(problem);
  expect(await tables()).toEqual(['a', 'b']);
});

test('one that waits for a reader lets others pass, says who is the oldest, and goes on when the reader ends', async () => {
  write(first, 'CREATE TABLE a (id int);');
  await apply();
  write(second, 'ALTER TABLE a ADD COLUMN b int;');
  const reader = await holdLock(database.pool, 'SELECT count(*) FROM a');
  const migrating = applyMigrations({ ...options(), lockWait: { millis: 200, pauseMillis: 100 } });
  const waits = async () =>
    captured
      .text()
      .split('\n')
      .filter((line) => line.includes('waits for a lock'));
  const [line] = await eventually(waits, (lines) => lines.length >= 2);
  expect(JSON.parse(line!)).toMatchObject({ migration: second, oldest: { pid: expect.any(Number) as number } });
  // Behind a migration that waits without a limit, this statement would exceed its timeout.
  await database.pool.query('INSERT INTO a (id) VALUES (1)');
  await reader.release();
  expect(await migrating).toEqual([second]);
  expect((await database.pool.query('SELECT id, b FROM a')).rows).toEqual([{ id: 1, b: null }]);
});

test('one that fails leaves nothing of itself, tells where, keeps those before it, and can be mended', async () => {
  write(first, 'CREATE TABLE a (id int);');
  write(second, '-- Not concurrently.\nCREATE TABLE b (id int);\nINSERT INTO a VALUES (1 / 0);');
  await expect(apply()).rejects.toThrow(
    `Migration ${second} failed, nothing of it was kept: division by zero (SQLSTATE 22012)`,
  );
  expect(await tables()).toEqual(['a']);
  expect(await migrationStatus(options())).toEqual({ pending: [second], edited: [], missing: [], failed: [] });
  write(second, 'CREATE TABLE b (id int);\nCREATE TABLE c (id nothing);');
  await expect(apply()).rejects.toThrow('type "nothing" does not exist (SQLSTATE 42704, line 2)');
  write(second, 'CREATE TABLE b (id int);');
  expect(await apply()).toEqual([second]);
});

test('one that may not be in a transaction is in none; where it fails, nothing is applied before somebody has looked', async () => {
  write(first, 'CREATE TABLE a (id int);');
  write(second, 'CREATE INDEX CONCURRENTLY a_id ON a (id);');
  expect(await apply()).toEqual([first, second]);
  const third = '20260103000000_third';
  write(third, 'CREATE INDEX CONCURRENTLY a_nothing ON a (nothing);');
  await expect(apply()).rejects.toThrow(`Migration ${third} failed, it ran outside a transaction`);
  write('20260104000000_fourth', 'CREATE TABLE b (id int);');
  await expect(apply()).rejects.toThrow(`${third} began and did not finish`);
  await expect(look()).rejects.toThrow(`${third} began and did not finish`);
  expect(await tables()).toEqual(['a']);
});
