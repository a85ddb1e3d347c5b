// The engines that a read is asked on in its tests: each with the rows that PostgreSQL has.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Registry } from 'prom-client';
import type { AnalyticsEngine } from '../../../src/analytics/engine/engine.ts';
import { createDatabaseEngine } from '../../../src/analytics/engine/databaseEngine.ts';
import { EmbeddedEngine } from '../../../src/analytics/engine/embeddedEngine.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { analyticsMetrics } from '../../../src/platform/observability/metrics.ts';

export interface TestEngine {
  name: 'database' | 'embedded';
  engine: AnalyticsEngine;
  /** Its type of JSON values. */
  json: 'jsonb' | 'json';
  /** Resolves when whatever is committed in PostgreSQL, and named in its log of changes, is in. No question before it. */
  follow(): Promise<void>;
}

/** The caller closes each. */
export function openEngines({ url }: { url: string }): TestEngine[] {
  const connection = { connectionString: url };
  const database = createDatabaseEngine({ connection, log: createLog('silent') });
  const { engine, follow } = openEmbedded(connection);
  return [
    { name: 'database', engine: database, json: 'jsonb', follow: () => Promise.resolve() },
    { name: 'embedded', engine, json: 'json', follow },
  ];
}

/** Its folder goes with it. */
function openEmbedded(connection: { connectionString: string }): Pick<TestEngine, 'engine' | 'follow'> {
  const dir = mkdtempSync(path.join(tmpdir(), 'analytics-'));
  const bounds = { memoryMib: 128, threads: 1, pollMillis: 5 };
  const log = createLog('silent');
  const embedded = new EmbeddedEngine({ connection, dir, ...bounds, log, metrics: analyticsMetrics([new Registry()]) });
  const engine: AnalyticsEngine = {
    dialect: embedded.dialect,
    ask: (asked, signal) => embedded.ask(asked, signal),
    async close() {
      await embedded.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
  return { engine, follow: () => embedded.copy.followed() };
}
