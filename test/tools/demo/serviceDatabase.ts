// Opens the service's database for reading: the database of DATABASE_URL, or the running embedded one of DATA_DIR.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../../src/config.ts';
import { startEmbeddedPostgres } from '../../../src/development/embeddedPostgres/embeddedPostgres.ts';
import { placeIn } from '../../../src/development/embeddedPostgres/postgresCluster.ts';
import { openDatabase, type Database } from '../../../src/platform/database/database.ts';
import { createLog } from '../../../src/platform/observability/log.ts';

/** Closes the database after `work`, because the embedded server may restart on another port during the run. */
export async function withDatabase<Result>(
  config: Config,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const log = createLog('warn');
  const embedded = config.databaseUrl === undefined ? await joinEmbedded(config.dataDir, log) : null;
  const url = config.databaseUrl ?? embedded!.url;
  const database = openDatabase({ url, poolSize: 4, statementTimeoutMillis: 30_000, log });
  try {
    return await work(database);
  } finally {
    await database.close();
    await embedded?.stop();
  }
}

async function joinEmbedded(dataDir: string, log: ReturnType<typeof createLog>) {
  if (!existsSync(placeIn(path.resolve(dataDir)).cluster)) {
    throw new Error(
      `There is no database in DATA_DIR (${path.resolve(dataDir)}). Run the demo with the same DATA_DIR or DATABASE_URL as the service.`,
    );
  }
  return startEmbeddedPostgres({ dataDir, log });
}
