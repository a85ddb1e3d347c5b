// What a phase has stored: all its rows, and those of the uploads that were acknowledged by name.
import type pg from 'pg';
import { withClient } from '../targets/benchDatabase.ts';

export interface StoredRows {
  sessions: number;
  events: number;
  /** Of the sessions asked for. */
  named: { sessions: number; events: number };
}

/**
 * Whatever is stored or updated later bears at least this number of its transaction; to be asked while nothing is under
 * way. Session numbers do not tell: each process draws its own ahead.
 */
export function nextTransaction(databaseUrl: string): Promise<string> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ next: string }>(
      'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next',
    );
    return rows[0]!.next;
  });
}

/** `since` is what `nextTransaction` gave. */
export function countStored(databaseUrl: string, since: string, sessionIds: string[]): Promise<StoredRows> {
  return withClient(databaseUrl, async (client) => {
    const { rows: sessions } = await client.query<{ count: number; least: string }>(
      `SELECT count(*)::integer AS count, coalesce(min(ref), 0) AS least FROM sessions s WHERE ${isLater('s')}`,
      [since],
    );
    const { count, least } = sessions[0]!;
    // The least number bounds what is read of millions of events; it is the transaction that decides.
    const { rows: events } = await client.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM events e WHERE session_ref >= $2 AND ${isLater('e')}`,
      [since, least],
    );
    return { sessions: count, events: events[0]!.count, named: await countNamed(client, sessionIds) };
  });
}

/** Of sessions whose ids nobody else has sent. */
export async function countNamed(client: pg.Client, sessionIds: string[]): Promise<StoredRows['named']> {
  const { rows } = await client.query<StoredRows['named']>(
    `SELECT count(DISTINCT s.ref)::integer AS sessions, count(e.session_ref)::integer AS events
    FROM (SELECT DISTINCT id FROM unnest($1::text[]) AS t (id)) AS t JOIN sessions s ON s.id = t.id
    LEFT JOIN events e ON e.session_ref = s.ref AND e.device_key = s.device_key`,
    [sessionIds],
  );
  return rows[0]!;
}

/** Transaction numbers in rows have 32 bits: enough for a server that is as old as its bench. */
const isLater = (table: string): string => `${table}.xmin::text::bigint >= $1`;
