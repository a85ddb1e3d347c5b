// Counts the stored rows of a phase: all its rows, and the rows of the acknowledged uploads by session id.
import type pg from 'pg';
import { withClient } from '../targets/benchDatabase.ts';

export interface StoredRows {
  sessions: number;
  events: number;
  /** Rows of the sessions asked for. */
  named: { sessions: number; events: number };
}

/**
 * A lower bound: every row stored or updated later carries this transaction number or a higher one. To be called while
 * no upload is under way. Session numbers give no such bound, because each process draws its own in advance.
 */
export function nextTransaction(databaseUrl: string): Promise<string> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ next: string }>(
      'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next',
    );
    return rows[0]!.next;
  });
}

/** `since` is the result of `nextTransaction`. */
export function countStored(databaseUrl: string, since: string, sessionIds: string[]): Promise<StoredRows> {
  return withClient(databaseUrl, async (client) => {
    const { rows: sessions } = await client.query<{ count: number; least: string }>(
      `SELECT count(*)::integer AS count, coalesce(min(ref), 0) AS least FROM sessions s WHERE ${isLater('s')}`,
      [since],
    );
    const { count, least } = sessions[0]!;
    // The smallest session number limits the read among millions of events. The transaction number decides.
    const { rows: events } = await client.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM events e WHERE session_ref >= $2 AND ${isLater('e')}`,
      [since, least],
    );
    return { sessions: count, events: events[0]!.count, named: await countNamed(client, sessionIds) };
  });
}

/** Counts sessions by ids that no other sender has used. */
export async function countNamed(client: pg.Client, sessionIds: string[]): Promise<StoredRows['named']> {
  const { rows } = await client.query<StoredRows['named']>(
    `SELECT count(DISTINCT s.ref)::integer AS sessions, count(e.session_ref)::integer AS events
    FROM (SELECT DISTINCT id FROM unnest($1::text[]) AS t (id)) AS t JOIN sessions s ON s.id = t.id
    LEFT JOIN events e ON e.session_ref = s.ref AND e.device_key = s.device_key`,
    [sessionIds],
  );
  return rows[0]!;
}

/** Transaction numbers in rows have 32 bits, which is enough for a server as young as its bench. */
const isLater = (table: string): string => `${table}.xmin::text::bigint >= $1`;
