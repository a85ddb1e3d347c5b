// Builds a copy from everything that PostgreSQL holds, in pieces: a build that was cut off goes on with the next piece.
import type { ClientBase, QueryConfig } from 'pg';
import type { CopyFile } from './copyFile.ts';
import { inDuckTransaction, rowsOfDuck, runDuck } from './duck.ts';
import type { LineColumns } from './csvLines.ts';
import { allRenewals, allTransactions, renewalColumns, transactionColumns } from './purchasesSource.ts';
import {
  addEvents,
  addFirsts,
  addRenewals,
  addSessions,
  addTransactions,
  got,
  removeApplications,
  saveDevices,
} from './saveRows.ts';
import {
  allDevices,
  allFirsts,
  deviceColumns,
  eventColumns,
  eventsOf,
  firstColumns,
  removedApplicationColumns,
  removedApplications,
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
  const piece = (name: string, rows: SpooledRows, save: Piece['save']): Piece => ({ name, rows, save });
  const all = (table: string, columns: LineColumns, statement: QueryConfig): SpooledRows => ({
    table,
    columns,
    statement,
  });
  return [
    piece(
      'applications',
      all(got.removedApplications, removedApplicationColumns, removedApplications()),
      removeApplications,
    ),
    piece('devices', all(got.devices, deviceColumns, allDevices()), saveDevices),
    ...spans.map((span) =>
      piece(`sessions ${span.from}`, all(got.sessions, sessionColumns, sessionsOf(span)), addSessions),
    ),
    ...spans.map((span) => piece(`events ${span.from}`, all(got.events, eventColumns, eventsOf(span)), addEvents)),
    piece('firsts', all(got.firsts, firstColumns, allFirsts()), addFirsts),
    piece('transactions', all(got.transactions, transactionColumns, allTransactions()), addTransactions),
    piece('renewals', all(got.renewals, renewalColumns, allRenewals()), addRenewals),
  ];
}
