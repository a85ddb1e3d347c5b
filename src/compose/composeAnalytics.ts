// Chooses the engine of the reads of analytics from the configuration, for the process.
import { access, constants, mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createDatabaseEngine } from '../analytics/engine/databaseEngine.ts';
import type { AnalyticsEngine } from '../analytics/engine/engine.ts';
import { measuredEngine } from '../analytics/engine/measuredEngine.ts';
import { offEngine } from '../analytics/engine/offEngine.ts';
import type { Config } from '../config.ts';
import type { Database } from '../platform/database/database.ts';
import type { Log } from '../platform/observability/log.ts';
import type { Metrics } from '../platform/observability/metrics.ts';

export interface AnalyticsFoundation {
  config: Pick<Config, 'analytics' | 'analyticsDir' | 'analyticsMemoryMib'>;
  database: Pick<Database, 'pool'>;
  log: Log;
}

/** More threads than these would only wait for each other's memory. */
const mostThreads = 4;

export type OpenAnalytics = (metrics: Metrics) => AnalyticsEngine;

/** A copy without a folder would be no reason to refuse uploads: the process warns, and runs without it. */
export async function findAnalytics({ config, database, log }: AnalyticsFoundation): Promise<OpenAnalytics> {
  const { analytics, analyticsMemoryMib: memoryMib } = config;
  if (analytics === 'off') return () => offEngine;
  const connection = database.pool.options;
  if (analytics === 'database') return (metrics) => measuredEngine(createDatabaseEngine({ connection, log }), metrics);
  const dir = path.resolve(config.analyticsDir);
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await access(dir, constants.W_OK);
  } catch (error) {
    log.warn({ err: error, dir }, 'ANALYTICS_DIR cannot be written: the reads of analytics are off');
    return () => offEngine;
  }
  // DuckDB takes 30 MiB: only a process that has a copy loads it.
  const { EmbeddedEngine } = await import('../analytics/engine/embeddedEngine.ts');
  const threads = Math.min(availableParallelism(), mostThreads);
  return (metrics) => new EmbeddedEngine({ connection, dir, memoryMib, threads, log, metrics });
}
