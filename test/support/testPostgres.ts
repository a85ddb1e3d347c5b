// Starts the one PostgreSQL of a test run with the template database; workers read its address from the environment.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { applyMigrations } from '../../src/platform/database/migrations.ts';
import { startEmbeddedPostgres } from '../../src/development/embeddedPostgres/embeddedPostgres.ts';
import { applyJobQueueMigrations } from '../../src/platform/jobQueue/jobQueueSchema.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';

export const templateName = 'template_migrated';

/** TEST_DATABASE_URL names a server that replaces the embedded one; tests create and drop databases in it. */
export async function startTestPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return { url: await prepareTemplate(given), stop: async () => {} };
  const dataDir = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-test-'));
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' };
  const server = await startEmbeddedPostgres({ dataDir, log: createLog('warn'), settings });
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    return { url: await prepareTemplate(server.url), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function prepareTemplate(serverUrl: string): Promise<string> {
  await administer(serverUrl, [`DROP DATABASE IF EXISTS ${templateName}`, `CREATE DATABASE ${templateName}`]);
  await applyMigrations({ url: databaseUrl(serverUrl, templateName), prismaDir: projectFile('prisma') });
  await applyJobQueueMigrations(databaseUrl(serverUrl, templateName));
  return serverUrl;
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** On a connection of its own. Resolves to the rows of all statements. */
export async function administer(serverUrl: string, statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const rows: unknown[] = [];
    for (const statement of statements) rows.push(...(await client.query<object>(statement)).rows);
    return rows;
  } finally {
    await client.end();
  }
}
