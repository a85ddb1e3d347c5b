// Runs one question on the copy: on a connection of its own, within its time, and until its request ends.
import {
  DuckDBDecimalValue,
  type DuckDBPreparedStatement,
  type DuckDBResultReader,
  type DuckDBValue,
} from '@duckdb/node-api';
import type { Serving } from '../copy/copyFile.ts';
import { DuckError, finished } from '../copy/duck.ts';
import { AnalyticsUnavailable, QuestionTooLarge } from './engine.ts';
import type { Question, QuestionValue } from './question.ts';

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
