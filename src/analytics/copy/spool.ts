// Passes rows from PostgreSQL to a temporary table of DuckDB by a small file, piece by piece.
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ClientBase, QueryConfig } from 'pg';
import { streamLines } from '../../platform/database/streamRows.ts';
import { spoolName } from './copyFolder.ts';
import { readLines, type LineColumns } from './csvLines.ts';
import { runDuck } from './duck.ts';
import { beginReading } from './source.ts';

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
