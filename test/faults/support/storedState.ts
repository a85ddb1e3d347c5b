// Reads every row of one application from the database, including rows that no upload contained.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { unpackId } from '../../../src/sessions/upload.ts';

export interface StoredState {
  /** How often each event is stored, by eventName. */
  events: Map<string, number>;
  /** Whether each session is finished, by sessionName. */
  sessions: Map<string, boolean>;
  devices: Map<string, { userId: string | null; uploads: unknown }>;
  /** By campaign and outcome, in the words of the table. */
  counts: Map<string, number>;
}

export const sessionName = (device: string, session: string) => `${device} ${session}`;
export const eventName = (device: string, session: string, event: string) => `${device} ${session} ${event}`;

const reconnectMillis = 30_000;

/** Uses a connection of its own, and waits for a database that is still starting. */
export async function readStoredState(databaseUrl: string, applicationId: string): Promise<StoredState> {
  const client = await connect(databaseUrl);
  try {
    const read = async <Row extends pg.QueryResultRow>(text: string) =>
      (await client.query<Row>(text, [applicationId])).rows;
    const events = await read<{ device: string; session: string; event: Buffer }>(`
      SELECT d.id AS device, s.id AS session, e.id AS event FROM events e
      LEFT JOIN sessions s ON s.ref = e.session_ref AND s.device_key = e.device_key
      LEFT JOIN devices d ON d.key = e.device_key WHERE e.application_id = $1`);
    const sessions = await read<{ device: string; id: string; finished: boolean }>(`
      SELECT d.id AS device, s.id, s.finished_at IS NOT NULL AS finished FROM sessions s
      LEFT JOIN devices d ON d.key = s.device_key WHERE s.application_id = $1`);
    const devices = await read<{ id: string; user_id: string | null; uploads: unknown }>(
      `SELECT id, user_id, user_properties -> 'uploads' AS uploads FROM devices WHERE application_id = $1`,
    );
    const counts = await read<{ name: string; count: string }>(`
      SELECT c.campaign_id || ' ' || c.outcome AS name, c.count FROM campaign_counts c
      JOIN campaigns ON campaigns.id = c.campaign_id WHERE campaigns.application_id = $1`);
    return {
      events: tally(events.map(({ device, session, event }) => eventName(device, session, unpackId(event)))),
      sessions: new Map(sessions.map(({ device, id, finished }) => [sessionName(device, id), finished])),
      devices: new Map(devices.map(({ id, user_id, uploads }) => [id, { userId: user_id, uploads }])),
      counts: new Map(counts.map(({ name, count }) => [name, Number(count)])),
    };
  } finally {
    await client.end();
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  for (const end = Date.now() + reconnectMillis; ; await pause(100)) {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (Date.now() > end) throw error;
    }
  }
}

export function tally(names: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
