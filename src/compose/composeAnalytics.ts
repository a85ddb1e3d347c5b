// Opens the engine that answers the reads of src/analytics, as the setting ANALYTICS says.
import { createDatabaseEngine } from '../analytics/engine/databaseEngine.ts';
import type { AnalyticsEngine } from '../analytics/engine/engine.ts';
import { offEngine } from '../analytics/engine/offEngine.ts';
import type { Config } from '../config.ts';
import type { Database } from '../platform/database/database.ts';
import type { Log } from '../platform/observability/log.ts';

export interface AnalyticsFoundation {
  config: Pick<Config, 'analytics'>;
  database: Pick<Database, 'pool'>;
  log: Log;
}

export function composeAnalytics({ config, database, log }: AnalyticsFoundation): AnalyticsEngine {
  if (config.analytics === 'off') return offEngine;
  return createDatabaseEngine({ connection: database.pool.options, log });
}
