// Opens the configured database and migrates it, or refuses the start with the command to run.
import path from 'node:path';
import pg, { type Pool } from 'pg';
import type { Config } from '../config.ts';
import { checkConnection, type Database, findDurabilityProblems, openDatabase } from '../platform/database/database.ts';
import { applyMigrations, pendingMigrations } from '../platform/database/migrations.ts';
import { sql } from '../platform/database/sql.ts';
import { applyJobQueueMigrations, pendingJobQueueMigrations } from '../platform/jobQueue/jobQueueSchema.ts';
import type { Log } from '../platform/observability/log.ts';
import { projectFile } from '../platform/projectRoot.ts';
import { ensureEventPartitions } from '../sessions/upkeep/dropOldEvents.ts';

type DatabaseConfig = Pick<
  Config,
  'production' | 'databaseUrl' | 'allowedProduction' | 'dataDir' | 'databasePoolSize' | 'databaseTimeoutMillis'
> &
  Partial<Pick<Config, 'role'>>;

/** Closing it also stops an embedded PostgreSQL that no other process uses. */
export async function openPreparedDatabase(config: DatabaseConfig, log: Log): Promise<Database> {
  const server = await locateServer(config, log);
  try {
    // The embedded one is of development, whatever was restored into it.
    if (!config.production && config.databaseUrl) await refuseProduction(server.url, config.allowedProduction);
    await requireSchema({ url: server.url, production: config.production, log });
    const database = openDatabase({
      url: server.url,
      poolSize: config.databasePoolSize,
      statementTimeoutMillis: config.databaseTimeoutMillis,
      adminAlone: config.role === 'admin',
      log,
    });
    try {
      if (config.production) {
        await requireDurability(database.pool, log);
        await markProduction(database.pool);
      }
      await ensureEventPartitions(database.pool);
    } catch (error) {
      await database.close();
      throw error;
    }
    return { ...database, close: () => database.close().then(server.stop) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The database that DATABASE_URL names, or outside production the embedded one, which is started or joined. */
export async function locateServer(
  { databaseUrl, dataDir }: DatabaseConfig,
  log: Log,
): Promise<{ url: string; stop: () => Promise<void> }> {
  if (databaseUrl !== undefined) {
    await checkConnection(databaseUrl);
    return { url: databaseUrl, stop: async () => {} };
  }
  const { startEmbeddedPostgres } = await import('../development/embeddedPostgres/embeddedPostgres.ts');
  return startEmbeddedPostgres({ dataDir: path.resolve(dataDir), log });
}

/**
 * Without `fsync` or `synchronous_commit` a crash loses acknowledged uploads: the start is refused. Without
 * `full_page_writes` a crash may tear pages, except on file systems that write whole pages. Only the operator knows which
 * kind it is, so that is a warning.
 */
async function requireDurability(pool: Pool, log: Log): Promise<void> {
  const { lost, torn } = await findDurabilityProblems(pool);
  if (torn.length > 0)
    log.warn({ settings: torn }, 'off in PostgreSQL: safe only where the file system tears no pages');
  if (lost.length === 0) return;
  const settings = lost.map((name) => `${name}=off`).join(' and ');
  throw new Error(
    `PostgreSQL runs with ${settings}: a crash would lose acknowledged data. Turn it on before the start.`,
  );
}

async function requireSchema({ url, production, log }: { url: string; production: boolean; log: Log }): Promise<void> {
  const target = { url, prismaDir: projectFile('prisma'), log };
  if (!production) {
    await applyMigrations(target);
    await applyJobQueueMigrations(url);
    return;
  }
  const pending = [...(await pendingMigrations(target)), ...(await pendingJobQueueMigrations(url))];
  if (pending.length > 0) {
    throw new Error(
      `The database lacks ${pending.length} migration(s): ${pending.join(', ')}. Run "npm run db:migrate" first.`,
    );
  }
}

// The mark that a production start leaves in its database, so that no process outside production uses it by mistake.

export async function markProduction(pool: Pool): Promise<void> {
  await pool.query(
    sql`/* compose: markProduction */ INSERT INTO production_mark DEFAULT VALUES ON CONFLICT DO NOTHING`,
  );
}

/**
 * Call it before a process outside production changes anything. `allowed` is ALLOW_PRODUCTION_DATABASE. Throws where the
 * database is marked and has another name.
 */
export async function refuseProduction(url: string, allowed: string | undefined): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // An error of the connection also rejects the query below.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const name = await findMarked(client);
    if (name === null || name === allowed) return;
    throw new Error(
      `DATABASE_URL: a production process uses the database "${name}". Set NODE_ENV=production. To use it outside production all the same, set ALLOW_PRODUCTION_DATABASE to its name.`,
    );
  } finally {
    await client.end();
  }
}

/** The name of the database; null where it has no mark, or is older than marks. */
async function findMarked(client: pg.Client): Promise<string | null> {
  const { rows: tables } = await client.query<{ there: boolean }>(
    sql`/* compose: findMarkTable */ SELECT to_regclass('production_mark') IS NOT NULL AS there`,
  );
  if (!tables[0]!.there) return null;
  const { rows } = await client.query<{ name: string }>(
    sql`/* compose: findMark */ SELECT current_database() AS name FROM production_mark`,
  );
  return rows[0]?.name ?? null;
}
