// schema.prisma and the SQL of prisma/migrations must describe one database, and applying the SQL twice must be safe.
import { readdirSync } from 'node:fs';
import { applyMigrations, migrationStatus, pendingMigrations } from '../../src/platform/database/migrations.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { ensureEventPartitions } from '../../src/sessions/upkeep/dropOldEvents.ts';
import { schemaDrift } from '../support/schemaDrift.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

const prismaDir = projectFile('prisma');
const all = readdirSync(projectFile('prisma', 'migrations'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort();

async function using(empty: boolean, work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await createTestDatabase({ empty });
  await work(database).finally(() => database.drop());
}

describe('a migrated database', () => {
  test('is what schema.prisma says, with partitions and without', () =>
    using(false, async ({ url, pool }) => {
      expect(await schemaDrift({ url, prismaDir })).toBe('');
      await ensureEventPartitions(pool);
      expect(await schemaDrift({ url, prismaDir })).toBe('');
    }));

  test.each([
    ['a column more', 'ALTER TABLE devices ADD COLUMN later text', 'later'],
    ['a column that may be null now', 'ALTER TABLE sessions ALTER COLUMN started_at DROP NOT NULL', 'started_at'],
    ['another type', 'ALTER TABLE attribution_reports ALTER COLUMN external_id TYPE varchar(64)', 'external_id'],
    ['an index less', 'DROP INDEX users_email_key', 'users_email_key'],
    ['a value of an enum more', "ALTER TYPE user_role ADD VALUE 'guest'", 'user_role'],
  ])('with %s is told apart from schema.prisma', (_, change, named) =>
    using(false, async ({ url, pool }) => {
      await pool.query(change);
      expect(await schemaDrift({ url, prismaDir })).toMatch(new RegExp(named, 'i'));
    }),
  );

  test('has nothing pending, and migrating it again does nothing', () =>
    using(false, async ({ url, pool }) => {
      expect(await pendingMigrations({ url, prismaDir })).toEqual([]);
      expect(await applyMigrations({ url, prismaDir })).toEqual([]);
      const { rows } = await pool.query<{ migration_name: string }>('SELECT migration_name FROM _prisma_migrations');
      expect(rows.map((row) => row.migration_name).sort()).toEqual(all);
    }));
});

describe('an empty database', () => {
  test('lists every migration as pending, and looking changes nothing', () =>
    using(true, async ({ url, pool }) => {
      expect(await pendingMigrations({ url, prismaDir })).toEqual(all);
      expect(await migrationStatus({ url, prismaDir })).toEqual({ pending: all, edited: [], missing: [], failed: [] });
      const { rows } = await pool.query("SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace");
      expect(rows).toEqual([]);
    }));

  test('is migrated once by several processes that start together, and all of them succeed', () =>
    using(true, async ({ url }) => {
      const applied = await Promise.all([1, 2, 3].map(() => applyMigrations({ url, prismaDir })));
      expect(applied.flat().sort()).toEqual(all);
      expect(await schemaDrift({ url, prismaDir })).toBe('');
    }));
});
