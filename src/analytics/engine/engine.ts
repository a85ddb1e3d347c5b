// The one interface between the reads of src/analytics and the engine that answers them: the embedded copy or PostgreSQL.
import type { AnalyticsMetrics, QuestionOutcome } from '../../platform/observability/metrics.ts';
import { traced, type Tracing } from '../../platform/observability/tracing/tracing.ts';
import { type Dialect, postgresDialect, type Question } from './dialect.ts';

export interface AnalyticsEngine {
  /** The few expressions that the engines write differently. A read writes the rest of its SQL once. */
  readonly dialect: Dialect;
  /**
   * Throws `AnalyticsUnavailable`, and `QuestionTooLarge` where one question takes more time, memory or rows than it may.
   * The question ends with the signal, which is that of the request.
   */
  ask<Row>(question: Question, signal?: AbortSignal): Promise<Answer<Row>>;
  close(): Promise<void>;
}

export interface Answer<Row> {
  /**
   * Whole numbers and numbers with a fraction are `number`: a read casts what may exceed 2^53, and an exact sum, to text.
   * JSON is its text, a key or UUID a string, an absent value null.
   */
  rows: Row[];
  /** Everything committed before it is in. */
  asOf: Date;
}

/** `progress` is the share of the copy that is built, 0 to 1. `stopped`: the operator has to help. */
export type Unavailability = { reason: 'off' | 'busy' | 'stopped' } | { reason: 'building'; progress: number };

/** A read turns it into the error code `analytics_unavailable`. */
export class AnalyticsUnavailable extends Error {
  readonly details: Unavailability;

  constructor(details: Unavailability) {
    super(`analytics are ${details.reason}`);
    this.name = 'AnalyticsUnavailable';
    this.details = details;
  }
}

/** A read turns it into `validation_failed` at its `input`. */
export class QuestionTooLarge extends Error {
  constructor(options?: ErrorOptions) {
    super('the question takes too long or too much memory; ask for less', options);
    this.name = 'QuestionTooLarge';
  }
}

/**
 * At once on one process: more would only wait for each other's cores. An organization has half of them, because the wait
 * for the end of a question of its own may be longer than another's patience.
 */
export const questionBounds = {
  ...{ atOnce: 4, ofOneOrganization: 2, waiting: 20 },
  ...{ patienceMillis: 5_000, timeoutMillis: 10_000, rows: 200_000 },
};

// Counts and times the questions to an engine, by their outcome.

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

// An engine whose questions are spans of the request that asks them.

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

// The engine of a process without analytics (ANALYTICS=off): it refuses each question.

export const offEngine: AnalyticsEngine = {
  dialect: postgresDialect,
  ask: () => Promise.reject(new AnalyticsUnavailable({ reason: 'off' })),
  close: () => Promise.resolve(),
};
