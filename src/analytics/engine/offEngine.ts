// The engine of a process without analytics: it refuses every question.
import { AnalyticsUnavailable, type AnalyticsEngine } from './engine.ts';
import { postgresDialect } from './postgresDialect.ts';

export function createOffEngine(): AnalyticsEngine {
  return {
    dialect: postgresDialect,
    ask: () => Promise.reject(new AnalyticsUnavailable({ reason: 'off' })),
    close: () => Promise.resolve(),
  };
}
