// One upload of transaction ids: its rows, which of them are looked up, and the places in which their look-ups wait.
import { prepared, sql, type Sql } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';

interface Upload {
  applicationId: string;
  deviceKey: string;
  /** Unique and sorted. */
  transactionIds: string[];
}

/** A signed upload of sessions has reported the device, or it holds a purchase. For a pipeline too. */
export async function isProven(transaction: Transaction, deviceKey: string): Promise<boolean> {
  const signed = transaction.query(prepared('is_signed_device')`/* purchases: isSignedDevice */
    SELECT FROM devices WHERE key = ${deviceKey} AND signed`);
  const holding = transaction.query(prepared('holds_a_line')`/* purchases: isProven */
    SELECT FROM store_holders WHERE held_by = ${deviceKey} LIMIT 1`);
  return (await Promise.all([signed, holding])).some(({ rowCount }) => rowCount === 1);
}

/**
 * Adds the rows that are missing, and locks all of them in one pass in the order of their ids. Those that are added first
 * and the others after them would be a circle with a look-up that stores both. Returns the ids of those that are new.
 */
export async function lockTransactions(
  transaction: Transaction,
  { applicationId, deviceKey, transactionIds }: Omit<Upload, 'deviceKey'> & { deviceKey: string | null },
): Promise<string[]> {
  const statement = prepared('lock_transactions')`/* purchases: lockTransactions */
    INSERT INTO store_transactions AS s (id, application_id, uploaded_by)
    SELECT id, ${applicationId}, ${deviceKey} FROM unnest(${transactionIds}::text[]) AS t (id)
    ORDER BY id COLLATE "C" ON CONFLICT (id, application_id) DO UPDATE SET waits = s.waits WHERE false RETURNING id`;
  const { rows } = await transaction.query<{ id: string }>(statement);
  return rows.map(({ id }) => id);
}

/**
 * Stores what is new, and locks all rows in the order of their ids until the transaction ends: a look-up that ends at the
 * same moment either sees this upload, or is seen by it. For a pipeline too.
 */
export async function nameTransactions(transaction: Transaction, upload: Upload): Promise<NamedTransaction[]> {
  const { applicationId, deviceKey, transactionIds } = upload;
  const inserted = lockTransactions(transaction, upload);
  const statement = prepared('lock_named_transactions')`/* purchases: nameTransactions */
    SELECT s.id, s.state::text AS state, s.reason, s.behind, s.last_looked_up_at AS "lastLookedUpAt",
      s.waits AND NOT s.behind AND s.state = 'PENDING' AND s.uploaded_by = ${deviceKey} AS "takesRoom",
      NOT EXISTS (SELECT FROM store_claims c WHERE c.transaction_id = s.id AND c.application_id = s.application_id
        AND c.uploaded_by = ${deviceKey}) AS "isNewToDevice"
    FROM store_transactions s
    WHERE s.application_id = ${applicationId} AND s.id = ANY(${transactionIds}::text[])
    ORDER BY s.id COLLATE "C" FOR UPDATE OF s`;
  const locked = transaction.query<Omit<NamedTransaction, 'isNew'>>(statement);
  const [added, { rows }] = await Promise.all([inserted, locked]);
  const isNew = new Set(added);
  return rows.map((row) => ({ ...row, isNew: isNew.has(row.id) }));
}

/** So many PENDING transactions of a proven device wait for their look-up in front: its latest ones. */
export const roomOfOneDevice = 20;

/** So many of its further ones wait behind, with a job: a stranger may have named the device. */
export const furtherOfOneDevice = 1_000;

export interface Room {
  /** In front. Given to one upload of a device at a time, else many at once would each find all of it. */
  places: number;
  further: number;
}

export async function findRoom(transaction: Transaction, deviceKey: string): Promise<Room> {
  const statement = prepared('find_room_of_device')`/* purchases: findRoom */
    SELECT CASE WHEN pg_try_advisory_xact_lock(hashtextextended('purchases: room ' || ${deviceKey}::uuid, 0))
        THEN ${roomOfOneDevice}::int ELSE 0 END AS places,
      ${furtherOfOneDevice}::int - (SELECT count(*) FROM (SELECT FROM store_transactions
        WHERE uploaded_by = ${deviceKey} AND waits AND behind LIMIT ${furtherOfOneDevice}) waiting)::int AS further`;
  const { rows } = await transaction.query<Room>(statement);
  return rows[0]!;
}

