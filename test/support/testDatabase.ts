// A database of its own for a test file: a copy of the migrated template, dropped at the end.
import { randomBytes } from 'node:crypto';
import { openDatabase, type Database } from '../../src/platform/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { administer, databaseUrl, templateName } from './testPostgres.ts';

export interface TestDatabase extends Database {
  url: string;
  drop: () => Promise<void>;
}

/** Migrated, unless it is to be empty; in the server of all tests, unless another one is named. */
export async function createTestDatabase({
  empty = false,
  log = createLog('silent'),
  server = process.env['TEST_SERVER_URL']!,
} = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, [`CREATE DATABASE ${name} TEMPLATE ${empty ? 'template0' : templateName}`]);
  const url = databaseUrl(server, name);
  const database = openDatabase({ url, poolSize: 5, statementTimeoutMillis: 4_000, log });
  const drop = async (): Promise<void> => {
    await database.close();
    await administer(server, [`DROP DATABASE ${name} WITH (FORCE)`]);
  };
  return { ...database, url, drop };
}
