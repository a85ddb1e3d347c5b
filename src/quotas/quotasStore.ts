// The SQL of quotas: what all processes have used in the present hour, and what the database knows of a device.
import type { Pool } from 'pg';
import { plainArray, prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import {
  boundOperations,
  type QuotaOwner,
  type Settled,
  signedSessions,
  type Standing,
  type Unsettled,
} from './quotas.ts';

/** Adds to the present hour, and returns its totals. The rows are in one order, so that two processes cannot deadlock. */
export async function settleUses(
  connection: SqlConnection,
  uses: readonly (QuotaOwner & Unsettled)[],
): Promise<(QuotaOwner & Settled)[]> {
  const statement = prepared('settle_quota_uses')`/* quotas: settleUses */
    INSERT INTO quota_uses AS u (application_id, operation, hour, bytes, devices, refused)
    SELECT t.application, t.operation, date_trunc('hour', now(), 'UTC'), t.bytes, t.devices, t.refused
    FROM unnest(${uses.map(({ applicationId }) => applicationId)}::uuid[], ${uses.map(({ operation }) => operation)}::text[],
      ${uses.map(({ bytes }) => bytes)}::int8[], ${uses.map(({ devices }) => devices)}::int8[],
      ${uses.map(({ refused }) => refused)}::int8[]) AS t (application, operation, bytes, devices, refused)
    JOIN applications a ON a.id = t.application AND a.deleted_at IS NULL
    ORDER BY t.application, t.operation
    ON CONFLICT (application_id, operation, hour) DO UPDATE SET bytes = u.bytes + excluded.bytes,
      devices = u.devices + excluded.devices, refused = u.refused + excluded.refused
    RETURNING application_id AS "applicationId", operation, bytes::float8 AS bytes, devices::float8 AS devices,
      extract(epoch FROM u.hour + interval '1 hour' - now())::float8 AS "secondsLeft"`;
  const { rows } = await connection.query<QuotaOwner & Settled>(statement);
  return rows;
}

/** Of each device, in the order given: one statement for all, and one more for those that no upload has reported. */
export async function findStandings(connection: SqlConnection, deviceKeys: readonly string[]): Promise<Standing[]> {
  const keys = plainArray(deviceKeys);
  const { rows } = await connection.query<{ key: string; signed: boolean }>(
    prepared('find_stored_devices')`/* quotas: findStoredDevices */
    SELECT key, signed FROM devices WHERE key = ANY(${keys}::uuid[])`,
  );
  const signed = new Map(rows.map((row) => [row.key, row.signed]));
  const reporters = await findReporters(connection, [...new Set(deviceKeys.filter((key) => !signed.has(key)))]);
  return deviceKeys.map((key) => ({
    known: signed.has(key) || reporters.has(key),
    signed: signed.get(key) ?? false,
  }));
}

/** A device may have any number of reports, so each statement reads only so many rows. */
const reportsAtOnce = 256;

/** Those of the devices that have sent attribution or transactions. Only a device with very many reports costs a statement more. */
export async function findReporters(connection: SqlConnection, deviceKeys: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (let left = deviceKeys; left.length > 0; left = left.filter((key) => !found.has(key))) {
    const keys = plainArray(left);
    const { rows } = await connection.query<{ key: string }>(prepared('find_reporters')`/* quotas: findReporters */
      (SELECT device_key AS key FROM attribution_reports WHERE device_key = ANY(${keys}::uuid[]) LIMIT ${reportsAtOnce})
      UNION ALL
      (SELECT device_key FROM store_transaction_devices WHERE device_key = ANY(${keys}::uuid[]) LIMIT ${reportsAtOnce})`);
    for (const { key } of rows) found.add(key);
    // Otherwise both tables have been read to their end.
    if (rows.length < reportsAtOnce) break;
  }
  return found;
}

export interface HourOfQuota {
  applicationId: string;
  operation: QuotaOwner['operation'];
  since: Date;
  bytes: number;
  newDevices: number;
  refused: number;
  refusedInDay: number;
}

/** The present hour of each operation of these applications. */
export async function findHours(pool: Pool, applicationIds: readonly string[], take: number): Promise<HourOfQuota[]> {
  const { rows } = await pool.query<HourOfQuota>(prepared('find_quota_hours')`/* quotas: findHours */
    SELECT a.id AS "applicationId", o.operation, h.hour AS since,
      coalesce(sum(u.bytes) FILTER (WHERE u.hour = h.hour), 0)::float8 AS bytes,
      least(coalesce(sum(u.devices) FILTER (WHERE u.hour = h.hour), 0), 2147483647)::integer AS "newDevices",
      least(coalesce(sum(u.refused) FILTER (WHERE u.hour = h.hour), 0), 2147483647)::integer AS refused,
      least(coalesce(sum(u.refused), 0), 2147483647)::integer AS "refusedInDay"
    FROM unnest(${applicationIds}::uuid[]) AS a (id)
    CROSS JOIN unnest(${[...boundOperations, signedSessions]}::text[]) WITH ORDINALITY AS o (operation, place)
    CROSS JOIN (SELECT date_trunc('hour', now(), 'UTC') AS hour) AS h
    LEFT JOIN quota_uses u
      ON u.application_id = a.id AND u.operation = o.operation AND u.hour > h.hour - interval '24 hours'
    GROUP BY a.id, o.operation, o.place, h.hour ORDER BY a.id, o.place LIMIT ${take}`);
  return rows;
}

/** `Application.ingestQuotas` looks back over 24 hours. */
export async function deleteOldUses(connection: SqlConnection): Promise<void> {
  await connection.query(sql`/* quotas: deleteOldUses */
    DELETE FROM quota_uses WHERE hour < now() - interval '8 days'`);
}

// The SQL that removes the counted use of a deleted application's quotas: at most four rows for each hour of eight days.

/** Returns whether there may be more. */
export async function removeQuotaUses(pool: Pool, applicationId: string): Promise<boolean> {
  await pool.query(sql`/* quotas: removeQuotaUses */ DELETE FROM quota_uses WHERE application_id = ${applicationId}`);
  return false;
}
