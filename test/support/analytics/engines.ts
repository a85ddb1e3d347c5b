// The engines that a read is asked on in its tests: each with the rows that PostgreSQL has.
import type { AnalyticsEngine } from '../../../src/analytics/engine/engine.ts';
import { createDatabaseEngine } from '../../../src/analytics/engine/databaseEngine.ts';
import { createLog } from '../../../src/platform/observability/log.ts';

export interface TestEngine {
  name: 'database' | 'embedded';
  engine: AnalyticsEngine;
  /** Its type of JSON values. */
  json: 'jsonb' | 'json';
  /** Resolves when whatever is stored in PostgreSQL is in. */
  follow(): Promise<void>;
}

/** The caller closes each. */
export function openEngines({ url }: { url: string }): TestEngine[] {
  const engine = createDatabaseEngine({ connection: { connectionString: url }, log: createLog('silent') });
  return [{ name: 'database', engine, json: 'jsonb', follow: () => Promise.resolve() }];
}
