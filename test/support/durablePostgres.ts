// A PostgreSQL as durable as in production, whose settings can be changed; the tests' common server may lose commits.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../src/development/embeddedPostgres/embeddedPostgres.ts';
import { createLog } from '../../src/platform/observability/log.ts';
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
      await administer(server.url, [...changes, 'SELECT pg_reload_conf()']);
      // The postmaster reloads its file a moment after the signal.
      await pause(500);
    },
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
