// Builds a copy from everything that PostgreSQL holds, in pieces: a build that was cut off goes on with the next piece.
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { ClientBase, QueryConfig } from 'pg';
import { attachFile, type CopyFile, deleteFile, detachFile, readState, writeState } from './copyFile.ts';
import { DuckError, inDuckTransaction, rowsOfDuck, runDuck } from './duck.ts';
import type { Followed } from './followLog.ts';
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
import { type LineColumns, spool, type SpooledRows } from './source.ts';
import {
  allDevices,
  allFirsts,
  allRenewals,
  allTransactions,
  deviceColumns,
  eventColumns,
  eventsOf,
  findSpans,
  firstColumns,
  removedApplicationColumns,
  removedApplications,
  renewalColumns,
  sessionColumns,
  sessionsOf,
  type Span,
  transactionColumns,
} from './sourceStore.ts';

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

// Writes the copy anew without the bytes of removed rows, which DuckDB keeps in the file after a DELETE.

/** After a rewrite that had no room. */
const retryMillis = 3_600_000;

/** `file` is the one in place. */
interface Place {
  instance: DuckDBInstance;
  folder: string;
  file: CopyFile | null;
}

/**
 * The follower goes on with the old file while DuckDB writes the next one, and then brings the next one up to date by the
 * log. A crash leaves the next one without a state, or whole.
 */
export class Rewriting {
  readonly #place: Place;
  readonly #after: bigint;
  #underWay: Promise<void> | null = null;
  #written: CopyFile | null = null;
  #failure: Error | null = null;
  #notBefore = 0;
  #connection: DuckDBConnection | null = null;

  /** `after`: microseconds for which a file may hold bytes of removed rows. */
  constructor(place: Place, after: bigint) {
    this.#place = place;
    this.#after = after;
  }

  /** What is written meanwhile without a row of the log is not in the next file. */
  get isUnderWay(): boolean {
    return this.#underWay !== null;
  }

  async begin(): Promise<void> {
    const old = this.#place.file!;
    const state = await readState(old);
    if (this.#underWay || !state || state.removedSince === null || performance.now() < this.#notBefore) return;
    const age = state.asOf - state.removedSince;
    // A negative age: the clock was set back.
    if (age >= 0n && age < this.#after) return;
    this.#underWay = this.#write(old).then(
      (file) => void (this.#written = file),
      (error: Error) => void (this.#failure = error),
    );
  }

  /**
   * The next file, as far in the log as the one in place; null while none is. Throws once what a rewrite met. Where it had no
   * room, the file in place goes on, and the rewrite is tried again after an hour.
   */
  async ended(follow: (file: CopyFile) => Promise<Followed>): Promise<CopyFile | null> {
    if (this.#failure !== null) throw this.#takeFailure();
    const next = this.#written;
    if (!next) return null;
    for (let more = true; more;) ({ more } = await follow(next));
    const [old, own] = [await readState(this.#place.file!), await readState(next)];
    return own!.nextXid >= old!.nextXid ? next : null;
  }

  #takeFailure(): Error {
    const failure = this.#failure!;
    [this.#underWay, this.#failure] = [null, null];
    this.#notBefore = performance.now() + retryMillis;
    return failure;
  }

  /** A question that is under way still reads the old file, which the system deletes after it. */
  async putInPlace(next: CopyFile): Promise<void> {
    const old = this.#place.file!;
    this.#place.file = next;
    [this.#underWay, this.#written] = [null, null];
    await detachFile(old);
    await deleteFile(this.#place.folder, old.number);
  }

  /** Before the instance is closed. What was written so far is deleted at the next start, or is whole and taken. */
  async abandon(): Promise<void> {
    this.#connection?.interrupt();
    await this.#underWay;
    this.#written?.duck.closeSync();
    [this.#underWay, this.#written] = [null, null];
  }

  async #write(old: CopyFile): Promise<CopyFile> {
    const { instance, folder } = this.#place;
    await deleteFile(folder, old.number + 1);
    const next = await attachFile(instance, folder, old.number + 1);
    const connection = await instance.connect();
    this.#connection = connection;
    try {
      await connection.run(`COPY FROM DATABASE ${old.catalog} TO ${next.catalog}`);
      await writeState(next, { removedSince: null });
      await runDuck(next.duck, `CHECKPOINT ${next.catalog}`);
      return next;
    } catch (error) {
      await detachFile(next);
      await deleteFile(folder, next.number);
      throw error instanceof DuckError ? error : new DuckError(error);
    } finally {
      this.#connection = null;
      connection.closeSync();
    }
  }
}
