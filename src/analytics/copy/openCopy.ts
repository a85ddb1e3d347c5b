// Opens the newest file of a folder that belongs to this PostgreSQL, or begins a new one; all other files are deleted.
import type { DuckDBInstance } from '@duckdb/node-api';
import type { Log } from '../../platform/observability/log.ts';
import {
  attachFile,
  createTables,
  deleteFile,
  detachFile,
  fileNumbers,
  readState,
  type CopyFile,
  type CopyState,
} from './copyFile.ts';
import { DuckError, inDuckTransaction, isDenied, isPassing } from './duck.ts';
import type { Horizon, Identity } from './logStore.ts';

/** The log is kept for seven days. A copy that is nearly as old starts anew before rows of the log are missing. */
const oldestMicros = 6n * 86_400_000_000n;

export interface Opening {
  instance: DuckDBInstance;
  folder: string;
  identity: Identity;
  horizon: Horizon;
  /** Where a new copy begins in the log. */
  start: bigint;
  log: Pick<Log, 'info' | 'warn'>;
}

export async function openCopy(opening: Opening): Promise<CopyFile> {
  const { instance, folder, log } = opening;
  const numbers = await fileNumbers(folder);
  let opened: CopyFile | null = null;
  for (const number of numbers) {
    if (!opened) opened = await openFitting(number, opening);
    if (opened?.number !== number) await deleteFile(folder, number);
  }
  if (opened) return opened;
  const number = (numbers[0] ?? 0) + 1;
  // A log without its file would be read into the new one.
  await deleteFile(folder, number);
  const file = await attachFile(instance, folder, number);
  const { identity, horizon } = opening;
  const [nextXid, seenXid, asOf] = [opening.start, horizon.next, horizon.now];
  const state = { ...identity, nextXid, seenXid, asOf, complete: false, removedSince: null };
  await inDuckTransaction(file.duck, () => createTables(file, state));
  log.info({ file: file.path }, 'a new copy for analytics is being built');
  return file;
}

/** Null where the file is damaged, may not be opened, or does not belong to the present state of PostgreSQL. */
async function openFitting(number: number, { instance, folder, identity, horizon, log }: Opening) {
  let file: CopyFile | null = null;
  try {
    file = await attachFile(instance, folder, number);
    const state = await readState(file);
    const reason = state ? misfit(state, identity, horizon) : 'it is of another version';
    if (reason === null) return file;
    log.info({ file: file.path, reason }, 'a copy for analytics does not fit and is built anew');
  } catch (error) {
    if (!(error instanceof DuckError) || (isPassing(error) && !isDenied(error))) throw error;
    log.warn({ err: error }, 'a copy for analytics is damaged and is built anew');
  }
  // DuckDB detaches it, and may then fail to write the log of a damaged file into it. The file is deleted next.
  await (file && detachFile(file))?.catch((error: unknown) => {
    if (!(error instanceof DuckError)) throw error;
  });
  return null;
}

export const restored = 'PostgreSQL is behind it: a backup was restored';

/** Why the copy does not belong to this PostgreSQL as it is now; null where it does. */
export function misfit(state: CopyState, identity: Identity, horizon: Pick<Horizon, 'next' | 'now'>): string | null {
  if (state.system !== identity.system || state.database !== identity.database) return 'it is of another database';
  if (state.timeline !== identity.timeline) return 'PostgreSQL has failed over or was restored';
  if (state.seenXid > horizon.next) return restored;
  if (horizon.now - state.asOf > oldestMicros) return 'it is older than the log of changes';
  return null;
}
