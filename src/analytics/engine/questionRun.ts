// Runs one question on the copy: on a connection of its own, within its time, and until its request ends.
import type { DuckDBResultReader, DuckDBValue } from '@duckdb/node-api';
import type { Serving } from '../copy/analyticsCopy.ts';
import { DuckError, finished } from '../copy/duck.ts';

export interface QuestionBounds {
  millis: number;
  rows: number;
  signal: AbortSignal | undefined;
}

/** The question takes more time, memory or rows than one may. */
export class TooLarge extends Error {}

export interface BoundQuestion {
  text: string;
  values: readonly DuckDBValue[];
}

/** Rows are objects; whole numbers of 64 bits are `bigint`. Throws `TooLarge`, the signal's reason, or a `DuckError`. */
export async function runQuestion(
  { instance, catalog }: Pick<Serving, 'instance' | 'catalog'>,
  { text, values }: BoundQuestion,
  { millis, rows, signal }: QuestionBounds,
): Promise<Record<string, unknown>[]> {
  signal?.throwIfAborted();
  const connection = await instance.connect();
  let late = false;
  const stop = (): void => connection.interrupt();
  const timer = setTimeout(() => {
    late = true;
    stop();
  }, millis);
  signal?.addEventListener('abort', stop);
  try {
    await connection.run(`USE ${catalog}`);
    const prepared = await connection.prepare(text);
    if (values.length > 0) prepared.bind([...values]);
    const reader = await (await finished(prepared)).read();
    return await rowsOf(reader, rows);
  } catch (error) {
    signal?.throwIfAborted();
    if (late || error instanceof TooLarge || isOutOfMemory(error)) throw new TooLarge('ask for less', { cause: error });
    throw new DuckError(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    connection.closeSync();
  }
}

/** 2,048 rows at once, so that other requests get their turn. */
async function rowsOf(reader: DuckDBResultReader, most: number): Promise<Record<string, unknown>[]> {
  for (let asked = 1; !reader.done; asked = reader.currentRowCount + 1) {
    if (asked > most) throw new TooLarge('it has too many rows');
    await reader.readUntil(asked);
  }
  return reader.getRowObjects();
}

const isOutOfMemory = (error: unknown): boolean => error instanceof Error && /out of memory/i.test(error.message);