/**
 * The device's earliest ones in front go behind, so that what it uploads now finds room. Returns their ids. A transaction that
 * is being looked up stays, and one that another upload has locked: waiting for its row could be a circle.
 */
export async function makeRoom(
  transaction: Transaction,
  { applicationId, deviceKey, transactionIds }: Upload,
  kept: number,
): Promise<string[]> {
  const statement = prepared('make_room')`/* purchases: makeRoom */
    WITH gone AS MATERIALIZED (
      SELECT id FROM store_transactions
      WHERE uploaded_by = ${deviceKey} AND application_id = ${applicationId} AND waits AND NOT behind AND state = 'PENDING'
        AND looking_until IS NULL AND id <> ALL(${transactionIds}::text[])
      ORDER BY received_at DESC, id DESC OFFSET ${kept} FOR UPDATE SKIP LOCKED)
    UPDATE store_transactions t SET behind = true FROM gone
    WHERE t.id = gone.id AND t.application_id = ${applicationId} RETURNING t.id`;
  const { rows } = await transaction.query<{ id: string }>(statement);
  return rows.map(({ id }) => id);
}

/** So many transactions of all devices of an application that are not proven wait for a look-up at a time. */
export const unprovenPlaces = 1_000;

/** The key of the advisory lock of an application's places. */
const lockOfPlaces = (applicationId: string) =>
  sql`hashtextextended('purchases: places ' || ${applicationId}::uuid, 0)`;

/** Waits for uploads that have the places. A statement of its own: the next one sees what they have stored. */
export async function lockPlaces(transaction: Transaction, applicationId: string): Promise<void> {
  await transaction.query(prepared('lock_places')`/* purchases: lockPlaces */
    SELECT pg_advisory_xact_lock(${lockOfPlaces(applicationId)})`);
}

/**
 * How many more of them may wait. Given to one transaction of an application at a time; the others find none, and no upload
 * waits for another one.
 */
export async function findVacancies(transaction: Transaction, applicationId: string): Promise<number> {
  const statement = prepared('find_vacancies')`/* purchases: findVacancies */
    SELECT CASE WHEN pg_try_advisory_xact_lock(${lockOfPlaces(applicationId)}) THEN
      ${unprovenPlaces}::int - (SELECT count(*) FROM (SELECT FROM store_transactions
        WHERE application_id = ${applicationId} AND takes_place LIMIT ${unprovenPlaces}) waiting)
      ELSE 0 END::int AS places`;
  const { rows } = await transaction.query<{ places: number }>(statement);
  return rows[0]!.places;
}

interface Placement {
  proven: boolean;
  placed: Placed[];
}

/** The rounds of one device: its first transaction in a line comes in the first round, its second one in the second. */
const mostRounds = 1_000;

/** How many of the device's transactions come before these: those that wait in front; behind, all that it uploaded there. */
const roundsOf = (deviceKey: string, ids: string[], line: Sql) => sql`(SELECT count(*) FROM (
  SELECT FROM store_transactions o WHERE o.uploaded_by = ${deviceKey} AND ${line} AND o.id <> ALL(${ids}::text[])
  LIMIT ${mostRounds}) before)`;

/** The 24 hours in which the store may not know an id begin anew with a repeated upload that is looked up in front. */
export async function place(
  transaction: Transaction,
  { applicationId, deviceKey, proven, placed }: Pick<Upload, 'applicationId' | 'deviceKey'> & Placement,
): Promise<void> {
  if (placed.length === 0) return;
  const ids = placed.map(({ id }) => id);
  const behind = placed.map((one) => one.behind);
  const asks = placed.map((one) => one.asks);
  await transaction.query(prepared('place_transactions')`/* purchases: place */
    UPDATE store_transactions s SET behind = coalesce(t.behind, true),
      uploaded_by = CASE WHEN s.state = 'PENDING' AND NOT s.behind THEN s.uploaded_by ELSE ${deviceKey}::uuid END,
      waits = t.behind IS NOT NULL AND (t.asks OR s.waits), takes_place = t.asks AND t.behind AND NOT ${proven}::boolean,
      reason = CASE WHEN t.behind IS NULL THEN 'waiting_in_line' ELSE nullif(s.reason, 'waiting_in_line') END,
      look_up_at = CASE WHEN t.asks THEN now() ELSE s.look_up_at END,
      look_up_ended = s.look_up_ended AND NOT t.asks, look_up_failures = 0,
      look_up_attempt = CASE WHEN t.asks THEN 0 ELSE s.look_up_attempt END,
      look_up_round = CASE WHEN t.behind = false THEN ${roundsOf(deviceKey, ids, sql`o.waits AND NOT o.behind`)} ELSE
        ${roundsOf(deviceKey, ids, sql`o.behind`)} END + t.turn - 1,
      not_known_since = CASE WHEN s.state = 'PENDING' AND t.behind IS DISTINCT FROM false THEN s.not_known_since END
    FROM unnest(${ids}::text[], ${behind}::boolean[], ${asks}::boolean[]) WITH ORDINALITY AS t (id, behind, asks, turn)
    WHERE s.id = t.id AND s.application_id = ${applicationId}`);
}

