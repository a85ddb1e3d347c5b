// Distributes the tables of a migrated database over the workers of its Citus cluster.
import pg from 'pg';
import { sql } from './sql.ts';
import type { Log } from '../observability/log.ts';
import { migrationLock, withoutLimits } from './migrations.ts';

export interface DistributedTable {
  name: string;
  /** The column whose hash chooses a row's shard. */
  column: string;
  /** Another distributed table: rows with the same hash lie on the same node. */
  colocateWith: string | null;
}

/**
 * Gives the names of the tables that this call distributed, with their rows. Uploads to a table wait meanwhile. Each table
 * is its own transaction, so the next call finishes an interrupted one. Throws with advice when the database is not a
 * coordinator with workers, or lacks a table.
 */
export async function distributeTables(url: string, tables: DistributedTable[], log: Log): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(withoutLimits);
    // The lock is held until the connection ends, so that no migration runs meanwhile.
    await client.query(sql`/* citus: lock */ SELECT pg_advisory_lock(${migrationLock})`);
    const nodes = await requireCluster(client);
    await requireTables(client, tables);
    await keepConnections(client);
    const shards = (await isSet(client, 'citus.shard_count')) ? null : nodes * shardsOfNode;
    const distributed: string[] = [];
    for (const table of tables) {
      if (await distribute(client, table, shards)) distributed.push(table.name);
      if (await removeLocalRows(client, table.name)) log.info({ table: table.name }, 'its rows are on the workers');
    }
    return distributed;
  } finally {
    await client.end();
  }
}

/**
 * A batch of uploads takes a connection for each shard that it touches. With four shards on each of two workers it was
 * seven times as fast as with the default of 32 in all and one connection kept
 * (docs/operating/cluster.md, "Shards and connections").
 */
const shardsOfNode = 4;

/** Whether an operator has set it. Such a setting stays. */
async function isSet(client: pg.Client, setting: string): Promise<boolean> {
  const statement = sql`/* citus: findSetting */ SELECT source FROM pg_settings WHERE name = ${setting}`;
  const { rows } = await client.query<{ source: string }>(statement);
  return rows.some(({ source }) => source !== 'default');
}

/** Takes effect for new connections to this database. */
async function keepConnections(client: pg.Client): Promise<void> {
  const setting = 'citus.max_cached_conns_per_worker';
  if (await isSet(client, setting)) return;
  const database = pg.escapeIdentifier(client.database!);
  await client.query(`/* citus: keepConnections */ ALTER DATABASE ${database} SET ${setting} = ${shardsOfNode}`);
}

/** The number of nodes that hold shards. */
async function requireCluster(client: pg.Client): Promise<number> {
  const { rows: found } = await client.query<{ present: boolean }>(
    "/* citus: findExtension */ SELECT to_regclass('pg_dist_partition') IS NOT NULL AS present",
  );
  if (!found[0]!.present) {
    throw new Error(
      'The extension "citus" is missing in this database. Install Citus on every node, put citus into ' +
        'shared_preload_libraries, run CREATE EXTENSION citus in this database on every node, and add the workers ' +
        'with SELECT citus_add_node(host, port) on the coordinator. docs/operating/cluster.md has the steps.',
    );
  }
  const { rows } = await client.query<{ coordinator: boolean; nodes: number }>(
    `/* citus: findNodes */
      SELECT (SELECT groupid = 0 FROM pg_dist_local_group) AS coordinator,
        (SELECT count(*)::integer FROM pg_dist_node
          WHERE isactive AND shouldhaveshards AND noderole = 'primary') AS nodes`,
  );
  if (!rows[0]!.coordinator) throw new Error('This database is a worker: DATABASE_URL must name the coordinator.');
  if (rows[0]!.nodes === 0) {
    throw new Error('No node takes shards yet: add the workers with SELECT citus_add_node(host, port) first.');
  }
  return rows[0]!.nodes;
}

async function requireTables(client: pg.Client, tables: DistributedTable[]): Promise<void> {
  const names = tables.map(({ name }) => name);
  const statement = sql`/* citus: findMissingTables */
    SELECT name FROM unnest(${names}::text[]) AS t (name) WHERE to_regclass(name) IS NULL`;
  const { rows } = await client.query<{ name: string }>(statement);
  if (rows.length === 0) return;
  throw new Error(`The database lacks ${rows.map(({ name }) => name).join(', ')}. Run "npm run db:migrate" first.`);
}

/** False when the table is distributed already. `shards` null means the cluster's setting. */
async function distribute(client: pg.Client, table: DistributedTable, shards: number | null): Promise<boolean> {
  const { name, column, colocateWith } = table;
  const { rowCount } = await client.query(sql`/* citus: findDistributed */
    SELECT 1 FROM pg_dist_partition WHERE logicalrelid = ${name}::regclass`);
  if (rowCount !== 0) return false;
  // Beside another table it has as many shards as that one.
  const count = colocateWith === null ? shards : null;
  await client.query(sql`/* citus: distribute */
    SELECT create_distributed_table(${name}::regclass, ${column}::text, colocate_with => ${colocateWith ?? 'none'}::text,
      shard_count => ${count}::integer)`);
  return true;
}

/** Removes the copied rows from the coordinator's disk, where nothing reads them. */
async function removeLocalRows(client: pg.Client, name: string): Promise<boolean> {
  const statement = sql`/* citus: localSize */
    SELECT (SELECT coalesce(sum(pg_relation_size(relid)), 0) FROM pg_partition_tree(${name}::regclass))
      + pg_relation_size(${name}::regclass) AS bytes`;
  const { rows } = await client.query<{ bytes: string }>(statement);
  if (Number(rows[0]!.bytes) === 0) return false;
  await client.query(sql`/* citus: removeLocalRows */
    SELECT truncate_local_data_after_distributing_table(${name}::regclass)`);
  return true;
}
