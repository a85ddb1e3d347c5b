// Our migrations and Prisma's schema engine agree: each accepts, and continues, what the other has applied and recorded.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  applyMigrations,
  migrationLock,
  migrationStatus,
  type MigrationStatus,
  pendingMigrations,
} from '../../src/platform/database/migrations.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { engineApplies, engineStatus, migrationNames } from '../support/engineMigrations.ts';
import { holdLock } from '../support/heldLock.ts';
import { schemaDrift } from '../support/schemaDrift.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

const nothing: MigrationStatus = { pending: [], edited: [], missing: [], failed: [] };
const all = migrationNames(projectFile('prisma'));

let database: TestDatabase;
let prismaDir: string;
beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
  prismaDir = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-migrations-'));
  copyOf('migration_lock.toml');
});
afterEach(async () => {
  await database.drop();
  rmSync(prismaDir, { recursive: true });
});

const target = () => ({ url: database.url, prismaDir });
const folder = (name: string) => path.join(prismaDir, 'migrations', name);
function copyOf(...names: string[]): void {
  for (const name of names) cpSync(projectFile('prisma', 'migrations', name), folder(name), { recursive: true });
}
function write(name: string, sql: string): void {
  mkdirSync(folder(name), { recursive: true });
  writeFileSync(path.join(folder(name), 'migration.sql'), sql);
}
const drift = () => schemaDrift({ url: database.url, prismaDir: projectFile('prisma') });

async function recorded(): Promise<{ rows: unknown[]; columns: unknown[] }> {
  const { rows } = await database.pool.query(
    `SELECT migration_name, checksum, logs, rolled_back_at, applied_steps_count, length(id) AS id_length,
      finished_at >= started_at AS in_order FROM _prisma_migrations ORDER BY started_at`,
  );
  const columns = await database.pool.query(
    `SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
      FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`,
  );
  return { rows, columns: columns.rows };
}

describe('the migrations of prisma/', () => {
  test('applied by us: the engine finds nothing to apply, nothing edited, nothing failed and no drift', async () => {
    copyOf(...all);
    expect(await applyMigrations(target())).toEqual(all);
    expect(await engineStatus(target())).toEqual(nothing);
    expect(await drift()).toBe('');
    expect(await engineApplies(target())).toEqual([]);
  });

  test('applied by the engine: we find nothing to apply', async () => {
    copyOf(...all);
    expect(await engineApplies(target())).toEqual(all);
    expect(await migrationStatus(target())).toEqual(nothing);
    expect(await pendingMigrations(target())).toEqual([]);
    expect(await applyMigrations(target())).toEqual([]);
  });

  test('recorded by us or by the engine: the table and its rows are the same, but for ids and times', async () => {
    copyOf(...all);
    await engineApplies(target());
    const theirs = await recorded();
    await database.pool.query('DROP SCHEMA public CASCADE');
    await database.pool.query('CREATE SCHEMA public');
    await applyMigrations(target());
    expect(await recorded()).toEqual(theirs);
    expect(theirs.rows[0]).toMatchObject({ in_order: true, applied_steps_count: 1, id_length: 36 });
  });

  test.each([
    { by: 'the engine', begin: engineApplies, rest: 'us', goOn: applyMigrations },
    { by: 'us', begin: applyMigrations, rest: 'the engine', goOn: engineApplies },
  ])('half of them applied by $by, the rest by $rest', async ({ begin, goOn }) => {
    const half = Math.floor(all.length / 2);
    copyOf(...all.slice(0, half));
    expect(await begin(target())).toEqual(all.slice(0, half));
    copyOf(...all.slice(half));
    expect(await goOn(target())).toEqual(all.slice(half));
    expect(await engineStatus(target())).toEqual(nothing);
    expect(await migrationStatus(target())).toEqual(nothing);
    expect(await drift()).toBe('');
  });
});

