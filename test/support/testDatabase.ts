// Creates a database for a test file: a copy of the migrated template, dropped at the end.
import { randomBytes } from 'node:crypto';
import { openDatabase, type Database } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { citusWorkers, dropFromCluster, spreadOverWorkers } from './citusCluster.ts';
import { administer, databaseUrl, templateName } from './testPostgres.ts';

export interface TestDatabase extends Database {
  url: string;
  drop: () => Promise<void>;
}

/** Longer than in the service: on a busy machine, statements and locks that tests hold take seconds. */
const statementTimeoutMillis = 20_000;

/**
 * The database is migrated unless `empty`, and is in the common test server unless `server` names another. If the test
 * server is the coordinator of a Citus cluster, the database is spread over the workers unless `plain`.
 */
export async function createTestDatabase({
  empty = false,
  plain = false,
  log = createLog('silent'),
  server = process.env['TEST_SERVER_URL']!,
} = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, [`CREATE DATABASE ${name} TEMPLATE ${empty ? 'template0' : templateName}`]);
  const isCoordinator = citusWorkers.length > 0 && server === process.env['TEST_SERVER_URL'];
  if (isCoordinator && !empty && !plain) await spreadOverWorkers(server, name);
  const url = databaseUrl(server, name);
  const database = openDatabase({ url, poolSize: 10, statementTimeoutMillis, log });
  const drop = async (): Promise<void> => {
    await database.close();
    if (isCoordinator) await dropFromCluster(server, name);
    else await administer(server, [`DROP DATABASE ${name} WITH (FORCE)`]);
  };
  return { ...database, url, drop };
}
