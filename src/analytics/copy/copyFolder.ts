// The folder of one process in ANALYTICS_DIR: a process that finds one taken makes its own beside it.
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { runDuck } from './duck.ts';

const mostFolders = 64;
/** Rows beside the file, which DuckDB puts there for want of memory, and on their way from PostgreSQL. */
export const [spillName, spoolName] = ['spill', 'spool.csv'];
/** A folder that no process has, and that none has written into for this long, is removed with its rows. */
const staleMillis = 24 * 60 * 60_000;

/** The system's locks of files are those of a process: two copies in one process would both get one. */
const takenHere = new Set<string>();

/**
 * The work gets the first free folder, which no other process takes until the work ends. The lock is that of DuckDB on a
 * file of its own, so the system frees it with the process, however that ends. Rejects when `parent` cannot be written.
 */
export async function withFolder(
  connection: DuckDBConnection,
  parent: string,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await takeFolder(connection, parent);
  try {
    await removeStaleFolders(connection, parent);
    await work(folder);
  } finally {
    await unlock(connection, folder);
  }
}

async function takeFolder(connection: DuckDBConnection, parent: string): Promise<string> {
  for (let number = 1; number <= mostFolders; number++) {
    const folder = path.join(parent, String(number));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (await lock(connection, folder)) return folder;
  }
  throw new Error(`ANALYTICS_DIR: all ${mostFolders} folders in ${parent} are taken by other processes`);
}

/** What a process that was killed has left beside the copy: rows on their way, which may be removed ones. */
export async function clearLeftovers(folder: string): Promise<void> {
  for (const name of [spillName, spoolName]) await rm(path.join(folder, name), { recursive: true, force: true });
}

/** Removes the folders of processes that are gone. */
async function removeStaleFolders(connection: DuckDBConnection, parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = path.join(parent, name);
    if (!/^\d+$/.test(name) || takenHere.has(folder) || Date.now() - (await lastWrite(folder)) < staleMillis) continue;
    if (!(await lock(connection, folder))) continue;
    await rm(folder, { recursive: true, force: true });
    await unlock(connection, folder);
  }
}

async function lastWrite(folder: string): Promise<number> {
  const times = (await readdir(folder)).map((name) =>
    stat(path.join(folder, name)).then(
      ({ mtimeMs }) => mtimeMs,
      // Its process has just deleted it.
      () => 0,
    ),
  );
  return Math.max(0, ...(await Promise.all(times)));
}

async function lock(connection: DuckDBConnection, folder: string): Promise<boolean> {
  if (takenHere.has(folder)) return false;
  takenHere.add(folder);
  try {
    await runDuck(connection, `ATTACH ${quoted(path.join(folder, 'lock.duckdb'))} AS ${lockName(folder)}`);
    return true;
  } catch (error) {
    takenHere.delete(folder);
    if (isHeldElsewhere(error)) return false;
    throw error;
  }
}

async function unlock(connection: DuckDBConnection, folder: string): Promise<void> {
  takenHere.delete(folder);
  await runDuck(connection, `DETACH ${lockName(folder)}`);
}

const lockName = (folder: string): string => `lock_${path.basename(folder)}`;

export function isHeldElsewhere(error: unknown): boolean {
  return error instanceof Error && /lock on file|Conflicting lock/i.test(error.message);
}

/** A text of ours, such as a path, in a statement that takes no values. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
