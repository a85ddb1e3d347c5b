// One file of the copy: opened or made, with what it says of itself. Its number grows with each file of a folder.
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { quoted } from './copyFolder.ts';
import { copyVersion, statements } from './copySchema.ts';
import { rowsOfDuck, runDuck } from './duck.ts';

export interface CopyFile {
  number: number;
  /** The name of the attached database: a connection of a question says `USE` with it. */
  catalog: string;
  /** The connection of the follower, the only writer. */
  duck: DuckDBConnection;
  path: string;
  /** Of the lists of test devices in it (`Horizon.testLists`); null before they were read. */
  testLists: string | null;
}

/** A copy that holds everything committed before `asOf`. */
export interface Serving {
  instance: DuckDBInstance;
  catalog: string;
  /** Microseconds since 1970. */
  asOf: bigint;
}

/** Transaction ids and microseconds since 1970. */
export interface CopyState {
  system: string;
  database: string;
  timeline: string;
  /** What transactions below it have committed is in. */
  nextXid: bigint;
  /** The highest transaction id that PostgreSQL has shown. */
  seenXid: bigint;
  /** Everything committed before it is in. */
  asOf: bigint;
  /** False: it is being built. */
  complete: boolean;
  /** Since when the file holds bytes of removed rows; null where it holds none. */
  removedSince: bigint | null;
}

export async function attachFile(instance: DuckDBInstance, folder: string, number: number): Promise<CopyFile> {
  const [file, catalog] = [fileOf(folder, number), `copy_${number}`];
  const duck = await instance.connect();
  try {
    await runDuck(duck, `ATTACH ${quoted(file)} AS ${catalog}`);
    await runDuck(duck, `USE ${catalog}`);
    return { number, catalog, duck, path: file, testLists: null };
  } catch (error) {
    duck.closeSync();
    throw error;
  }
}

/** A question that is under way ends first: DuckDB closes the file behind it. */
export async function detachFile({ duck, catalog }: CopyFile): Promise<void> {
  try {
    await runDuck(duck, 'USE memory');
    await runDuck(duck, `DETACH ${catalog}`);
  } finally {
    duck.closeSync();
  }
}

export async function createTables({ duck }: CopyFile, state: CopyState): Promise<void> {
  for (const statement of statements) await runDuck(duck, statement);
  await runDuck(duck, {
    text: 'INSERT INTO stored.state VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)',
    values: [BigInt(copyVersion), ...Object.values(orderedState(state))],
  });
}

/** Null where the file is of another version, or was left before its tables were made. */
export async function readState({ duck, catalog }: CopyFile): Promise<CopyState | null> {
  const known = await rowsOfDuck(duck, {
    text: "SELECT 1 FROM duckdb_tables() WHERE database_name = $1 AND schema_name = 'stored' AND table_name = 'state'",
    values: [catalog],
  });
  if (known.length === 0) return null;
  const [state] = await rowsOfDuck<CopyState & { version: bigint }>(duck, 'SELECT * FROM stored.state');
  return state?.version === BigInt(copyVersion) ? orderedState(state) : null;
}

/** Within the transaction that changed the rows. */
export async function writeState({ duck }: Pick<CopyFile, 'duck'>, state: Partial<CopyState>): Promise<void> {
  const names = Object.keys(state).map((name, at) => `"${name}" = $${at + 1}`);
  await runDuck(duck, { text: `UPDATE stored.state SET ${names.join(', ')}`, values: Object.values(state) });
}

const orderedState = ({ system, database, timeline, nextXid, seenXid, asOf, complete, removedSince }: CopyState) => ({
  system,
  database,
  timeline,
  nextXid,
  seenXid,
  asOf,
  complete,
  removedSince,
});

/** The numbers of the files in a folder, the newest first. */
export async function fileNumbers(folder: string): Promise<number[]> {
  const numbers = (await readdir(folder)).map((name) => /^copy-(\d+)\.duckdb$/.exec(name)?.[1]);
  return numbers.flatMap((text) => (text === undefined ? [] : Number(text))).sort((one, other) => other - one);
}

export async function deleteFile(folder: string, number: number): Promise<void> {
  for (const end of ['', '.wal', '.wal.checkpoint']) {
    await rm(`${fileOf(folder, number)}${end}`, { recursive: true, force: true });
  }
}

/** An operator may delete it, to have it built anew. */
export function isThere({ path: file }: CopyFile): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** Of the file and its log. */
export async function bytesOf({ path: file }: CopyFile): Promise<number> {
  const sizes = ['', '.wal'].map((end) =>
    stat(`${file}${end}`).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

const fileOf = (folder: string, number: number): string => path.join(folder, `copy-${number}.duckdb`);
