// DuckDB in this process: its bounds, and statements that run on DuckDB's own threads.
import { readdir } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import {
  DuckDBInstance,
  type DuckDBConnection,
  type DuckDBPendingResult,
  type DuckDBPreparedStatement,
  type DuckDBResultReader,
  type DuckDBValue,
} from '@duckdb/node-api';
import duckdb, { type PendingResult } from '@duckdb/node-bindings';

export interface DuckBounds {
  memoryMib: number;
  threads: number;
}

/**
 * A database in memory that attaches the files of the copy. No thread of Node works for DuckDB: with the default of one
 * such thread, four questions at once kept a call of `fs` waiting for 2.8 s in Node's pool of four threads, and 19 ms
 * like this. Nothing is ever downloaded.
 */
export async function openDuck({ memoryMib, threads }: DuckBounds): Promise<DuckDBInstance> {
  const before = await threadsOfProcess();
  const instance = await DuckDBInstance.create(':memory:', {
    threads: String(threads),
    external_threads: '0',
    memory_limit: `${memoryMib}MiB`,
    // Set when the process has its folder.
    temp_directory: '',
    max_temp_directory_size: `${memoryMib * 4}MiB`,
    // The order of rows is asked for where it counts; keeping it everywhere takes memory.
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const started = (await threadsOfProcess()).filter((id) => !before.includes(id));
  for (const id of started) yieldToOthers(id);
  return instance;
}

/** On Linux; elsewhere none. The first call also starts the threads of Node's pool, so that they are not taken for DuckDB's. */
async function threadsOfProcess(): Promise<number[]> {
  return (await readdir('/proc/self/task').catch(() => [])).map(Number);
}

/**
 * On Linux each thread has a priority. Questions come after the process's own requests, by as much in a process that is
 * itself below the others: the copy of a process that stores uploads must follow them.
 */
function yieldToOthers(thread: number): void {
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
  try {
    setPriority(thread, Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW));
  } catch {
    // A system that refuses it runs the questions at the priority of the rest.
  }
}

/** What DuckDB refused or could not do. Its file may be at fault, and PostgreSQL is not. */
export class DuckError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'DuckError';
  }
}

/** A full disk, a lock, rights, memory: the file itself may be in order. Any other error of a file means damage. */
export function isPassing({ message }: DuckError): boolean {
  return /no space left|disk quota|permission denied|lock on file|too many open files|out of memory|interrupted/i.test(
    message,
  );
}

/** The file is of another owner, or may not be written. */
export function isDenied({ message }: DuckError): boolean {
  return /permission denied|read-only file system|operation not permitted/i.test(message);
}

/** A statement met the limit of memory, which all statements share: it was rolled back, and DuckDB goes on. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof DuckError && /out of memory/i.test(error.message);
}

export interface DuckStatement {
  text: string;
  values?: readonly unknown[];
}

/** Runs one statement, whose values are bound, and reads its whole result. */
export async function runDuck(
  connection: DuckDBConnection,
  statement: string | DuckStatement,
): Promise<DuckDBResultReader> {
  const { text, values = [] } = typeof statement === 'string' ? { text: statement } : statement;
  let prepared: DuckDBPreparedStatement | undefined;
  try {
    prepared = await connection.prepare(text);
    if (values.length > 0) prepared.bind(values as DuckDBValue[]);
    return await (await finished(prepared)).readAll();
  } catch (error) {
    throw new DuckError(error);
  } finally {
    prepared?.destroySync();
  }
}

/** As rows of one type; whole numbers of 64 bits are `bigint`. */
export async function rowsOfDuck<Row>(connection: DuckDBConnection, statement: string | DuckStatement): Promise<Row[]> {
  return (await runDuck(connection, statement)).getRowObjects() as Row[];
}

/** DuckDB's threads do the work; this looks whether they have ended, at first each millisecond. */
export async function finished(prepared: DuckDBPreparedStatement): Promise<DuckDBPendingResult> {
  const pending = prepared.start();
  // The package has no other way to wait without a thread of Node's pool; its types hide the handle.
  const { pending_result: handle } = pending as unknown as { pending_result: PendingResult };
  for (let wait = 1; !isFinished(handle); wait = Math.min(wait * 1.1, 20)) await pause(wait);
  // The result of a failed statement says only that there is none, and memory and damage are told by DuckDB's words.
  const failure = duckdb.pending_error(handle);
  if (failure) throw new Error(failure);
  return pending;
}

const isFinished = (handle: PendingResult): boolean =>
  duckdb.pending_execution_is_finished(duckdb.pending_execute_check_state(handle));

/** Work in one transaction of DuckDB: all of it is in the file afterwards, or nothing. */
export async function inDuckTransaction<Result>(
  connection: DuckDBConnection,
  work: () => Promise<Result>,
): Promise<Result> {
  await runDuck(connection, 'BEGIN TRANSACTION');
  try {
    const result = await work();
    await runDuck(connection, 'COMMIT');
    return result;
  } catch (error) {
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
