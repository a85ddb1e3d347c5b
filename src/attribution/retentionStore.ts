// The SQL by which retention walks over attribution reports and removes superseded ones.
import { sql } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import type { WalkedBatch, WalkedReport, WalkPosition } from './supersededReports.ts';

/** Null where no walk is due, or another process holds it. The walk is the transaction's until it ends. */
export async function takeWalk(transaction: Transaction): Promise<{ position: WalkPosition | null } | null> {
  const { rows } = await transaction.query<{ position: WalkPosition | null }>(sql`/* attribution: takeWalk */
    SELECT position FROM retention_walks WHERE name = 'attribution' AND due_at <= now() FOR UPDATE SKIP LOCKED`);
  return rows[0] ?? null;
}

/** Null ends the walk. The next one is due a day later. */
export async function saveWalk(transaction: Transaction, position: WalkPosition | null): Promise<void> {
  const text = position && JSON.stringify(position);
  await transaction.query(sql`/* attribution: saveWalk */
    UPDATE retention_walks SET position = ${text}::jsonb,
      due_at = CASE WHEN ${text}::jsonb IS NULL THEN now() + interval '1 day' ELSE due_at END
    WHERE name = 'attribution'`);
}

/** UTC, because texts of one offset compare in the order of their times. */
const columns = (daysKept: number) => sql`device_key AS "deviceKey", encode(body_hash, 'hex') AS "bodyHash",
  to_char(coalesce(last_received_at, received_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS at,
  to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS "firstAt",
  coalesce(last_received_at, received_at) < now() - make_interval(days => ${daysKept}) AS old,
  array_remove(ARRAY[CASE WHEN provider_a IS NOT NULL THEN 'provider_a' END,
    CASE WHEN store_search_ads IS NOT NULL THEN 'store_search_ads' END,
    CASE WHEN provider_b IS NOT NULL THEN 'provider_b' END, CASE WHEN custom IS NOT NULL THEN 'custom' END], NULL) AS payloads`;

export interface Stretch {
  after: WalkPosition | null;
  limit: number;
  daysKept: number;
}

/** The next reports of the walk: first the others of the device at which it stands. */
export async function nextReports(transaction: Transaction, stretch: Stretch): Promise<WalkedReport[]> {
  const { after, limit } = stretch;
  const rest = after ? await restOfDevice(transaction, { ...stretch, after }) : [];
  const others = await reportsOfOthers(transaction, { ...stretch, limit: limit - rest.length });
  return [...rest, ...others];
}

/** Of a device with any number of reports: the index begins at the place in it. */
async function restOfDevice(
  transaction: Transaction,
  { after: { deviceKey, at, bodyHash }, limit, daysKept }: Stretch & { after: WalkPosition },
): Promise<WalkedReport[]> {
  const instant = `${at}+00`;
  const { rows } = await transaction.query<WalkedReport>(sql`/* attribution: restOfDevice */
    SELECT ${columns(daysKept)} FROM attribution_reports
    WHERE device_key = ${deviceKey}::uuid AND coalesce(last_received_at, received_at) <= ${instant}::timestamptz
      AND (coalesce(last_received_at, received_at) < ${instant}::timestamptz OR body_hash > decode(${bodyHash}, 'hex'))
    ORDER BY coalesce(last_received_at, received_at) DESC, body_hash LIMIT ${limit}`);
  return rows;
}

async function reportsOfOthers(transaction: Transaction, { after, limit, daysKept }: Stretch): Promise<WalkedReport[]> {
  const from = after?.deviceKey ?? '00000000-0000-0000-0000-000000000000';
  const { rows } = await transaction.query<WalkedReport>(sql`/* attribution: reportsOfOthers */
    SELECT ${columns(daysKept)} FROM attribution_reports WHERE device_key > ${from}::uuid
    ORDER BY device_key, coalesce(last_received_at, received_at) DESC, body_hash LIMIT ${limit}`);
  return rows;
}

/** A report that has arrived again in the meantime stays. A hash contains the device: no two devices share one. */
export async function deleteReports(
  transaction: Transaction,
  reports: readonly WalkedReport[],
  daysKept: number,
): Promise<number> {
  if (reports.length === 0) return 0;
  const deviceKeys = [...new Set(reports.map(({ deviceKey }) => deviceKey))];
  const hashes = reports.map(({ bodyHash }) => Buffer.from(bodyHash, 'hex'));
  const { rowCount } = await transaction.query(sql`/* attribution: deleteReports */
    DELETE FROM attribution_reports WHERE device_key = ANY(${deviceKeys}::uuid[]) AND body_hash = ANY(${hashes}::bytea[])
      AND coalesce(last_received_at, received_at) < now() - make_interval(days => ${daysKept})`);
  return rowCount ?? 0;
}

/** So that `Device.firstSeenAt` stays what it was. The last arrival stays, too. */
export async function keepFirstArrival(transaction: Transaction, first: WalkedBatch['firsts'][number]): Promise<void> {
  const { deviceKey, bodyHash } = first;
  const firstAt = `${first.firstAt}+00`;
  await transaction.query(sql`/* attribution: keepFirstArrival */
    UPDATE attribution_reports SET last_received_at = coalesce(last_received_at, received_at),
      received_at = least(received_at, ${firstAt}::timestamptz)
    WHERE device_key = ${deviceKey}::uuid AND body_hash = decode(${bodyHash}, 'hex')`);
}
