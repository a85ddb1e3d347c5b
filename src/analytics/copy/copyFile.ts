// Opens the newest file of a folder that belongs to this PostgreSQL, or begins a new one; all other files are deleted.
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Log } from '../../platform/observability/log.ts';
import { quoted } from './copyFolder.ts';
import { DuckError, inDuckTransaction, isDenied, isPassing, rowsOfDuck, runDuck } from './duck.ts';
import type { Horizon, Identity } from './logStore.ts';
import type { LineColumns } from './source.ts';
import { renewalColumns, transactionColumns } from './sourceStore.ts';

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

// One file of the copy: opened or made, with what it says of itself. Its number grows with each file of a folder.

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

// The tables of the copy, with numbers in place of keys, and the relations over them that questions name.
// A change of anything here needs another `copyVersion`: a file of another version is built anew.

export const copyVersion = 5;

type Columns = Readonly<Record<string, string>>;

/** What is stored, in the order of the columns. Times are microseconds since 1970. */
export const tables = {
  devices: {
    device: 'BIGINT',
    key: 'UUID',
    application_id: 'UUID',
    id: 'VARCHAR',
    user_id: 'VARCHAR',
    properties: 'JSON',
    user_properties: 'JSON',
    first_seen_at: 'BIGINT',
    last_seen_at: 'BIGINT',
  },
  sessions: {
    session: 'BIGINT',
    device: 'BIGINT',
    application_id: 'UUID',
    id: 'VARCHAR',
    unit_user: 'VARCHAR',
    at: 'BIGINT',
    arrived_at: 'BIGINT',
    started_at: 'BIGINT',
    finished_at: 'BIGINT',
    suspect: 'BOOLEAN',
  },
  events: {
    application_id: 'UUID',
    device: 'BIGINT',
    session: 'BIGINT',
    unit_user: 'VARCHAR',
    at: 'BIGINT',
    arrived_at: 'BIGINT',
    session_arrived_at: 'BIGINT',
    session_high: 'UBIGINT',
    session_low: 'UBIGINT',
    session_text: 'VARCHAR',
    place: 'INTEGER',
    name: 'VARCHAR',
    system: 'BOOLEAN',
    mirror: 'BOOLEAN',
    params: 'JSON',
  },
  firsts: {
    application_id: 'UUID',
    unit: 'VARCHAR',
    user_id: 'VARCHAR',
    device: 'BIGINT',
    name: 'VARCHAR',
    system: 'BOOLEAN',
    at: 'BIGINT',
  },
  transactions: typesOf(transactionColumns),
  renewals: typesOf(renewalColumns),
  removed_applications: { id: 'UUID' },
  test_devices: { application_id: 'UUID', id: 'VARCHAR' },
  test_numbers: { device: 'BIGINT' },
} as const satisfies Record<string, Columns>;

const state = {
  version: 'BIGINT',
  system: 'VARCHAR',
  database: 'VARCHAR',
  timeline: 'VARCHAR',
  nextXid: 'BIGINT',
  seenXid: 'BIGINT',
  asOf: 'BIGINT',
  complete: 'BOOLEAN',
  removedSince: 'BIGINT',
  lastDevice: 'BIGINT',
};

const table = (name: string, columns: Columns): string =>
  `CREATE TABLE stored.${name} (${Object.entries(columns)
    .map(([column, type]) => `"${column}" ${type}`)
    .join(', ')})`;

const digits = "format('{:016x}{:016x}', session_high, session_low)";
const uuid = [
  [1, 8],
  [9, 4],
  [13, 4],
  [17, 4],
  [21, 12],
].map(([from, length]) => `substr(${digits}, ${from}, ${length})`);

/**
 * The id of a session is a UUID in most SDKs. Events of a session are side by side, and DuckDB stores runs of equal
 * numbers once: the two halves take 2 bytes an event, the text took 23.
 */
const computed: Record<string, string> = {
  session_high: `CASE WHEN session_high IS NULL THEN session_text ELSE ${uuid.join(" || '-' || ")} END AS session_id`,
  session_low: '',
  session_text: '',
  key: '',
};

/** `test` is computed: a change of an application's list moves no row. */
const view = (name: 'devices' | 'sessions' | 'events' | 'firsts'): string => {
  const columns = Object.keys(tables[name]).map((column) => computed[column] ?? `"${column}"`);
  return `CREATE VIEW analytics.${name} AS
    SELECT ${columns.filter((column) => column !== '').join(', ')}, coalesce(device IN (SELECT device FROM stored.test_numbers), false) AS test
    FROM stored.${name}`;
};

/** No keys and no indexes: DuckDB would keep them in memory, and the follower replaces rows by their numbers. */
export const statements: readonly string[] = [
  'CREATE SCHEMA stored',
  'CREATE SCHEMA analytics',
  ...Object.entries(tables).map(([name, columns]) => table(name, columns)),
  table('state', state),
  table('pieces', { name: 'VARCHAR' }),
  ...(['devices', 'sessions', 'events', 'firsts'] as const).map(view),
  ...['transactions', 'renewals'].map((name) => `CREATE VIEW analytics.${name} AS SELECT * FROM stored.${name}`),
];

function typesOf(columns: LineColumns): Columns {
  return Object.fromEntries(Object.entries(columns).map(([name, [type]]) => [name, type]));
}