/** The device lists the transactions from now on. */
export async function saveUploads(
  transaction: Transaction,
  report: Upload & { deviceId: string; externalId: string | null },
): Promise<void> {
  const { applicationId, deviceKey, deviceId, externalId, transactionIds } = report;
  await transaction.query(prepared('insert_store_transaction_devices')`/* purchases: saveUploads */
    INSERT INTO store_transaction_devices AS d (device_key, transaction_id, application_id, device_id, external_id)
    SELECT ${deviceKey}, id, ${applicationId}, ${deviceId}, ${externalId}
    FROM unnest(${transactionIds}::text[]) AS t (id)
    ON CONFLICT (device_key, transaction_id) DO UPDATE SET external_id = excluded.external_id
    WHERE excluded.external_id IS DISTINCT FROM d.external_id AND excluded.external_id IS NOT NULL`);
}

/** A stored transaction that an upload names. */
export interface NamedTransaction {
  id: string;
  /** This upload has stored it. */
  isNew: boolean;
  /** No upload of this device has named it before. */
  isNewToDevice: boolean;
  state: string;
  reason: string | null;
  behind: boolean;
  /** It waits in front for this device. */
  takesRoom: boolean;
  lastLookedUpAt: Date | null;
}

export interface Line {
  /** A proven device's transactions come before those of the others. */
  proven: boolean;
  /** For a proven device, how many of its transactions may wait in front; for the others, how many more may wait at all. */
  places: number;
  /** How many more of a proven device may wait behind. */
  further?: number;
  now: Date;
}

export interface Placed {
  id: string;
  /** Null: stored without a job until a place is free. */
  behind: boolean | null;
  /** A look-up is asked for now. Without, the transaction moves forward for the look-up that comes anyway. */
  asks: boolean;
}

/** A look-up so long ago is repeated when the id is uploaded again. */
const againAfterMillis = 60_000;

/** openapi.yaml, "Look-up in the store". The transactions whose look-up begins now or whose place changes, in the order given. The others stay as they are. */
export function lineUp(named: NamedTransaction[], { proven, places, further = 0, now }: Line): Placed[] {
  let free = proven ? places - named.filter(({ takesRoom }) => takesRoom).length : places;
  let freeBehind = further;
  return named.flatMap((one): Placed[] => {
    const { id, isNew } = one;
    const asks = isAsked(one, { proven, now });
    const forward = proven && one.behind && one.state === 'PENDING';
    if (!asks && !forward) return [];
    const inTime = free > 0;
    if (inTime) free -= 1;
    if (!asks) return inTime ? [{ id, behind: false, asks: one.reason === null && one.lastLookedUpAt === null }] : [];
    // Nobody can move back what waits in front already.
    const inFront = !isNew && one.state === 'PENDING' && !one.behind;
    if (inFront || (proven && inTime)) return [{ id, behind: false, asks }];
    if (inTime || (proven && freeBehind-- > 0)) return [{ id, behind: true, asks }];
    return isNew ? [{ id, behind: null, asks: false }] : [];
  });
}

function isAsked(
  { isNew, isNewToDevice, state, reason, lastLookedUpAt }: NamedTransaction,
  { proven, now }: Pick<Line, 'proven' | 'now'>,
): boolean {
  if (isNew || reason === 'waiting_in_line') return true;
  if (lastLookedUpAt === null) return state !== 'PENDING';
  // An id that somebody named before it was sold is its buyer's at his upload.
  if (proven && isNewToDevice && (reason === 'not_known_yet' || state === 'NOT_FOUND')) return true;
  return now.getTime() - lastLookedUpAt.getTime() > againAfterMillis;
}
