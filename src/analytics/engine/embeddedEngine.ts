// The engine over the copy in this process: few questions at once, each within its time and memory.
import type { AnalyticsMetrics } from '../../platform/observability/analyticsMetrics.ts';
import { createLimiter, type InTurn } from '../../platform/turns.ts';
import { AnalyticsCopy } from '../copy/analyticsCopy.ts';
import type { CopyOptions } from '../copy/copyOptions.ts';
import { DuckError } from '../copy/duck.ts';
import { isCertainDamage } from '../copy/trouble.ts';
import { duckDialect } from './duckDialect.ts';
import { AnalyticsUnavailable, questionBounds, type AnalyticsEngine, type Answer } from './engine.ts';
import { measureQuestion } from './measuredEngine.ts';
import type { Question } from './question.ts';
import { runQuestion } from './questionRun.ts';

export class EmbeddedEngine implements AnalyticsEngine {
  readonly dialect = duckDialect;
  readonly copy: AnalyticsCopy;
  readonly #metrics: AnalyticsMetrics;
  readonly #bounds: typeof questionBounds;
  readonly #inTurn: InTurn;
  /** The questions that run now. */
  readonly #runs = new Set<{ alone: boolean }>();

  constructor(options: CopyOptions, bounds = questionBounds) {
    this.copy = new AnalyticsCopy(options);
    this.#metrics = options.metrics;
    this.#bounds = bounds;
    const { atOnce, ofOneOrganization: ofOneLane, waiting: longestQueue, patienceMillis } = bounds;
    const refusal = () => new AnalyticsUnavailable({ reason: 'busy' });
    this.#inTurn = createLimiter({ atOnce, ofOneLane, longestQueue, patienceMillis, refusal });
  }

  ask<Row>(question: Question, signal?: AbortSignal): Promise<Answer<Row>> {
    const ask = async (): Promise<Answer<Row>> => {
      // Before it waits: while there is no copy, a turn would only end in the same refusal.
      this.#serving();
      return this.#inTurn(() => this.#run<Row>(question, signal));
    };
    return measureQuestion(ask, { metrics: this.#metrics, signal });
  }

  close(): Promise<void> {
    return this.copy.stop();
  }

  /** What is in now, and a moment before the question reads it: `asOf` never says more than the rows have. */
  #serving() {
    const { serving, progress, stopped } = this.copy;
    if (serving) return serving;
    if (stopped) throw new AnalyticsUnavailable({ reason: 'stopped' });
    throw new AnalyticsUnavailable({ reason: 'building', progress });
  }

  async #run<Row>(question: Question, signal: AbortSignal | undefined): Promise<Answer<Row>> {
    const serving = this.#serving();
    const { timeoutMillis, rows: most } = this.#bounds;
    const run = this.#begin();
    try {
      const bounds = { timeoutMillis, rows: most, signal, alone: () => run.alone };
      const rows = await runQuestion(serving, question, bounds).catch((error: unknown) => {
        // The copy was written anew, and another file took its place before the question had begun.
        const now = this.copy.serving;
        if (!now || now.catalog === serving.catalog || !(error instanceof DuckError)) throw error;
        return runQuestion(now, question, bounds);
      });
      return { rows: rows as Row[], asOf: new Date(Number(serving.asOf / 1_000n)) };
    } catch (error) {
      this.copy.questionFailed(error);
      if (isCertainDamage(error)) throw new AnalyticsUnavailable({ reason: 'building', progress: 0 });
      // The file was closed under it: the copy is stopped, or opens anew.
      if (!this.copy.serving && !signal?.aborted) this.#serving();
      throw error;
    } finally {
      this.#runs.delete(run);
    }
  }

  #begin(): { alone: boolean } {
    const run = { alone: this.#runs.size === 0 };
    for (const other of this.#runs) other.alone = false;
    this.#runs.add(run);
    return run;
  }
}
