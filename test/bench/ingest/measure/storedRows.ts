// What a phase has stored: all its rows, and those of the uploads that were acknowledged by name.
import { withClient } from '../targets/benchDatabase.ts';

export interface StoredRows {
  sessions: number;
  events: number;
  /** Of the sessions asked for. */
  named: { sessions: number; events: number };
}

/** Session numbers only grow: what is stored later has a greater one. */
export function newestSession(databaseUrl: string): Promise<string> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ ref: string }>('SELECT coalesce(max(ref), 0) AS ref FROM sessions');
    return rows[0]!.ref;
  });
}

export function countStored(databaseUrl: string, after: string, sessionIds: string[]): Promise<StoredRows> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ sessions: number; events: number }>(
      `SELECT (SELECT count(*) FROM sessions WHERE ref > $1)::integer AS sessions,
        (SELECT count(*) FROM events WHERE session_ref > $1)::integer AS events`,
      [after],
    );
    const { rows: named } = await client.query<{ sessions: number; events: number }>(
      `SELECT count(DISTINCT s.ref)::integer AS sessions, count(e.session_ref)::integer AS events
      FROM (SELECT DISTINCT id FROM unnest($2::text[]) AS t (id)) AS t JOIN sessions s ON s.id = t.id AND s.ref > $1
      LEFT JOIN events e ON e.session_ref = s.ref AND e.device_key = s.device_key`,
      [after, sessionIds],
    );
    return { ...rows[0]!, named: named[0]! };
  });
}
