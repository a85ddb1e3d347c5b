// An engine whose questions are spans of the request that asks them.
import { traced, type Tracing } from '../../platform/observability/tracing/tracing.ts';
import type { AnalyticsEngine } from './engine.ts';

/** The span begins before the question waits for its turn. */
export function tracedEngine(engine: AnalyticsEngine, tracing: Tracing): AnalyticsEngine {
  return {
    get dialect() {
      return engine.dialect;
    },
    ask(question, signal) {
      const parent = tracing.current();
      if (!parent) return engine.ask(question, signal);
      const start = { name: `question ${question.name}`, kind: 'internal', parent } as const;
      return traced(tracing, start, () => engine.ask(question, signal));
    },
    close: () => engine.close(),
  };
}
