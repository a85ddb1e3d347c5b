// The engine over the copy in this process: few questions at once, each within its time and memory.
import {
  DuckDBDecimalValue,
  type DuckDBPreparedStatement,
  type DuckDBResultReader,
  type DuckDBValue,
} from '@duckdb/node-api';
import { createLimiter, type Limiter } from '../../platform/concurrencyLimiter.ts';
import type { AnalyticsMetrics } from '../../platform/observability/metrics.ts';
import { AnalyticsCopy, type CopyOptions, isCertainDamage } from '../copy/analyticsCopy.ts';
import type { Serving } from '../copy/copyFile.ts';
import { DuckError, finished } from '../copy/duck.ts';
import { duckDialect, type Question, type QuestionValue } from './dialect.ts';
import {
  type AnalyticsEngine,
  AnalyticsUnavailable,
  type Answer,
  measureQuestion,
  questionBounds,
  QuestionTooLarge,
} from './engine.ts';

export class EmbeddedEngine implements AnalyticsEngine {
  readonly dialect = duckDialect;
  readonly copy: AnalyticsCopy;
  readonly #metrics: AnalyticsMetrics;
  readonly #bounds: typeof questionBounds;
  readonly #limiter: Limiter;
  /** The questions that run now. */
  readonly #runs = new Set<{ alone: boolean }>();

  constructor(options: CopyOptions, bounds = questionBounds) {
    this.copy = new AnalyticsCopy(options);
    this.#metrics = options.metrics;
    this.#bounds = bounds;
    const { atOnce, ofOneOrganization: ofOneLane, waiting: longestQueue, patienceMillis } = bounds;
    const refusal = () => new AnalyticsUnavailable({ reason: 'busy' });
    this.#limiter = createLimiter({ atOnce, ofOneLane, longestQueue, patienceMillis, refusal });
  }

  ask<Row>(question: Question, signal?: AbortSignal): Promise<Answer<Row>> {
    const ask = async (): Promise<Answer<Row>> => {
      // Before it waits: while there is no copy, a turn would only end in the same refusal.
      this.#serving();
      return this.#limiter(() => this.#run<Row>(question, signal));
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

// Runs one question on the copy: on a connection of its own, within its time, and until its request ends.

export interface RunBounds {
  timeoutMillis: number;
  rows: number;
  signal: AbortSignal | undefined;
  /** Whether no other question has run meanwhile: all questions share the memory. */
  alone(): boolean;
}

export type QuestionRow = Record<string, unknown>;

/** Throws `QuestionTooLarge`, `AnalyticsUnavailable` without memory beside others, the signal's reason, or a `DuckError`. */
export async function runQuestion(
  { instance, catalog }: Pick<Serving, 'instance' | 'catalog'>,
  { text, values }: Question,
  { timeoutMillis, rows, signal, alone }: RunBounds,
): Promise<QuestionRow[]> {
  signal?.throwIfAborted();
  const connection = await instance.connect();
  let late = false;
  let prepared: DuckDBPreparedStatement | undefined;
  const stop = (): void => connection.interrupt();
  const timer = setTimeout(() => {
    late = true;
    stop();
  }, timeoutMillis);
  signal?.addEventListener('abort', stop);
  try {
    // The request may have ended while the connection was opened.
    signal?.throwIfAborted();
    await connection.run(`USE ${catalog}`);
    prepared = await connection.prepare(text);
    prepared.bind(values.map(boundValue));
    const reader = await (await finished(prepared)).read();
    return await rowsOf(reader, rows);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof QuestionTooLarge) throw error;
    if (!late && isOutOfMemory(error) && !alone()) throw new AnalyticsUnavailable({ reason: 'busy' });
    if (late || isOutOfMemory(error)) throw new QuestionTooLarge({ cause: error });
    throw new DuckError(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    prepared?.destroySync();
    connection.closeSync();
  }
}

/**
 * DuckDB would take every number for a double, also where it counts rows. The driver would take 1e308 for an integer and
 * refuse it: as a text it meets the cast that every value has.
 */
function boundValue(value: QuestionValue): DuckDBValue {
  if (typeof value !== 'number' || !Number.isInteger(value)) return value;
  return Number.isSafeInteger(value) ? BigInt(value) : String(value);
}

/** 2,048 rows at once, so that other requests get their turn. */
async function rowsOf(reader: DuckDBResultReader, most: number): Promise<QuestionRow[]> {
  while (!reader.done) {
    await reader.readUntil(reader.currentRowCount + 1);
    if (reader.currentRowCount > most) throw new QuestionTooLarge();
  }
  const names = reader.deduplicatedColumnNames();
  return reader.getRows().map((row) => Object.fromEntries(row.map((value, at) => [names[at]!, plain(value)])));
}

/** As `Answer.rows` says. */
function plain(value: DuckDBValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof DuckDBDecimalValue) return value.toDouble();
  return typeof value === 'object' && value !== null ? String(value) : value;
}

/** Memory, or the room on disk that a statement may take beside it. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && /out of memory|max_temp_directory_size/i.test(error.message);
}
