// Seals the secrets of a column again under the current key, while the service reads and writes it. A second run continues.
import type { Pool } from 'pg';
import { raw, sql } from './sql.ts';
import type { Encryption } from '../encryption.ts';

/** A column of sealed texts, each bound to its row's id. The names become SQL: they are constants, never input. */
export interface SealedColumn {
  table: string;
  id: string;
  column: string;
}

export interface Resealed {
  resealed: number;
  /** Values under a key that is not configured, or damaged ones. They stay unchanged. */
  unreadable: number;
}

interface SealedRow {
  id: string;
  sealed: Buffer;
}

const batchRows = 500;
const beforeAll = '00000000-0000-0000-0000-000000000000';

export async function resealColumn(pool: Pool, encryption: Encryption, sealed: SealedColumn): Promise<Resealed> {
  const total: Resealed = { resealed: 0, unreadable: 0 };
  for (let after = beforeAll; ;) {
    const rows = await readBatch(pool, sealed, { prefix: encryption.currentPrefix, after });
    for (const row of rows) {
      const outcome = await resealRow(pool, encryption, { ...sealed, row });
      if (outcome !== null) total[outcome] += 1;
    }
    const last = rows.at(-1);
    if (!last) return total;
    after = last.id;
  }
}

/** Counts the values that the configured keys open. A column without values counts as open. */
export async function openness(
  pool: Pool,
  { prefixes }: Encryption,
  { table, column }: Pick<SealedColumn, 'table' | 'column'>,
): Promise<'all' | 'some' | 'none'> {
  const [from, sealed] = [raw(table), raw(column)];
  const opening = sql`EXISTS (SELECT FROM unnest(${prefixes}::bytea[]) AS p WHERE substr(${sealed}, 1, length(p)) = p)`;
  const statement = sql`/* platform: openness */
    SELECT EXISTS (SELECT FROM ${from} WHERE ${sealed} <> '' AND ${opening}) AS opens,
      EXISTS (SELECT FROM ${from} WHERE ${sealed} <> '' AND NOT ${opening}) AS remains`;
  const { rows } = await pool.query<{ opens: boolean; remains: boolean }>(statement);
  const { opens, remains } = rows[0]!;
  if (!remains) return 'all';
  return opens ? 'some' : 'none';
}

/** An empty value is an erased secret. */
async function readBatch(
  pool: Pool,
  { table, id, column }: SealedColumn,
  { prefix, after }: { prefix: Buffer; after: string },
): Promise<SealedRow[]> {
  const [key, value] = [raw(id), raw(column)];
  const statement = sql`/* platform: resealColumn */ SELECT ${key} AS id, ${value} AS sealed FROM ${raw(table)}
    WHERE ${key} > ${after} AND ${value} <> '' AND substr(${value}, 1, length(${prefix}::bytea)) <> ${prefix}
    ORDER BY ${key} LIMIT ${batchRows}`;
  const { rows } = await pool.query<SealedRow>(statement);
  return rows;
}

/** Null when the value has changed meanwhile. */
async function resealRow(
  pool: Pool,
  encryption: Encryption,
  { table, id, column, row }: SealedColumn & { row: SealedRow },
): Promise<keyof Resealed | null> {
  let text: string;
  try {
    text = encryption.decrypt(row.sealed, row.id);
  } catch {
    return 'unreadable';
  }
  const value = raw(column);
  const { rowCount } = await pool.query(sql`/* platform: resealColumn */
    UPDATE ${raw(table)} SET ${value} = ${Buffer.from(encryption.encrypt(text, row.id))}
    WHERE ${raw(id)} = ${row.id} AND ${value} = ${row.sealed}`);
  return rowCount === 1 ? 'resealed' : null;
}
