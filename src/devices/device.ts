// query device: the record of one device, or null when nothing has arrived from it.
import type { Pool } from 'pg';
import type { QueryDeviceArgs } from '../../generated/graphql.ts';
import type { PrismaClient } from '../../generated/prisma/client.ts';
import { measured, prepared, type SqlConnection, whileItFits } from '../platform/database/sql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { RawJson } from '../platform/json/jsonBytes.ts';
import { type ResponseBudget, withinBudget } from '../platform/responseBudget.ts';
import { type Caller, findOwnApplication, canAccess } from '../workspace/workspace.ts';
import { deviceKey } from './deviceKey.ts';

/** A device for the features that read more of it by `key`, which their rows carry. */
export interface SeenDevice extends DeviceRecord {
  id: string;
  key: string;
}

interface Needs {
  caller: Caller;
  adminPool: Pool;
  prisma: PrismaClient;
  budget: ResponseBudget;
}

/** Throws `validation_failed`. Null for an unknown device, and for an application that the caller does not reach. */
export async function device(
  { applicationId, id }: QueryDeviceArgs,
  { caller, adminPool, prisma, budget }: Needs,
): Promise<SeenDevice | null> {
  const rules = inputRules();
  if (id === '') rules.refuse('id', 'must not be empty');
  rules.text('id', id, 256);
  rules.assert();
  const { organizationId } = caller;
  if (!canAccess(caller, applicationId)) return null;
  if (!(await findOwnApplication(prisma, { organizationId, id: applicationId }))) return null;
  const key = deviceKey(applicationId, id);
  const [found] = await withinBudget(
    budget,
    (room) => findDevice(adminPool, { key, bytes: room.bytes }),
    ({ bytes }) => bytes,
  );
  return found ? { ...found, id, key } : null;
}

interface DeviceRecord {
  userId: string | null;
  /** Null while no session upload has arrived. */
  properties: RawJson | null;
  userProperties: RawJson;
  firstSeenAt: Date;
  lastSeenAt: Date;
  installs: DeviceInstall[];
}

interface DeviceInstall {
  vendorIdentifier: string;
  installedAt: Date;
  firstSeenAt: Date;
  lastSeenAt: Date;
}

/**
 * SQL, because it joins uploads of every kind. Empty when nothing has arrived. Attribution or a store transaction alone makes a device known. The statement measures
 * properties of more than `bytes`, and does not send them.
 */
export async function findDevice(
  connection: SqlConnection,
  { key, bytes }: { key: string; bytes: number },
): Promise<(DeviceRecord & { bytes: number })[]> {
  type Row = Omit<DeviceRecord, 'properties' | 'userProperties' | 'installs'> &
    StoredInstalls & { properties: string | null; userProperties: string; bytes: number };
  const statement = prepared('find_device')`/* devices: findDevice */
    SELECT d.user_id AS "userId", long.bytes, ${whileItFits('d.properties::text', bytes)} AS properties,
      ${whileItFits("coalesce(d.user_properties, '{}')::text", bytes)} AS "userProperties",
      ${whileItFits('d.installs::text', bytes)} AS installs,
      (d.properties ->> 'installDatetime') || ' ' || (d.properties ->> 'vendorIdentifier') AS present,
      d.install_since AS since, date_part('epoch', d.state_at) AS until,
      least(d.first_seen_at, a.first, t.first) AS "firstSeenAt", greatest(d.last_seen_at, a.last, t.last) AS "lastSeenAt"
    FROM (SELECT min(received_at) AS first, max(coalesce(last_received_at, received_at)) AS last
      FROM attribution_reports WHERE device_key = ${key}) a
    CROSS JOIN (SELECT min(received_at) AS first, max(received_at) AS last
      FROM store_transaction_devices WHERE device_key = ${key}) t
    LEFT JOIN devices d ON d.key = ${key}
    ${measured('d.properties', 'd.user_properties', 'd.installs')}
    WHERE d.key IS NOT NULL OR a.first IS NOT NULL OR t.first IS NOT NULL`;
  const { rows } = await connection.query<Row>(statement);
  return rows.map((row) => ({
    ...row,
    properties: row.properties === null ? null : new RawJson(row.properties),
    userProperties: new RawJson(row.userProperties),
    installs: installsOf(row),
  }));
}

interface StoredInstalls {
  /** Null where the JSON is too long. */
  installs: string | null;
  /** The key of the present install, whose times the JSON need not have (src/sessions/writer/uploadsStore.ts). */
  present: string | null;
  since: number | null;
  until: number | null;
}

/** The one seen first comes first. */
function installsOf({ installs: json, present, since, until }: StoredInstalls): DeviceInstall[] {
  const times = JSON.parse(json ?? '{}') as Record<string, [number, number]>;
  if (present !== null && since !== null && until !== null) times[present] = [since, until];
  const installs = Object.entries(times);
  installs.sort(([one, [first]], [other, [second]]) => first - second || (one < other ? -1 : 1));
  return installs.map(([key, [first, last]]) => {
    const space = key.indexOf(' ');
    return {
      vendorIdentifier: key.slice(space + 1),
      installedAt: instant(Number(key.slice(0, space))),
      firstSeenAt: instant(first),
      lastSeenAt: instant(last),
    };
  });
}

/** Cut to the millisecond, as the driver does with the times of columns. */
function instant(seconds: number): Date {
  return new Date(Math.floor(Math.round(seconds * 1e6) / 1e3));
}
