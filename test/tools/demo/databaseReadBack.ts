// Reads stored devices straight from the tables of prisma/schema.prisma.
import type { Pool } from 'pg';
import { deviceKey } from '../../../src/devices/deviceKey.ts';
import { unpackId } from '../../../src/sessions/upload.ts';
import type { ReadBack, StoredDevice } from './readBack.ts';
import type { PropertyValue } from './sdk/wire.ts';

/** Reads the devices of the public key's application. Throws when this database does not know the key. */
export async function openDatabaseReadBack(pool: Pool, publicKey: string): Promise<ReadBack> {
  const { rows } = await pool.query<{ application_id: string }>(
    'SELECT application_id FROM api_keys WHERE public = $1',
    [publicKey],
  );
  const applicationId = rows[0]?.application_id;
  if (applicationId === undefined)
    throw new Error("This database does not know the public key: it is not the service's database.");
  return { storedDevice: (deviceId) => readDevice(pool, deviceKey(applicationId, deviceId)) };
}

async function readDevice(pool: Pool, key: string): Promise<StoredDevice | null> {
  const devices = await pool.query<{ user_properties: Record<string, PropertyValue>; attribution: number }>(
    `SELECT user_properties,
       (SELECT count(*)::integer FROM attribution_reports WHERE device_key = $1) AS attribution
     FROM devices WHERE key = $1`,
    [key],
  );
  const device = devices.rows[0];
  if (!device) return null;
  const { rows } = await pool.query<{ id: string; finished: boolean; events: Buffer[] }>(
    `SELECT s.id, s.finished_at IS NOT NULL AS finished,
       array(SELECT e.id FROM events e WHERE e.session_ref = s.ref AND e.device_key = $1) AS events
     FROM sessions s WHERE s.device_key = $1`,
    [key],
  );
  const sessions = rows.map(({ id, finished, events }) => [id, { finished, eventIds: events.map(unpackId) }] as const);
  return {
    sessions: new Map(sessions),
    userProperties: new Map(Object.entries(device.user_properties)),
    attributionReports: device.attribution,
  };
}
