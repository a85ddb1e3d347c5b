// The folder of one process in ANALYTICS_DIR: a process that finds one taken makes its own beside it.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { hasCode } from '../../platform/errors.ts';
import type { Log } from '../../platform/observability/log.ts';
import { DuckError, isDenied, isPassing, runDuck } from './duck.ts';

const mostFolders = 64;
/** Beside the file: what DuckDB puts there for want of memory, rows and sums on their way from PostgreSQL. */
export const [spillName, spoolName, proofName] = ['spill', 'spool.csv', 'proof.csv'];
/** A folder that no process has, and that none has written into for this long, is removed with its rows. */
const staleMillis = 24 * 60 * 60_000;

/**
 * The number of each lock's file. The system's locks of files are those of a process: two copies in one process would both
 * get one.
 */
const takenHere = new Map<string, bigint | null>();

export interface Folders {
  connection: DuckDBConnection;
  /** ANALYTICS_DIR. */
  parent: string;
  log: Pick<Log, 'warn'>;
}

/**
 * The work gets the first free folder, which no other process takes until the work ends. The lock is that of DuckDB on a
 * file of its own, so the system frees it with the process, however that ends. Rejects when `parent` cannot be written.
 */
export async function withFolder(folders: Folders, work: (folder: string) => Promise<void>): Promise<void> {
  const { connection } = folders;
  const folder = await takeFolder(folders);
  try {
    await removeStaleFolders(folders);
    await work(folder);
  } finally {
    await unlock(connection, folder);
  }
}

/** A folder that this process may not use is passed over: all of it can be built anew in the next one. */
async function takeFolder({ connection, parent, log }: Folders): Promise<string> {
  for (let number = 1; number <= mostFolders; number++) {
    const folder = path.join(parent, String(number));
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
    try {
      if (!(await lock(connection, folder))) continue;
      await clearFolder(connection, folder);
      return folder;
    } catch (error) {
      if (!isUnusable(error)) throw error;
      log.warn(
        { err: error, folder },
        'a folder of ANALYTICS_DIR cannot be used: give it to the process, or remove it',
      );
    }
  }
  throw new Error(`ANALYTICS_DIR: all ${mostFolders} folders in ${parent} are taken by other processes`);
}

async function clearFolder(connection: DuckDBConnection, folder: string): Promise<void> {
  try {
    await clearLeftovers(folder);
    // Nothing says so earlier that a folder takes no files.
    await writeFile(path.join(folder, spoolName), '');
    await rm(path.join(folder, spoolName));
  } catch (error) {
    await unlock(connection, folder);
    throw error;
  }
}

/** Of another owner, without the right to write, or of another kind. A full disk is none of these. */
function isUnusable(error: unknown): boolean {
  if (error instanceof DuckError) return isDenied(error) || /is a directory|not a directory/i.test(error.message);
  return ['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOTDIR'].some((code) => hasCode(error, code));
}

/** What a process that was killed has left beside the copy: rows on their way, which may be removed ones. */
async function clearLeftovers(folder: string): Promise<void> {
  const locks = (await readdir(folder)).filter((name) => name.startsWith(newLockName));
  for (const name of [spillName, spoolName, proofName, ...locks])
    await rm(path.join(folder, name), { recursive: true, force: true });
}

/** Removes the folders of processes that are gone. One that this process may not remove stays. */
async function removeStaleFolders({ connection, parent }: Folders): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = path.join(parent, name);
    if (!/^\d+$/.test(name) || takenHere.has(folder)) continue;
    try {
      if (Date.now() - (await lastWrite(folder)) < staleMillis) continue;
      if (!(await lock(connection, folder))) continue;
      await rm(folder, { recursive: true, force: true }).finally(() => unlock(connection, folder));
    } catch (error) {
      if (!isUnusable(error)) throw error;
    }
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
  takenHere.set(folder, null);
  try {
    await attachLock(connection, folder);
    takenHere.set(folder, await numberOf(lockFile(folder)));
    return true;
  } catch (error) {
    takenHere.delete(folder);
    if (isHeldElsewhere(error)) return false;
    throw error;
  }
}

async function attachLock(connection: DuckDBConnection, folder: string): Promise<void> {
  const attach = () => runDuck(connection, `ATTACH ${quoted(lockFile(folder))} AS ${lockName(folder)}`);
  try {
    await attach();
  } catch (error) {
    if (!(error instanceof DuckError) || isPassing(error) || isUnusable(error)) throw error;
    await renewLock(connection, folder);
    await attach();
  }
}

/**
 * A damaged lock locks nothing. It gets the bytes of a new one in place: another process that does the same meanwhile still
 * meets the lock of this file, which a removed file would not have.
 */
async function renewLock(connection: DuckDBConnection, folder: string): Promise<void> {
  const fresh = path.join(folder, `${newLockName}${randomUUID()}.duckdb`);
  await runDuck(connection, `ATTACH ${quoted(fresh)} AS new_${lockName(folder)}`);
  await runDuck(connection, `DETACH new_${lockName(folder)}`);
  await writeFile(lockFile(folder), await readFile(fresh));
  for (const gone of [fresh, `${lockFile(folder)}.wal`]) await rm(gone, { recursive: true, force: true });
}

/** Whether the lock is still the file that this process has locked. Without it another process may take the folder. */
export async function isStillLocked(folder: string): Promise<boolean> {
  const number = await numberOf(lockFile(folder)).catch(() => null);
  return number !== null && number === takenHere.get(folder);
}

const numberOf = async (file: string): Promise<bigint> => (await stat(file, { bigint: true })).ino;

async function unlock(connection: DuckDBConnection, folder: string): Promise<void> {
  takenHere.delete(folder);
  await runDuck(connection, `DETACH ${lockName(folder)}`);
}

const newLockName = 'lock-';
const lockFile = (folder: string): string => path.join(folder, 'lock.duckdb');
const lockName = (folder: string): string => `lock_${path.basename(folder)}`;

export function isHeldElsewhere(error: unknown): boolean {
  return error instanceof Error && /lock on file|Conflicting lock/i.test(error.message);
}

/** A text of ours, such as a path, in a statement that takes no values. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
