// The SQL that compares the state of a device with the stored one, for uploads of which the added bytes are counted.
import { prepared } from '../../platform/database/sql.ts';
import type { SqlConnection } from '../../platform/database/sqlClient.ts';
import type { DeviceRow } from '../upload.ts';

/** Whether the stored state has all of this one: then the upload adds none, whether it replaces or merges. */
export async function holdsState(
  connection: SqlConnection,
  { key, properties, userProperties }: Pick<DeviceRow, 'key' | 'properties' | 'userProperties'>,
): Promise<boolean> {
  const { rows } = await connection.query<{ held: boolean }>(prepared('holds_state')`/* sessions: holdsState */
    SELECT properties @> ${properties}::jsonb AND user_properties @> ${userProperties}::jsonb AS held
    FROM devices WHERE key = ${key}`);
  return rows[0]?.held ?? false;
}
