// A connection of the copy to PostgreSQL: beside the pool, so that uploads never wait for it.
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import pg, { type ClientBase, type QueryConfig } from 'pg';
import { raw, type Sql } from '../../platform/database/sql.ts';
import { socketOf, streamLines } from '../../platform/database/streamRows.ts';
import { quoted, spoolName } from './copyFolder.ts';
import { runDuck } from './duck.ts';

const [lockMillis, idleMillis] = [10_000, 60_000];

/** Of a connection. `undefined` takes out what the pool has. */
const settings = {
  statement_timeout: undefined,
  query_timeout: undefined,
  lock_timeout: lockMillis,
  idle_in_transaction_session_timeout: idleMillis,
};

/**
 * A statement that reads a week of events takes as long as it takes; a pause of the server does not. In the transaction,
 * because the role may have limits, and because a pooler may stand between.
 */
export const beginReading = `BEGIN READ ONLY; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${lockMillis};
  SET LOCAL idle_in_transaction_session_timeout = ${idleMillis}`;

/** The work gets a connection that is cut when the work ends or the signal aborts, whatever it is doing. */
export async function withSource(
  connection: pg.ClientConfig,
  signal: AbortSignal,
  work: (client: pg.Client) => Promise<void>,
  name: 'copy' | 'proof' = 'copy',
): Promise<void> {
  const application_name = `campaign-analytics-backend: ${name}`;
  const client = new pg.Client({
    ...connection,
    application_name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    ...settings,
  });
  // A lost connection also fails the statement that is under way; without a listener it would end the process.
  client.on('error', () => undefined);
  const cut = (): void => void socketOf(client).destroy();
  signal.addEventListener('abort', cut);
  try {
    await client.connect();
    await work(client);
  } finally {
    signal.removeEventListener('abort', cut);
    cut();
  }
}

// Passes rows from PostgreSQL to a temporary table of DuckDB by a small file, piece by piece.

/** About 15,000 events. Node encodes a piece at once, in some 5 ms; pieces of 8 MiB held the event loop for 50. */
const pieceCharacters = 2 * 1_048_576;

export interface Spool {
  client: ClientBase;
  duck: DuckDBConnection;
  folder: string;
  /** Of the small file. Default: that of the follower. */
  name?: string;
  /** Default: `beginReading`. */
  begin?: string;
}

export interface SpooledRows {
  /** The temporary table, which holds one piece. */
  table: string;
  columns: LineColumns;
  statement: QueryConfig;
}

/** Calls `load` for each piece while the table holds it, and resolves to the number of rows. */
export async function spool(
  { client, duck, folder, name = spoolName, begin = beginReading }: Spool,
  { table, columns, statement }: SpooledRows,
  load: () => Promise<void>,
): Promise<number> {
  const file = path.join(folder, name);
  const take = async (piece: string): Promise<void> => {
    await writeFile(file, piece);
    await runDuck(duck, `CREATE OR REPLACE TEMP TABLE ${table} AS SELECT * FROM ${readLines(file, columns)}`);
    await load();
  };
  try {
    await client.query(begin);
    const count = await streamLines(client, statement, { pieceCharacters, take });
    await client.query('COMMIT');
    return count;
  } finally {
    await rm(file, { force: true });
  }
}

/** All rows in one temporary table; for rows whose number is bounded. */
export async function spoolAll(spooling: Spool, rows: SpooledRows): Promise<number> {
  const [table, all] = [`${rows.table}_piece`, rows.table];
  const empty = Object.entries(rows.columns).map(([name, [type]]) => `"${name}" ${type}`);
  await runDuck(spooling.duck, `CREATE OR REPLACE TEMP TABLE ${all} (${empty.join(', ')})`);
  return spool(spooling, { ...rows, table }, async () => {
    await runDuck(spooling.duck, `INSERT INTO ${all} SELECT * FROM ${table}`);
  });
}

// Rows as lines of CSV, which PostgreSQL writes and DuckDB reads: in between, Node only passes text on.

/** A column of a line: its type in DuckDB, and the SQL of PostgreSQL that gives it. */
export type LineColumns = Readonly<Record<string, readonly [type: string, sql: string]>>;

/** A text in quotes, so that an empty one is not null. */
export const text = (sql: string) => ['VARCHAR', `'"' || replace(${sql}, '"', '""') || '"'`] as const;
export const json = (sql: string) => ['JSON', text(`${sql}::text`)[1]] as const;
/** Microseconds since 1970. */
export const micros = (sql: string) => ['BIGINT', `(extract(epoch FROM ${sql}) * 1000000)::bigint`] as const;

/** The one column of a statement. */
export const lineOf = (columns: LineColumns): Sql => raw(`${textOfLine(columns)} AS line`);

/** `concat` writes nothing for null. */
export function textOfLine(columns: LineColumns): string {
  const parts = Object.values(columns).map(([, sql]) => sql);
  return `concat(${parts.join(", ',', ")})`;
}

/** The same text in DuckDB. `sqlOf` gives the SQL of a column of this name. */
export function duckTextOfLine(columns: LineColumns, sqlOf: (column: string) => string): string {
  const parts = Object.entries(columns).map(([name, [type]]) => {
    const sql = sqlOf(name);
    if (type === 'VARCHAR' || type === 'JSON') return `'"' || replace(${sql}, '"', '""') || '"'`;
    if (type === 'BOOLEAN') return `CASE WHEN ${sql} THEN 't' WHEN NOT ${sql} THEN 'f' END`;
    // DuckDB writes 50.0 where PostgreSQL writes 50.
    return type === 'DOUBLE' ? `regexp_replace(${sql}::VARCHAR, '\\.0$', '')` : sql;
  });
  return `concat(${parts.join(", ',', ")})`;
}

/** The longest line: the parameters of an event in an upload of 8 MiB, all of them quotes, which CSV doubles. */
const longestLine = 17 * 1_048_576;

/** The table function that reads lines. It reads in one thread: lines hold line feeds, in quotes. */
export function readLines(file: string, columns: LineColumns): string {
  const types = Object.entries(columns).map(([name, [type]]) => `${quoted(name)}: ${quoted(type)}`);
  const format = `delim = ',', quote = '"', escape = '"', new_line = '\\n', nullstr = '', allow_quoted_nulls = false`;
  const bounds = `max_line_size = ${longestLine}, buffer_size = ${longestLine + 1_048_576}, parallel = false`;
  return `read_csv(${quoted(file)}, auto_detect = false, header = false, ${format}, ${bounds}, columns = {${types.join(', ')}})`;
}
