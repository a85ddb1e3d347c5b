// Removes attribution: of EVENT_RETENTION_DAYS old reports whose payloads have all come again later, and all of a deleted application.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { prepared, sql } from '../platform/database/sql.ts';
import { inRemovalTransaction, type Transaction } from '../platform/database/transaction.ts';
import type { Log } from '../platform/observability/log.ts';

/** A batch in which nothing goes takes some 25 ms, one in which most go some 130 ms. The pause leaves the disk to uploads. `most` batches are a run; the next one continues. */
const batch = { reports: 1_000, pauseMillis: 20, most: 1_000 };

/** Any number of processes may run it: they share one walk, which begins at most once a day. */
export async function removeOldAttribution(
  pool: Pool,
  { daysKept, log, size = batch.reports }: { daysKept: number; log: Log; size?: number },
): Promise<void> {
  let removed = 0;
  for (let round = 0; round < batch.most; round++) {
    const result = await inRemovalTransaction(pool, (transaction) => walkOn(transaction, { daysKept, size }));
    removed += result.removed;
    if (result.ended) break;
    await sleep(batch.pauseMillis);
  }
  if (removed > 0) log.info({ reports: removed }, 'old attribution was removed');
}

async function walkOn(
  transaction: Transaction,
  { daysKept, size }: { daysKept: number; size: number },
): Promise<{ removed: number; ended: boolean }> {
  // The walk is this transaction's until it ends. None is due, or another process holds it: no row.
  const walks = await transaction.query<{ position: WalkPosition | null }>(sql`/* attribution: takeWalk */
    SELECT position FROM retention_walks WHERE name = 'attribution' AND due_at <= now() FOR UPDATE SKIP LOCKED`);
  const [walk] = walks.rows;
  if (!walk) return { removed: 0, ended: true };
  const reports = await nextReports(transaction, { after: walk.position, limit: size, daysKept });
  const { superseded, firsts, position } = supersededReports(reports, walk.position);
  // So that `Device.firstSeenAt` stays what it was. The last arrival stays, too.
  for (const { deviceKey, bodyHash, firstAt } of firsts)
    await transaction.query(sql`/* attribution: keepFirstArrival */
      UPDATE attribution_reports SET last_received_at = coalesce(last_received_at, received_at),
        received_at = least(received_at, ${`${firstAt}+00`}::timestamptz)
      WHERE device_key = ${deviceKey}::uuid AND body_hash = decode(${bodyHash}, 'hex')`);
  const removed = await deleteReports(transaction, superseded, daysKept);
  const ended = reports.length < size;
  // Null ends the walk. The next one is due a day later.
  const text = ended ? null : JSON.stringify(position);
  await transaction.query(sql`/* attribution: saveWalk */
    UPDATE retention_walks SET position = ${text}::jsonb,
      due_at = CASE WHEN ${text}::jsonb IS NULL THEN now() + interval '1 day' ELSE due_at END
    WHERE name = 'attribution'`);
  return { removed, ended };
}

/** A report as the walk sees it: device by device, the last arrival first, of equal ones the smaller hash. */
export interface WalkedReport {
  deviceKey: string;
  /** In hexadecimal. */
  bodyHash: string;
  /** Its last arrival, and the first one: texts to the microsecond, which compare in the order of their times. */
  at: string;
  firstAt: string;
  /** The last arrival is older than reports are kept. */
  old: boolean;
  /** The payloads that it has. */
  payloads: string[];
}

/** Where the walk has come to. JSON keeps it between two batches. */
export interface WalkPosition {
  deviceKey: string;
  at: string;
  bodyHash: string;
  /** The device's latest report, which stays, and the first arrival that its row tells. */
  kept: { bodyHash: string; firstAt: string };
  /** The payloads of the device's reports so far: each has come later than those that follow. */
  seen: string[];
}

interface WalkedBatch {
  superseded: WalkedReport[];
  /** The kept reports whose rows are to tell an earlier first arrival, that of a superseded report. */
  firsts: { deviceKey: string; bodyHash: string; firstAt: string }[];
  position: WalkPosition | null;
}

/**
 * A report is superseded when it is old and each of its payloads has come again later. The latest report of a device stays
 * whatever it has: it tells when the device was last seen.
 */
export function supersededReports(reports: readonly WalkedReport[], from: WalkPosition | null): WalkedBatch {
  const superseded: WalkedReport[] = [];
  const firsts = new Map<string, WalkedBatch['firsts'][number]>();
  let position = from;
  for (const report of reports) {
    const { deviceKey, at, bodyHash, firstAt, payloads } = report;
    const before = position?.deviceKey === deviceKey ? position : null;
    const kept = before?.kept ?? { bodyHash, firstAt };
    const goes = before !== null && report.old && payloads.every((payload) => before.seen.includes(payload));
    const seen = goes ? before.seen : [...new Set([...(before?.seen ?? []), ...payloads])];
    position = { deviceKey, at, bodyHash, kept, seen };
    if (!goes) continue;
    superseded.push(report);
    if (firstAt >= kept.firstAt) continue;
    position.kept = { ...kept, firstAt };
    firsts.set(deviceKey, { deviceKey, bodyHash: kept.bodyHash, firstAt });
  }
  return { superseded, firsts: [...firsts.values()], position };
}

/** UTC, because texts of one offset compare in the order of their times. */
const columns = (daysKept: number) => sql`device_key AS "deviceKey", encode(body_hash, 'hex') AS "bodyHash",
  to_char(coalesce(last_received_at, received_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS at,
  to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS "firstAt",
  coalesce(last_received_at, received_at) < now() - make_interval(days => ${daysKept}) AS old,
  array_remove(ARRAY[CASE WHEN provider_a IS NOT NULL THEN 'provider_a' END,
    CASE WHEN store_search_ads IS NOT NULL THEN 'store_search_ads' END,
    CASE WHEN provider_b IS NOT NULL THEN 'provider_b' END, CASE WHEN custom IS NOT NULL THEN 'custom' END], NULL) AS payloads`;

interface Stretch {
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

const batchSize = 1_000;

/** Of a deleted application one batch. Returns whether there may be more. */
export function removeAttribution(pool: Pool, applicationId: string): Promise<boolean> {
  return inRemovalTransaction(pool, async (transaction) => {
    const { rowCount } = await transaction.query(prepared('remove_attribution')`/* attribution: removeAttribution */
      WITH batch AS MATERIALIZED (
        SELECT device_key, body_hash FROM attribution_reports WHERE application_id = ${applicationId} LIMIT ${batchSize})
      DELETE FROM attribution_reports r USING batch
      WHERE r.device_key = batch.device_key AND r.body_hash = batch.body_hash`);
    return rowCount === batchSize;
  });
}
