// Spreads a test's database over the workers of a running Citus cluster, as `npm run db:distribute` does.
import { distributeTables } from '../../src/platform/database/citus.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { distributedTables } from '../../src/compose/tablePlacement.ts';
import { eventually } from './eventually.ts';
import { administer, databaseUrl } from './testPostgres.ts';

/** TEST_CITUS_WORKERS names the worker servers, separated by commas; TEST_DATABASE_URL is the coordinator's address. */
export const citusWorkers = (process.env['TEST_CITUS_WORKERS'] ?? '').split(',').filter(Boolean);

/** `name` is a migrated database on the coordinator. */
export async function spreadOverWorkers(coordinator: string, name: string): Promise<void> {
  await makeCluster(coordinator, name);
  await distributeTables(databaseUrl(coordinator, name), distributedTables, createLog('silent'));
}

/** Creates the extension in a database of the same name on every node, and adds the workers to the coordinator. */
export async function makeCluster(coordinator: string, name: string): Promise<void> {
  for (const worker of citusWorkers) {
    await administer(worker, [`CREATE DATABASE ${name}`]);
    await administer(databaseUrl(worker, name), ['CREATE EXTENSION citus']);
  }
  const nodes = citusWorkers.map((worker) => {
    const { hostname, port } = new URL(worker);
    return `SELECT citus_add_node('${hostname}', ${port || 5432})`;
  });
  const { hostname, port } = new URL(coordinator);
  await administer(databaseUrl(coordinator, name), [
    'CREATE EXTENSION citus',
    `SELECT citus_set_coordinator_host('${hostname}', ${port || 5432})`,
    ...nodes,
  ]);
}

/**
 * Drops the database on every node that has it. The extension's daemon may reconnect just before a drop; the drop is
 * then retried.
 */
export async function dropFromCluster(coordinator: string, name: string): Promise<void> {
  for (const node of [coordinator, ...citusWorkers]) {
    const drop = () => administer(node, [`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`]).then(() => 'dropped', String);
    await eventually(drop, (outcome) => outcome === 'dropped');
  }
}
