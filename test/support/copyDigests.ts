// Checksums of every column of the relations that analytics reads, in PostgreSQL's views and in the copy.
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { type Serving, tables } from '../../src/analytics/copy/copyFile.ts';
import { runQuestion } from '../../src/analytics/engine/embeddedEngine.ts';

type Row = Record<string, string | null>;
export type Digests = Record<string, { rows: number; columns: Record<string, string> }>;

const relations = ['devices', 'sessions', 'events', 'firsts', 'transactions', 'renewals'] as const;

function columnsOf(relation: (typeof relations)[number]): string[] {
  const columns = Object.keys(tables[relation])
    .filter((column) => !['key', 'session_low', 'session_text'].includes(column))
    .map((column) => (column === 'session_high' ? 'session_id' : column));
  return ['transactions', 'renewals'].includes(relation) ? columns : [...columns, 'test'];
}

export async function digestsOfDatabase(pool: Pool): Promise<Digests> {
  return digests(async (relation) => {
    const columns = columnsOf(relation).map((name) => `"${name}"::text`);
    const { rows } = await pool.query<Row>(`SELECT ${columns.join(', ')} FROM analytics.${relation}`);
    return rows;
  });
}

/** The copy has a number for each device; its key stands in the same place here. */
export async function digestsOfCopy(serving: Serving): Promise<Digests> {
  return digests(async (relation) => {
    const columns = columnsOf(relation).map((name) =>
      name === 'device'
        ? '(SELECT d.key::VARCHAR FROM stored.devices d WHERE d.device = r.device) AS device'
        : `r."${name}"::VARCHAR AS "${name}"`,
    );
    const question = { name: 'digest', text: `SELECT ${columns.join(', ')} FROM analytics.${relation} r`, values: [] };
    const bounds = { timeoutMillis: 60_000, rows: 10_000_000, signal: undefined, alone: () => true };
    return (await runQuestion(serving, question, bounds)) as Row[];
  });
}

async function digests(read: (relation: (typeof relations)[number]) => Promise<Row[]>): Promise<Digests> {
  const result: Digests = {};
  for (const relation of relations) {
    const columns = columnsOf(relation);
    const rows = (await read(relation)).map((row) => columns.map((name) => plain(name, row[name] ?? null)));
    const sorted = rows.map((row) => ({ row, text: JSON.stringify(row) }));
    sorted.sort((one, other) => (one.text < other.text ? -1 : 1));
    const digest = (at: number): string => {
      const hash = createHash('sha256');
      for (const { row } of sorted) hash.update(JSON.stringify(row[at]));
      return hash.digest('hex').slice(0, 16);
    };
    const byColumn = Object.fromEntries(columns.map((name, at) => [name, digest(at)]));
    result[relation] = { rows: rows.length, columns: byColumn };
  }
  return result;
}

/** The engines write a double in different ways. */
function plain(name: string, value: string | null): string | null {
  return name === 'revocation_percent' && value !== null ? String(Number(value)) : value;
}
