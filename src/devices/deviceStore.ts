// The SQL of one device's record: what its uploads of any kind left.
import type { Pool } from 'pg';
import { RawJson } from '../platform/rawJson.ts';

export interface DeviceRecord {
  userId: string | null;
  /** Null while no session upload has arrived. */
  properties: RawJson | null;
  userProperties: RawJson;
  firstSeenAt: Date;
  lastSeenAt: Date;
}

/** Null when nothing has arrived; attribution or a transaction alone make a device known. */
export async function findDevice(pool: Pool, key: string): Promise<DeviceRecord | null> {
  type Row = Omit<DeviceRecord, 'properties' | 'userProperties'> & {
    properties: string | null;
    userProperties: string;
  };
  const { rows } = await pool.query<Row>({
    name: 'find_device',
    text: `/* devices: findDevice */
      SELECT d.user_id AS "userId", d.properties::text, coalesce(d.user_properties, '{}')::text AS "userProperties",
        least(d.first_seen_at, a.first, t.first) AS "firstSeenAt", greatest(d.last_seen_at, a.last, t.last) AS "lastSeenAt"
      FROM (SELECT min(received_at) AS first, max(received_at) AS last FROM attribution_reports WHERE device_key = $1) a
      CROSS JOIN (SELECT min(received_at) AS first, max(received_at) AS last
        FROM store_transaction_devices WHERE device_key = $1) t
      LEFT JOIN devices d ON d.key = $1
      WHERE d.key IS NOT NULL OR a.first IS NOT NULL OR t.first IS NOT NULL`,
    values: [key],
  });
  const [row] = rows;
  if (!row) return null;
  const properties = row.properties === null ? null : new RawJson(row.properties);
  return { ...row, properties, userProperties: new RawJson(row.userProperties) };
}
