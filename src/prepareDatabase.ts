// From a configuration to an open database that is migrated, or a refusal to start that says what to run.
import path from 'node:path';
import type { Config } from './config.ts';
import { openDatabase, type Database } from './platform/database.ts';
import { startEmbeddedPostgres } from './platform/embeddedPostgres.ts';
import { applyJobQueueMigrations, pendingJobQueueMigrations } from './platform/jobQueueSchema.ts';
import type { Log } from './platform/log.ts';
import { applyMigrations, pendingMigrations } from './platform/migrations.ts';
import { projectFile } from './platform/projectRoot.ts';
import { ensureEventPartitions } from './sessions/housekeepingStore.ts';

type DatabaseConfig = Pick<
  Config,
  'production' | 'databaseUrl' | 'dataDir' | 'databasePoolSize' | 'databaseTimeoutMillis'
>;

/** Closing it also stops an embedded PostgreSQL that nobody else uses. */
export async function openPreparedDatabase(config: DatabaseConfig, log: Log): Promise<Database> {
  const server = await locateServer(config, log);
  try {
    await requireSchema({ url: server.url, production: config.production, log });
    const database = openDatabase({
      url: server.url,
      poolSize: config.databasePoolSize,
      statementTimeoutMillis: config.databaseTimeoutMillis,
      log,
    });
    await ensureEventPartitions(database.pool);
    return { ...database, close: () => database.close().then(server.stop) };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The database named by DATABASE_URL, or outside production an embedded one, which is started or joined. */
export async function locateServer(
  { databaseUrl, dataDir }: DatabaseConfig,
  log: Log,
): Promise<{ url: string; stop: () => Promise<void> }> {
  if (databaseUrl !== undefined) return { url: databaseUrl, stop: async () => {} };
  return startEmbeddedPostgres({ dataDir: path.resolve(dataDir), log });
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
