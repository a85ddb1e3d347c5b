// The job queue's schema: pending until applied, by any number of processes at once, beside a schema without drift.
import { randomBytes } from 'node:crypto';
import { applyJobQueueMigrations, pendingJobQueueMigrations } from '../../src/platform/jobQueue/jobQueueSchema.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { schemaDrift } from '../support/schemaDrift.ts';
import { createTestDatabase } from '../support/testDatabase.ts';
import { administer, databaseUrl } from '../support/testPostgres.ts';

test('a schema of a newer release that this one must not run on is refused when it is applied', async () => {
  const database = await createTestDatabase();
  await administer(database.url, ['INSERT INTO graphile_worker.migrations (id, breaking) VALUES (999999, true)']);
  const { exitCode } = process;
  await expect(applyJobQueueMigrations(database.url)).rejects.toThrow('revision 999999');
  // The library also sets the exit code.
  process.exitCode = exitCode;
  await database.drop();
});

test('is pending in an empty database, and applied once by two at a time', async () => {
  const server = process.env['TEST_SERVER_URL']!;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, [`CREATE DATABASE ${name}`]);
  const url = databaseUrl(server, name);
  const pending = await pendingJobQueueMigrations(url);
  expect(pending[0]).toBe('graphile_worker/000001');
  const applied = await Promise.all([applyJobQueueMigrations(url), applyJobQueueMigrations(url)]);
  expect(applied.flat()).toEqual(pending);
  expect(await pendingJobQueueMigrations(url)).toEqual([]);
  expect(await applyJobQueueMigrations(url)).toEqual([]);
  await administer(server, [`DROP DATABASE ${name} WITH (FORCE)`]);
});

test('does not show in the comparison of our own schema with schema.prisma', async () => {
  const database = await createTestDatabase();
  expect(await schemaDrift({ url: database.url, prismaDir: projectFile('prisma') })).toBe('');
  await database.drop();
});
