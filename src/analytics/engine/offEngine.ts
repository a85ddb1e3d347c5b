// The engine of a process without analytics (ANALYTICS=off): it refuses each question.
import type { AnalyticsEngine } from './engine.ts';
import { AnalyticsUnavailable } from './engine.ts';
import { postgresDialect } from './postgresDialect.ts';

export const offEngine: AnalyticsEngine = {
  dialect: postgresDialect,
  ask: () => Promise.reject(new AnalyticsUnavailable({ reason: 'off' })),
  close: () => Promise.resolve(),
};
