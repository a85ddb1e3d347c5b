// The SQL that removes the devices of a deleted application with their sessions and events, in batches that block no upload.
import type { Pool } from 'pg';
import { prepared } from '../../platform/database/sql.ts';
import { inRemovalTransaction, type Transaction } from '../../platform/database/transaction.ts';
import { deleteFirsts } from './dropOldEvents.ts';
import { logRemoval, type StoredKey } from '../writer/uploadsStore.ts';

const batch = { devices: 100, sessions: 200, events: 5_000, firsts: 5_000 };

interface LockedSession extends StoredKey {
  anchored_on: string;
}

/**
 * Removes one batch in a transaction and returns whether there may be more. Parents are deleted after their children
 * and under a lock. So this statement sees the rows of a running upload, or the upload creates the parent again: every
 * row can be found from its device. Rows are locked device by device, since Citus locks only rows of one shard in a
 * statement, and in the order of the keys, as uploads do.
 */
export function removeDevices(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    const keys = await findDevices(transaction, applicationId);
    if (keys.length === 0) return false;
    const sessions = await lockSessions(transaction, await findDevicesWithSessions(transaction, keys));
    if (sessions.length === 0) await deleteDevices(transaction, keys);
    else if ((await deleteEvents(transaction, sessions)) < batch.events) await deleteSessions(transaction, sessions);
    return true;
  });
}

/** What retention has kept of its units, one batch. Returns whether there may be more. */
export async function removeFirsts(pool: Pool, applicationId: string): Promise<boolean> {
  return (await deleteFirsts(pool, applicationId, batch.firsts)) === batch.firsts;
}

async function findDevices(transaction: Transaction, applicationId: string): Promise<string[]> {
  const statement = prepared('find_devices_of_application')`/* sessions: findDevices */
    SELECT key FROM devices WHERE application_id = ${applicationId} LIMIT ${batch.devices}`;
  const { rows } = await transaction.query<{ key: string }>(statement);
  return rows.map(({ key }) => key).sort();
}

/** Sorted. */
async function findDevicesWithSessions(transaction: Transaction, deviceKeys: string[]): Promise<string[]> {
  const statement = prepared('find_devices_with_sessions')`/* sessions: findDevicesWithSessions */
    SELECT device_key FROM sessions WHERE device_key = ANY(${deviceKeys}::uuid[]) LIMIT ${batch.sessions}`;
  const { rows } = await transaction.query<{ device_key: string }>(statement);
  return [...new Set(rows.map(({ device_key }) => device_key))].sort();
}

async function lockSessions(transaction: Transaction, deviceKeys: string[]): Promise<LockedSession[]> {
  const locked: LockedSession[] = [];
  for (const key of deviceKeys) {
    if (locked.length >= batch.sessions) break;
    const statement = prepared('lock_sessions')`/* sessions: lockSessions */
      SELECT device_key, ref, (received_at AT TIME ZONE 'UTC')::date::text AS anchored_on FROM sessions
      WHERE device_key = ${key} LIMIT ${batch.sessions - locked.length} FOR UPDATE`;
    const { rows } = await transaction.query<LockedSession>(statement);
    locked.push(...rows);
  }
  return locked;
}

/** The dates name the partitions to look into. Returns the number of deleted events; a session may have any number. */
async function deleteEvents(transaction: Transaction, sessions: LockedSession[]): Promise<number> {
  const refs = sessions.map(({ ref }) => ref);
  const dates = [...new Set(sessions.map(({ anchored_on }) => anchored_on))];
  const { rowCount } = await transaction.query(prepared('delete_events')`/* sessions: deleteEvents */
    WITH batch AS MATERIALIZED (
      SELECT session_ref, id, device_key, anchored_on FROM events
      WHERE session_ref = ANY(${refs}::bigint[]) AND anchored_on = ANY(${dates}::date[])
        AND device_key = ANY(${devicesOf(sessions)}::uuid[])
      LIMIT ${batch.events})
    DELETE FROM events e USING batch
    WHERE e.session_ref = batch.session_ref AND e.id = batch.id AND e.device_key = batch.device_key
      AND e.anchored_on = batch.anchored_on`);
  return rowCount ?? 0;
}

async function deleteSessions(transaction: Transaction, sessions: LockedSession[]): Promise<void> {
  const refs = sessions.map(({ ref }) => ref);
  await transaction.query(prepared('delete_sessions')`/* sessions: deleteSessions */
    DELETE FROM sessions WHERE device_key = ANY(${devicesOf(sessions)}::uuid[]) AND ref = ANY(${refs}::bigint[])`);
  await logRemoval(transaction, sessions);
}

function devicesOf(sessions: LockedSession[]): string[] {
  return [...new Set(sessions.map(({ device_key }) => device_key))];
}

/**
 * The devices that still have no session after their rows are locked: the second statement sees rows from before the
 * lock.
 */
async function deleteDevices(transaction: Transaction, keys: string[]): Promise<void> {
  for (const key of keys) {
    await transaction.query(prepared('lock_device')`/* sessions: lockDevice */
      SELECT 1 FROM devices WHERE key = ${key} FOR UPDATE`);
    await transaction.query(prepared('delete_device')`/* sessions: deleteDevice */
      DELETE FROM devices WHERE key = ${key} AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.device_key = ${key})`);
  }
  await logRemoval(transaction, [], keys);
}
