// Spreads a test's database over the workers of a running Citus cluster, as `npm run db:distribute` does.
import type { Pool } from 'pg';
import { distributeTables } from '../../src/platform/database/citus.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { distributedTables } from '../../src/compose/tableFacts.ts';
import { eventually } from './eventually.ts';
import { administer, databaseUrl } from './testPostgres.ts';

/** TEST_CITUS_WORKERS names the worker servers, separated by commas; TEST_DATABASE_URL is the coordinator's address. */
export const citusWorkers = (process.env['TEST_CITUS_WORKERS'] ?? '').split(',').filter(Boolean);

/** What system columns and the sizes of tables say, a coordinator does not know. */
export const testOnOneNode = citusWorkers.length > 0 ? test.skip : test;

/** A worker beyond these, which joins in a test. */
const spareWorker = process.env['TEST_CITUS_SPARE_WORKER'];

/** `name` is a migrated database on the coordinator. */
export async function spreadOverWorkers(coordinator: string, name: string): Promise<void> {
  await makeCluster(coordinator, name);
  await distributeTables(databaseUrl(coordinator, name), distributedTables, createLog('silent'));
}

/** Creates the extension in a database of the same name on every node, and adds the workers to the coordinator. */
export async function makeCluster(coordinator: string, name: string): Promise<void> {
  await administer(databaseUrl(coordinator, name), [
    'CREATE EXTENSION citus',
    `SELECT citus_set_coordinator_host(${addressOf(coordinator)})`,
  ]);
  for (const worker of citusWorkers) await addWorker(coordinator, name, worker);
}

async function addWorker(coordinator: string, name: string, worker: string): Promise<void> {
  await administer(worker, [`CREATE DATABASE ${name}`]);
  await administer(databaseUrl(worker, name), ['CREATE EXTENSION citus']);
  // On a busy machine a node gave up the first connection of another.
  const add = () => administer(databaseUrl(coordinator, name), [`SELECT citus_add_node(${addressOf(worker)})`]);
  expect(
    await eventually(
      () => add().then(() => 'added', String),
      (outcome) => outcome === 'added',
    ),
  ).toBe('added');
}

function addressOf(node: string): string {
  const { hostname, port } = new URL(node);
  return `'${hostname}', ${port || 5432}`;
}

/** A further node that takes shards: the spare worker, or the coordinator where no other is. */
export async function joinCluster(coordinator: string, name: string): Promise<void> {
  if (spareWorker) return addWorker(coordinator, name, spareWorker);
  const takeShards = `SELECT citus_set_node_property(${addressOf(coordinator)}, 'shouldhaveshards', true)`;
  await administer(databaseUrl(coordinator, name), [takeShards]);
}

/** The coordinator then reaches the first worker at this port of 127.0.0.1 alone, which is a proxy's. */
export async function reachFirstWorkerThrough(pool: Pool, port: number): Promise<void> {
  await pool.query(`SELECT citus_update_node(nodeid, '127.0.0.1', $1) FROM pg_dist_node WHERE nodeport = $2`, [
    port,
    new URL(citusWorkers[0]!).port || 5432,
  ]);
}

/** A node that did not receive a commit shows nothing of it until the coordinator recovers it, by itself once a minute. */
export async function allDecided(database: string): Promise<boolean> {
  await administer(database, ['SELECT recover_prepared_transactions()']);
  const open = citusWorkers.map((worker) =>
    administer(databaseUrl(worker, new URL(database).pathname.slice(1)), [
      'SELECT gid FROM pg_prepared_xacts WHERE database = current_database()',
    ]),
  );
  return (await Promise.all(open)).every((rows) => rows.length === 0);
}

/**
 * Drops the database on every node that has it. The extension's daemon may reconnect just before a drop; the drop is
 * then retried.
 */
export async function dropFromCluster(coordinator: string, name: string): Promise<void> {
  for (const node of [coordinator, ...citusWorkers, ...(spareWorker ? [spareWorker] : [])]) {
    const drop = () => administer(node, [`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`]).then(() => 'dropped', String);
    await eventually(drop, (outcome) => outcome === 'dropped');
  }
}
