// Counts and times the questions to an engine, by their outcome.
import type { AnalyticsMetrics, QuestionOutcome } from '../../platform/observability/analyticsMetrics.ts';
import { AnalyticsUnavailable, QuestionTooLarge, type AnalyticsEngine } from './engine.ts';

type QuestionMetrics = Pick<AnalyticsMetrics, 'questionEnded'>;

export function measuredEngine(engine: AnalyticsEngine, metrics: QuestionMetrics): AnalyticsEngine {
  return {
    dialect: engine.dialect,
    ask: (question, signal) => measureQuestion(() => engine.ask(question, signal), { metrics, signal }),
    close: () => engine.close(),
  };
}

interface Measured {
  metrics: QuestionMetrics;
  signal: AbortSignal | undefined;
}

export async function measureQuestion<Found>(ask: () => Promise<Found>, { metrics, signal }: Measured): Promise<Found> {
  const begun = performance.now();
  const ended = (outcome: QuestionOutcome): void => metrics.questionEnded(outcome, performance.now() - begun);
  try {
    const found = await ask();
    ended('answered');
    return found;
  } catch (error) {
    ended(signal?.aborted && !(error instanceof QuestionTooLarge) ? 'cancelled' : outcomeOf(error));
    throw error;
  }
}

function outcomeOf(error: unknown): QuestionOutcome {
  if (error instanceof QuestionTooLarge) return 'too_large';
  if (!(error instanceof AnalyticsUnavailable)) return 'failed';
  return error.details.reason === 'busy' ? 'busy' : 'building';
}
