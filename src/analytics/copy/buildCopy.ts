// Builds a copy from everything that PostgreSQL holds, in pieces: a build that was cut off goes on with the next piece.
import type { ClientBase } from 'pg';
import type { CopyFile } from './copyFile.ts';
import { inDuckTransaction, rowsOfDuck, runDuck } from './duck.ts';
import { addEvents, addSessions, got, saveDevices } from './saveRows.ts';
import {
  allDevices,
  deviceColumns,
  eventColumns,
  eventsOf,
  sessionColumns,
  sessionsOf,
  type Span,
} from './sourceStore.ts';
import { findSpans } from './spansStore.ts';
import { spool, type SpooledRows } from './spool.ts';

export interface Build {
  file: CopyFile;
  client: ClientBase;
  folder: string;
  signal: AbortSignal;
  /** The share that is done. */
  progressed(share: number): void;
}

interface Piece {
  name: string;
  rows: SpooledRows;
  save: (duck: CopyFile['duck']) => Promise<void>;
}

/**
 * Each piece is a statement of PostgreSQL and a transaction of DuckDB. The statements see different moments, all of them
 * after the state's `nextXid` was read: what they miss or see too early is in the log from there on, and the follower
 * replaces it. So nothing holds a snapshot of PostgreSQL for long.
 */
export async function buildCopy({ file, client, folder, signal, progressed }: Build): Promise<void> {
  const pieces = piecesOf(await findSpans(client));
  const known = await rowsOfDuck<{ name: string }>(file.duck, 'SELECT name FROM stored.pieces');
  const done = new Set(known.map(({ name }) => name));
  for (const [at, piece] of pieces.entries()) {
    signal.throwIfAborted();
    progressed(at / pieces.length);
    if (!done.has(piece.name)) await loadPiece(piece, { file, client, folder });
  }
}

async function loadPiece(
  { name, rows, save }: Piece,
  { file, client, folder }: Pick<Build, 'file' | 'client' | 'folder'>,
) {
  const { duck } = file;
  await inDuckTransaction(duck, async () => {
    await spool({ client, duck, folder }, rows, () => save(duck));
    await runDuck(duck, { text: 'INSERT INTO stored.pieces VALUES ($1)', values: [name] });
  });
}

/** Devices before sessions, and sessions before events, which take columns from them. */
function piecesOf(spans: readonly Span[]): Piece[] {
  const devices = { table: got.devices, columns: deviceColumns, statement: allDevices() };
  return [
    { name: 'devices', rows: devices, save: saveDevices },
    ...spans.map((span) => ({
      name: `sessions ${span.from}`,
      rows: { table: got.sessions, columns: sessionColumns, statement: sessionsOf(span) },
      save: addSessions,
    })),
    ...spans.map((span) => ({
      name: `events ${span.from}`,
      rows: { table: got.events, columns: eventColumns, statement: eventsOf(span) },
      save: addEvents,
    })),
  ];
}
