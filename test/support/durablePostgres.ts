// A PostgreSQL as durable as in production, whose settings can be changed; the tests' common server may lose commits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../src/development/embeddedPostgres/embeddedPostgres.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { eventually } from './eventually.ts';
import { createTestDatabase, type TestDatabase } from './testDatabase.ts';
import { administer } from './testPostgres.ts';

export interface DurablePostgres {
  url: string;
  /** The settings apply to new connections. */
  set(settings: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
}

export async function startDurablePostgres(): Promise<DurablePostgres> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-durable-'));
  const server = await startEmbeddedPostgres({ dataDir, log: createLog('warn') });
  return {
    url: server.url,
    async set(settings) {
      const changes = Object.entries(settings).map(([name, value]) => `ALTER SYSTEM SET ${name} = '${value}'`);
      const loaded = () => administer(server.url, ['SELECT pg_conf_load_time()::text AS at']);
      const before = JSON.stringify(await loaded());
      await administer(server.url, [...changes, 'SELECT pg_reload_conf()']);
      // The postmaster reloads its file a moment after the signal.
      await eventually(loaded, (rows) => JSON.stringify(rows) !== before);
    },
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** On a durable server of its own, which stops when the database is dropped. */
export interface DurableDatabase extends TestDatabase {
  set: DurablePostgres['set'];
}

/** Empty. */
export async function createDurableDatabase(): Promise<DurableDatabase> {
  const server = await startDurablePostgres();
  const database = await createTestDatabase({ empty: true, server: server.url });
  const drop = async (): Promise<void> => {
    await database.drop();
    await server.stop();
  };
  return { ...database, set: server.set, drop };
}
