// The SQL that lets old events go: partitions dropped whole, their sessions deleted in batches, and a session begun anew.
import type { Pool } from 'pg';
import { plainArray, textArray } from '../platform/arrayLiteral.ts';
import type { SessionRow } from './upload.ts';

/** The name of the partition dropped; null when none is old enough, or another process is dropping. */
export async function dropOldestPartition(pool: Pool, daysKept: number): Promise<string | null> {
  const { rows } = await pool.query<{ dropped: string | null }>(
    '/* sessions: dropOldestPartition */ SELECT drop_oldest_event_partition($1) AS dropped',
    [daysKept],
  );
  return rows[0]!.dropped;
}

/**
 * Deletes so many sessions, at most, whose events' partition is gone, oldest first, and answers how many. One that an
 * upload is writing to is left for the next time.
 */
export async function deleteSessionsWithoutPartition(pool: Pool, limit: number): Promise<number> {
  const { rowCount } = await pool.query(
    `/* sessions: deleteSessionsWithoutPartition */
      DELETE FROM sessions WHERE (device_key, id) IN (
        SELECT device_key, id FROM sessions
        WHERE received_at < events_kept_from()::timestamp AT TIME ZONE 'UTC'
        ORDER BY received_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
    [limit],
  );
  return rowCount ?? 0;
}

/** Those of the sessions whose events' partition is gone get a new number and this day's anchor, as if they were new. */
export async function renewSessions(pool: Pool, sessions: Pick<SessionRow, 'deviceKey' | 'id'>[]): Promise<number> {
  const { rowCount } = await pool.query(
    `/* sessions: renewSessions */
      WITH gone AS (
        SELECT device_key, s.id FROM sessions s JOIN unnest($1::uuid[], $2::text[]) AS t (key, id)
          ON s.device_key = t.key AND s.id = t.id
        WHERE s.received_at < events_kept_from()::timestamp AT TIME ZONE 'UTC'
        ORDER BY device_key, s.id FOR UPDATE OF s
      )
      UPDATE sessions s SET ref = nextval('sessions_ref_seq'), received_at = CURRENT_TIMESTAMP
      FROM gone WHERE s.device_key = gone.device_key AND s.id = gone.id`,
    [plainArray(sessions.map(({ deviceKey }) => deviceKey)), textArray(sessions.map(({ id }) => id))],
  );
  return rowCount ?? 0;
}
