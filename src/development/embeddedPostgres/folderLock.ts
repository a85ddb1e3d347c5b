// Mutual exclusion between processes that share a data folder: a file that names its holder, who touches it while working.
import { randomUUID } from 'node:crypto';
import { readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { hasCode } from '../../platform/errors.ts';
import { processIsAlive } from './processes.ts';

const touchEveryMs = 2_000;
/** A holder that has not touched its file for this long is gone, even when its pid now belongs to another process. */
const staleAfterMs = 20_000;
const pollEveryMs = 50;
const waitMs = 120_000;

/** Runs the work while no other process runs work under the same file. Waits at most two minutes for its turn. */
export async function withFolderLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const token = `${String(process.pid)} ${randomUUID()}\n`;
  await acquire(file, token);
  const touching = setInterval(() => {
    // A person may delete the lock file by hand: the work continues.
    void utimes(file, new Date(), new Date()).catch(() => undefined);
  }, touchEveryMs);
  touching.unref();
  try {
    return await work();
  } finally {
    clearInterval(touching);
    if (readHolder(file) === token) unlinkSync(file);
  }
}

async function acquire(file: string, token: string): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (!create(file, token)) {
    removeStale(file);
    if (Date.now() > deadline) {
      const holder = readHolder(file)?.split(' ')[0] ?? 'unknown';
      throw new Error(
        `process ${holder} has held ${file} for ${String(waitMs / 1000)} s; delete the file if no such service runs`,
      );
    }
    await pause(pollEveryMs);
  }
}

/** False when the file already exists. */
function create(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Works under a guard file: of two processes that remove a stale lock, the slower would remove the new lock of the
 * other.
 */
function removeStale(file: string): void {
  if (!isStale(file)) return;
  const guard = `${file}.removing`;
  if (!create(guard, '')) {
    if (ageMs(guard) > staleAfterMs) unlinkSync(guard);
    return;
  }
  try {
    if (isStale(file)) unlinkSync(file);
  } finally {
    unlinkSync(guard);
  }
}

function isStale(file: string): boolean {
  const holder = readHolder(file);
  if (holder === null) return false;
  const pid = Number.parseInt(holder, 10);
  // Between its creation and its first write the file is empty: then only its age counts.
  return (pid > 0 && !processIsAlive(pid)) || ageMs(file) > staleAfterMs;
}

function ageMs(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? 0 : Date.now() - stat.mtimeMs;
}

function readHolder(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
