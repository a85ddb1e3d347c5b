// The SQL that removes the devices of a deleted application with their sessions and events, in batches that block nobody.
import type { Pool } from 'pg';
import { inRemovalTransaction } from '../../platform/database/removalTransaction.ts';
import type { Transaction } from '../../platform/database/transaction.ts';

const batch = { devices: 100, sessions: 200, events: 5_000 };

interface LockedSession {
  device_key: string;
  ref: string;
  anchored_on: string;
}

/**
 * Removes one batch in a transaction and answers whether there may be more. Parents go after their children and under
 * a lock, so that an upload that is just being stored either is seen here or makes the parent anew: it leaves nothing
 * that cannot be found from its device. Rows are locked device by device, since Citus locks only rows of one shard in
 * a statement; in the order of the keys, as uploads do.
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

async function findDevices(transaction: Transaction, applicationId: string): Promise<string[]> {
  const { rows } = await transaction.query<{ key: string }>({
    name: 'find_devices_of_application',
    text: '/* sessions: findDevices */ SELECT key FROM devices WHERE application_id = $1 LIMIT $2',
    values: [applicationId, batch.devices],
  });
  return rows.map(({ key }) => key).sort();
}

/** Sorted. */
async function findDevicesWithSessions(transaction: Transaction, deviceKeys: string[]): Promise<string[]> {
  const { rows } = await transaction.query<{ device_key: string }>({
    name: 'find_devices_with_sessions',
    text: `/* sessions: findDevicesWithSessions */
      SELECT device_key FROM sessions WHERE device_key = ANY($1::uuid[]) LIMIT $2`,
    values: [deviceKeys, batch.sessions],
  });
  return [...new Set(rows.map(({ device_key }) => device_key))].sort();
}

async function lockSessions(transaction: Transaction, deviceKeys: string[]): Promise<LockedSession[]> {
  const locked: LockedSession[] = [];
  for (const key of deviceKeys) {
    if (locked.length >= batch.sessions) break;
    const { rows } = await transaction.query<LockedSession>({
      name: 'lock_sessions',
      text: `/* sessions: lockSessions */
        SELECT device_key, ref, (received_at AT TIME ZONE 'UTC')::date::text AS anchored_on FROM sessions
        WHERE device_key = $1 LIMIT $2 FOR UPDATE`,
      values: [key, batch.sessions - locked.length],
    });
    locked.push(...rows);
  }
  return locked;
}

/** The dates say which partitions are looked into. Answers how many were deleted; a session may have any number. */
async function deleteEvents(transaction: Transaction, sessions: LockedSession[]): Promise<number> {
  const { rowCount } = await transaction.query({
    name: 'delete_events',
    text: `/* sessions: deleteEvents */
      WITH batch AS MATERIALIZED (
        SELECT session_ref, id, device_key, anchored_on FROM events
        WHERE session_ref = ANY($1::bigint[]) AND anchored_on = ANY($2::date[]) AND device_key = ANY($3::uuid[])
        LIMIT $4)
      DELETE FROM events e USING batch
      WHERE e.session_ref = batch.session_ref AND e.id = batch.id AND e.device_key = batch.device_key
        AND e.anchored_on = batch.anchored_on`,
    values: [
      sessions.map(({ ref }) => ref),
      [...new Set(sessions.map(({ anchored_on }) => anchored_on))],
      devicesOf(sessions),
      batch.events,
    ],
  });
  return rowCount ?? 0;
}

async function deleteSessions(transaction: Transaction, sessions: LockedSession[]): Promise<void> {
  await transaction.query({
    name: 'delete_sessions',
    text: `/* sessions: deleteSessions */
      DELETE FROM sessions WHERE device_key = ANY($1::uuid[]) AND ref = ANY($2::bigint[])`,
    values: [devicesOf(sessions), sessions.map(({ ref }) => ref)],
  });
}

function devicesOf(sessions: LockedSession[]): string[] {
  return [...new Set(sessions.map(({ device_key }) => device_key))];
}

/** Those that still have no session once their rows are locked: the second statement sees what came before the lock. */
async function deleteDevices(transaction: Transaction, keys: string[]): Promise<void> {
  for (const key of keys) {
    await transaction.query({
      name: 'lock_device',
      text: '/* sessions: lockDevice */ SELECT 1 FROM devices WHERE key = $1 FOR UPDATE',
      values: [key],
    });
    await transaction.query({
      name: 'delete_device',
      text: `/* sessions: deleteDevice */
        DELETE FROM devices WHERE key = $1 AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.device_key = $1)`,
      values: [key],
    });
  }
}
