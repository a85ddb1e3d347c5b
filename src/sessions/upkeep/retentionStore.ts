// The SQL that removes old events: it drops whole partitions, deletes their sessions, and finds the oldest kept events.
import type { Pool } from 'pg';
import { sql, type Sql } from '../../platform/database/sql.ts';
import type { SqlConnection } from '../../platform/database/sqlClient.ts';
import { inTransaction } from '../../platform/database/transaction.ts';
import type { SessionRow } from '../upload.ts';
import { logRemoval, type StoredKey } from '../writer/changesStore.ts';

/** The name of the partition dropped; null when none is old enough, or another process is dropping. */
export async function dropOldestPartition(connection: SqlConnection, daysKept: number): Promise<string | null> {
  const statement = sql`/* sessions: dropOldestPartition */ SELECT drop_oldest_event_partition(${daysKept}) AS dropped`;
  const { rows } = await connection.query<{ dropped: string | null }>(statement);
  return rows[0]!.dropped;
}

/** When the oldest events that are kept begin; null without any partition. */
export async function eventsKeptFrom(connection: SqlConnection): Promise<Date | null> {
  const { rows } = await connection.query<{ from: Date | null }>(
    `/* sessions: eventsKeptFrom */ SELECT events_kept_from()::timestamp AT TIME ZONE 'UTC' AS "from"`,
  );
  return rows[0]!.from;
}

/** Sessions of these devices that began until this time, a text to the microsecond. */
export interface OldSessions {
  deviceKeys: string[];
  until: string;
}

/** The oldest that began before, about so many; null where there is none. */
export async function findSessionsBefore(
  connection: SqlConnection,
  before: Date,
  limit: number,
): Promise<OldSessions | null> {
  const statement = sql`/* sessions: findSessionsBefore */
    SELECT device_key, received_at::text AS began FROM sessions
    WHERE received_at < ${before} ORDER BY received_at LIMIT ${limit}`;
  const { rows } = await connection.query<{ device_key: string; began: string }>(statement);
  const deviceKeys = [...new Set(rows.map(({ device_key }) => device_key))];
  return rows.length > 0 ? { deviceKeys, until: rows.at(-1)!.began } : null;
}

/** Returns the number of deleted sessions. It waits for an upload that holds one of them. */
export function deleteOldSessions(pool: Pool, { deviceKeys, until }: OldSessions): Promise<number> {
  return deleteLogged(
    pool,
    sql`/* sessions: deleteOldSessions */
    DELETE FROM sessions WHERE device_key = ANY(${deviceKeys}::uuid[]) AND received_at <= ${until}
    RETURNING device_key, ref`,
  );
}

/** Deletes the given sessions that began before, and resolves to their number. A session of another device with an equal id is as old. */
export function deleteSessionsBefore(
  pool: Pool,
  before: Date,
  sessions: Pick<SessionRow, 'deviceKey' | 'id'>[],
): Promise<number> {
  const deviceKeys = sessions.map(({ deviceKey }) => deviceKey);
  const ids = sessions.map(({ id }) => id);
  return deleteLogged(
    pool,
    sql`/* sessions: deleteSessionsBefore */
    DELETE FROM sessions
    WHERE device_key = ANY(${deviceKeys}::uuid[]) AND id = ANY(${ids}::text[]) AND received_at < ${before}
    RETURNING device_key, ref`,
  );
}

function deleteLogged(pool: Pool, deletion: Sql): Promise<number> {
  return inTransaction(pool, async (transaction) => {
    const { rows } = await transaction.query<StoredKey>(deletion);
    await logRemoval(transaction, rows);
    return rows.length;
  });
}