test.each([
  ['we wait', applyMigrations],
  ['the engine waits', engineApplies],
])('%s for the same advisory lock', async (_, apply) => {
  copyOf(...all);
  const held = await holdLock(database.pool, 'SELECT pg_advisory_xact_lock($1)', String(migrationLock));
  const applying = apply(target());
  await held.waiting(1);
  await held.release();
  expect(await applying).toEqual(all);
});

describe('a history', () => {
  const [a, b, c, d] = ['20260101000000_a', '20260102000000_b', '20260103000000_c', '20260104000000_d'] as const;
  const sqlOfA = 'CREATE TABLE a (id int);\nSELECT 1;\n';
  beforeEach(async () => {
    write(a, sqlOfA);
    write(b, 'CREATE TABLE b (id int); -- ä');
    write(c, '');
    await applyMigrations(target());
  });
  const run = (sql: string) => () => database.pool.query(sql);
  const change = (name: string, assignments: string) =>
    run(`UPDATE _prisma_migrations SET ${assignments} WHERE migration_name = '${name}'`);
  const addUnfinished = (name: string, rolledBackAt: string) =>
    run(`INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, rolled_back_at)
      VALUES ('x', 'other', '${name}', '2026-01-01', ${rolledBackAt})`);

  test.each<[string, () => unknown, Partial<MigrationStatus>]>([
    ['in which nothing is wrong', () => undefined, {}],
    ['with a new one at the end', () => write(d, 'SELECT 1'), { pending: [d] }],
    ['with a new one between', () => write(`${a}_later`, 'SELECT 1'), { pending: [`${a}_later`] }],
    ['with an edited one', () => write(a, `${sqlOfA}-- More.`), { edited: [a] }],
    ['with other line ends', () => write(a, sqlOfA.replaceAll('\n', '\r\n')), {}],
    ['with a byte order mark more', () => write(a, `\ufeff${sqlOfA}`), { edited: [a] }],
    ['that lacks a file', () => rmSync(folder(c), { recursive: true }), { missing: [c] }],
    ['that lacks a row', run(`DELETE FROM _prisma_migrations WHERE migration_name = '${b}'`), { pending: [b] }],
    ['with an unfinished one', change(b, 'finished_at = NULL'), { failed: [b] }],
    ['with an unfinished and edited one', change(b, "finished_at = NULL, checksum = ''"), { edited: [b], failed: [b] }],
    ['with one rolled back', change(b, 'finished_at = NULL, rolled_back_at = now()'), { pending: [b] }],
    ['with one rolled back, then applied', addUnfinished(b, 'now()'), {}],
    ['with one unfinished, then applied', addUnfinished(b, 'NULL'), { edited: [b], failed: [b] }],
    ['with one rolled back that lacks a file', addUnfinished(d, 'now()'), {}],
    ['without its table', run('DROP TABLE _prisma_migrations'), { pending: [a, b, c] }],
  ])('%s is the same to us and to the engine', async (_, upset, expected) => {
    await upset();
    const [ours, theirs] = [await migrationStatus(target()), await engineStatus(target())];
    expect(theirs).toEqual({ ...nothing, ...expected });
    expect(ours).toEqual(theirs);
  });

  test('with one that we did not finish is refused by the engine too, and its row has our reason', async () => {
    write(d, 'CREATE INDEX CONCURRENTLY a_nothing ON a (nothing);');
    await expect(applyMigrations(target())).rejects.toThrow(`Migration ${d} failed`);
    const { rows } = await database.pool.query(
      `SELECT logs, finished_at, applied_steps_count FROM _prisma_migrations WHERE migration_name = '${d}'`,
    );
    const logs = 'column "nothing" does not exist (SQLSTATE 42703)';
    expect(rows).toEqual([{ logs, finished_at: null, applied_steps_count: 0 }]);
    await expect(engineApplies(target())).rejects.toThrow(`The \`${d}\` migration started at`);
  });

  test('is begun by neither in a database that holds tables of somebody else', async () => {
    await database.pool.query('DROP TABLE _prisma_migrations');
    await expect(engineApplies(target())).rejects.toThrow('The database schema is not empty');
    await expect(applyMigrations(target())).rejects.toThrow('The database schema is not empty');
  });
});
