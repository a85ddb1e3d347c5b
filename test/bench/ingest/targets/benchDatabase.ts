// The PostgreSQL of a benchmark: a server of its own in a temporary folder, durable as in production, and databases in it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { openDatabase } from '../../../../src/platform/database/database.ts';
import { applyMigrations } from '../../../../src/platform/database/migrations.ts';
import { startEmbeddedPostgres } from '../../../../src/development/embeddedPostgres/embeddedPostgres.ts';
import { createEncryption } from '../../../../src/platform/encryption.ts';
import { applyJobQueueMigrations } from '../../../../src/platform/jobQueue/jobQueueSchema.ts';
import { createLog } from '../../../../src/platform/observability/log.ts';
import { projectFile } from '../../../../src/platform/projectRoot.ts';
import { ensureEventPartitions } from '../../../../src/sessions/upkeep/dropOldEvents.ts';
import { testKey } from '../../../support/keys.ts';
import { administer, databaseUrl } from '../../../support/testPostgres.ts';
import { createApplication, type TestApplication } from '../../../support/testWorkspace.ts';

export const encryptionKey = testKey('encryption');

export interface BenchServer {
  url: string;
  /** The postmaster's process id. */
  pid: number;
  /** Every database is a copy of a migrated database that contains this application. */
  application: TestApplication;
  createDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** In pages of PostgreSQL, eight KiB each. */
const sharedPages = 65_536;
/** Durability is PostgreSQL's default; memory is that of a small real server. */
const settings = {
  shared_buffers: `${sharedPages * 8}kB`,
  max_wal_size: '4GB',
  // Three processes of each target at once, with a pool each.
  max_connections: '400',
  // Autovacuum of one target's rows would run during another target's phase, and take a quarter of a core.
  autovacuum: 'off',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
};
const template = 'bench_template';

export async function startBenchServer(): Promise<BenchServer> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, log: createLog('warn'), settings });
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const pid = Number.parseInt(readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
    await useSharedMemory(server.url);
    const application = await prepareTemplate(server.url);
    return { url: server.url, pid, application, createDatabase: (name) => createDatabase(server.url, name), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Touches all shared memory once, as a server has after an hour. The kernel clears each page on its first use. That
 * took a seventh of PostgreSQL's time for P and almost none for C, because a long COPY uses only a few pages.
 */
async function useSharedMemory(serverUrl: string): Promise<void> {
  // One row fills a page.
  const fill = `INSERT INTO filling SELECT repeat('x', 8000) FROM generate_series(1, ${sharedPages})`;
  const table = 'CREATE UNLOGGED TABLE filling (page text STORAGE plain)';
  await administer(serverUrl, [table, fill, 'DROP TABLE filling']);
}

async function prepareTemplate(serverUrl: string): Promise<TestApplication> {
  await administer(serverUrl, ['CREATE EXTENSION pg_stat_statements', `CREATE DATABASE ${template}`]);
  const url = databaseUrl(serverUrl, template);
  await applyMigrations({ url, prismaDir: projectFile('prisma') });
  await applyJobQueueMigrations(url);
  const database = openDatabase({ url, poolSize: 1, statementTimeoutMillis: 10_000, log: createLog('warn') });
  try {
    await ensureEventPartitions(database.pool);
    return await createApplication(database.prisma, createEncryption(encryptionKey));
  } finally {
    await database.close();
  }
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  await administer(serverUrl, [`CREATE DATABASE ${name} TEMPLATE ${template}`]);
  return databaseUrl(serverUrl, name);
}

/** Runs `work` on a connection of its own. */
export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
