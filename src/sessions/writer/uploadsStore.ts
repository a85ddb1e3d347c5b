// The SQL of a batch of uploads. Each statement takes arrays of rows sorted by key: two batches never wait for each other in a circle.
import {
  BinaryRows,
  byteArray,
  copyFrom,
  plainArray,
  prepared,
  raw,
  sql,
  type Sql,
  type SqlConnection,
  textArray,
} from '../../platform/database/sql.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import {
  type CampaignOutcome,
  type DeviceRow,
  type EventRow,
  lowercaseUuidTag,
  type NonceRow,
  packId,
  sessionKey,
  type SessionRow,
  timestampText,
  trueFuture,
  truePast,
  unpackId,
} from '../upload.ts';

/** The fields of a session that an event stores: its number, and the date that anchors the event's partition. */
export interface SessionAnchor {
  ref: string;
  /** The session's first arrival in Unix seconds. */
  receivedAt: number;
  anchoredOn: string;
  /** This transaction has inserted the session, so that no other can have stored an event of it. */
  isNew: boolean;
  /** The session has no finish after the statement. */
  isOpen: boolean;
}

export interface CountIncrement extends CampaignOutcome {
  applicationId: string;
  count: number;
}

function nonceInsertion(nonces: NonceRow[]): Sql {
  const texts = textArray(column(nonces, 'nonce'));
  const applicationIds = plainArray(column(nonces, 'applicationId'));
  const bodyHashes = byteArray(column(nonces, 'bodyHash'));
  return sql`/* sessions: insertNonces */
    INSERT INTO nonces (nonce, application_id, body_hash)
    SELECT * FROM unnest(${texts}::text[], ${applicationIds}::uuid[], ${bodyHashes}::bytea[])
    ON CONFLICT DO NOTHING`;
}

/** Returns whether all nonces were new. A transaction that loses a race waits for the winner's commit. */
export async function insertNewNonces(transaction: Transaction, nonces: NonceRow[]): Promise<boolean> {
  const { rowCount } = await transaction.query(prepared('insert_new_nonces')`${nonceInsertion(nonces)}`);
  return rowCount === nonces.length;
}

/** The same, and returns for each nonce, in the order given, whether it was new. */
export async function insertNonces(transaction: Transaction, nonces: NonceRow[]): Promise<boolean[]> {
  const statement = prepared('insert_nonces')`${nonceInsertion(nonces)} RETURNING nonce, application_id`;
  const { rows } = await transaction.query<{ nonce: string; application_id: string }>(statement);
  const inserted = new Set(rows.map((row) => `${row.application_id}\0${row.nonce}`));
  return nonces.map((row) => inserted.has(`${row.applicationId}\0${row.nonce}`));
}

/** The hash of the body that first came with each nonce, null where the nonce is unknown; in the order given. */
export async function findNonceBodies(
  connection: SqlConnection,
  nonces: Pick<NonceRow, 'nonce' | 'applicationId'>[],
): Promise<(Buffer | null)[]> {
  const [texts, applicationIds] = [column(nonces, 'nonce'), column(nonces, 'applicationId')];
  const statement = prepared('find_nonce_bodies')`/* sessions: findNonceBodies */
    SELECT nonce, application_id, body_hash FROM nonces
    WHERE nonce = ANY(${texts}::text[]) AND application_id = ANY(${applicationIds}::uuid[])`;
  const { rows } = await connection.query<{ nonce: string; application_id: string; body_hash: Buffer }>(statement);
  const known = new Map(rows.map((row) => [`${row.application_id}\0${row.nonce}`, row.body_hash]));
  return nonces.map((row) => known.get(`${row.applicationId}\0${row.nonce}`) ?? null);
}

interface AnchorRow {
  device_key: string;
  id: string;
  ref: string;
  received_at: number;
  anchored_on: string;
  is_new: boolean;
  is_open: boolean;
}

/** `userAt` is null where the user of a stored session stays as it is. */
export type ClaimedSession = Omit<SessionRow, 'userAt'> & Record<'userAt', number | null>;

/**
 * Inserts or merges sessions (unique by device and id) and returns the anchor of each, by sessionKey. The `xmax` of an
 * updated row holds the lock of its update; an inserted row has none.
 */
export async function upsertSessions(
  transaction: Transaction,
  sessions: ClaimedSession[],
): Promise<Map<string, SessionAnchor>> {
  const deviceKeys = plainArray(column(sessions, 'deviceKey'));
  const ids = textArray(column(sessions, 'id'));
  const applicationIds = plainArray(column(sessions, 'applicationId'));
  const globalNumbers = plainArray(column(sessions, 'globalNumber'));
  const versionNumbers = plainArray(column(sessions, 'versionNumber'));
  const starts = plainArray(sessions.map(({ startedAt }) => timestampText(startedAt)));
  const offsets = plainArray(column(sessions, 'utcOffsetMinutes'));
  const ends = plainArray(sessions.map(({ finishedAt }) => (finishedAt === null ? null : timestampText(finishedAt))));
  const userIds = textArray(column(sessions, 'userId'));
  const userTimes = plainArray(sessions.map(({ userAt }) => (userAt === null ? null : timestampText(userAt))));
  const statement = prepared('upsert_sessions')`/* sessions: upsertSessions */
    INSERT INTO sessions AS s (device_key, id, application_id, global_number, version_number, started_at,
      utc_offset_minutes, finished_at, user_id, user_at)
    SELECT key, id, application, global, version, started, utc_offset, finished, user_id,
      CASE WHEN user_at IS NOT NULL THEN least(user_at, now()) END
    FROM unnest(${deviceKeys}::uuid[], ${ids}::text[], ${applicationIds}::uuid[], ${globalNumbers}::int8[],
      ${versionNumbers}::int8[], ${starts}::timestamptz[], ${offsets}::int2[], ${ends}::timestamptz[],
      ${userIds}::text[], ${userTimes}::timestamptz[])
      AS t (key, id, application, global, version, started, utc_offset, finished, user_id, user_at)
    ON CONFLICT (device_key, id) DO UPDATE SET
      global_number = least(s.global_number, excluded.global_number),
      version_number = least(s.version_number, excluded.version_number),
      ${mergedDates},
      ${mergedUser}
    RETURNING device_key, id, ref, extract(epoch FROM received_at)::float8 AS received_at,
      (received_at AT TIME ZONE 'UTC')::date::text AS anchored_on, xmax = 0 AS is_new,
      finished_at IS NULL AS is_open`;
  const { rows } = await transaction.query<AnchorRow>(statement);
  return new Map(rows.map((row) => [sessionKey({ deviceKey: row.device_key }, row.id), anchorOf(row)]));
}

function anchorOf(row: AnchorRow): SessionAnchor {
  return {
    ref: row.ref,
    receivedAt: row.received_at,
    anchoredOn: row.anchored_on,
    isNew: row.is_new,
    isOpen: row.is_open,
  };
}

/** Adds to the counts of campaigns that belong to the named application. Any other campaign id is left out. */
export async function addCampaignCounts(transaction: Transaction, increments: CountIncrement[]): Promise<void> {
  const campaignIds = column(increments, 'campaignId');
  const applicationIds = column(increments, 'applicationId');
  const outcomes = column(increments, 'outcome');
  const counts = column(increments, 'count');
  await transaction.query(prepared('add_campaign_counts')`/* sessions: addCampaignCounts */
    INSERT INTO campaign_counts AS c (campaign_id, outcome, count)
    SELECT t.campaign, t.outcome, t.count
    FROM unnest(${campaignIds}::uuid[], ${applicationIds}::uuid[], ${outcomes}::text[], ${counts}::int8[])
      AS t (campaign, application, outcome, count)
    JOIN campaigns ON campaigns.id = t.campaign AND campaigns.application_id = t.application
    ORDER BY t.campaign, t.outcome
    ON CONFLICT (campaign_id, outcome) DO UPDATE SET count = c.count + excluded.count`);
}

/** The most characters of one device's user properties, as JSON that PostgreSQL writes. */
export const userPropertiesLimit = 4_194_304;

/**
 * A delta may outgrow the limit unless it is empty, as most are. One that only removes may not, but its device may be heavy
 * (reportSessions.ts), which only the length tells. A whole set may only where it is long, since PostgreSQL's text of it is a
 * little longer.
 */
export function mayOutgrow(devices: DeviceRow[]): boolean {
  return devices.some(({ droppedProperties, userProperties }) =>
    droppedProperties === null
      ? userProperties.length > userPropertiesLimit / 2
      : userProperties !== '{}' || droppedProperties.length > 0,
  );
}

/** Rows for `upsertDevices`; to be made before its pipeline is asked, as all rows are. */
export interface DeviceRows {
  upsert: Sql;
  /** Whether their properties may grow beyond the limit, so that `upsertDevices` must look at the result. */
  growing: boolean;
  /** Whether a quota counts some of them, so that `upsertDevices` must tell what was stored before. */
  counted: boolean;
}

/** `receivedAt`, in Unix seconds, is the arrival that the sessions of the transaction have. Null: the transaction's time. */
export function deviceRows(devices: DeviceRow[], receivedAt: number | null, counted = false): DeviceRows {
  const keys = plainArray(column(devices, 'key'));
  const applicationIds = plainArray(column(devices, 'applicationId'));
  const ids = textArray(column(devices, 'id'));
  const userIds = textArray(column(devices, 'userId'));
  const [states, signed] = [plainArray(column(devices, 'stateAt')), plainArray(column(devices, 'signed'))];
  const properties = jsonArray(column(devices, 'properties'));
  const userProperties = jsonArray(column(devices, 'userProperties'));
  const dropped = JSON.stringify(column(devices, 'droppedProperties'));
  const upsert = sql`/* sessions: upsertDevices */
    INSERT INTO devices AS d (key, application_id, id, user_id, properties, user_properties, dropped_properties, state_at,
      signed, first_seen_at, last_seen_at, install_since)
    SELECT key, application, id, user_id, properties, user_properties,
      CASE WHEN jsonb_typeof(dropped) = 'array' THEN ARRAY(SELECT jsonb_array_elements_text(dropped)) END,
      least(to_timestamp(state), now()), signed, received_at, received_at,
      date_part('epoch', least(to_timestamp(state), now()))
    FROM ROWS FROM (unnest(
          ${keys}::uuid[], ${applicationIds}::uuid[], ${ids}::text[], ${userIds}::text[], ${states}::float8[], ${signed}::boolean[]),
        jsonb_array_elements(${properties}::jsonb), jsonb_array_elements(${userProperties}::jsonb),
        jsonb_array_elements(${dropped}::jsonb))
      AS t (key, application, id, user_id, state, signed, properties, user_properties, dropped)
    CROSS JOIN (SELECT coalesce(to_timestamp(${receivedAt}::float8), now()) AS received_at) AS arrival
    ON CONFLICT (key) DO UPDATE SET
      user_id = CASE WHEN excluded.state_at >= d.state_at THEN excluded.user_id ELSE d.user_id END,
      properties = CASE WHEN excluded.state_at >= d.state_at THEN excluded.properties ELSE d.properties END,
      user_properties = CASE
        WHEN excluded.state_at < d.state_at THEN d.user_properties
        WHEN excluded.dropped_properties IS NULL OR excluded.user_id IS DISTINCT FROM d.user_id
          THEN excluded.user_properties
        WHEN excluded.dropped_properties = '{}' AND excluded.user_properties = '{}' THEN d.user_properties
        ELSE (d.user_properties - excluded.dropped_properties) || excluded.user_properties END,
      dropped_properties = CASE
        WHEN excluded.state_at >= d.state_at THEN excluded.dropped_properties ELSE d.dropped_properties END,
      state_at = greatest(d.state_at, excluded.state_at),
      signed = d.signed OR excluded.signed,
      ${mergedInstalls},
      state_repeated = NOT excluded.signed
        AND d.properties @> excluded.properties AND d.user_properties @> excluded.user_properties,
      last_seen_at = greatest(d.last_seen_at, excluded.state_at)`;
  return { upsert, growing: mayOutgrow(devices), counted };
}

/** What became of a device. */
export interface StoredDevice {
  key: string;
  isNew: boolean;
  /** A signed upload has reported it. */
  signed: boolean;
  /** The state of an unsigned upload was stored already. */
  stateRepeated: boolean;
  /** Of JSON that its user properties have now. Null where they cannot have grown beyond the limit. */
  characters: number | null;
}

/**
 * Writes the state of devices (unique by key); a state older than the stored one changes nothing. Returns a row for each where they
 * are counted or growing: with user properties over the limit, the transaction must not commit. No state is ahead of the database's clock:
 * otherwise a process whose clock is a day ahead would keep all other states out for a day.
 */
export async function upsertDevices(
  transaction: Transaction,
  { upsert, growing, counted }: DeviceRows,
): Promise<StoredDevice[]> {
  const returned = sql`RETURNING key, xmax = 0 AS "isNew", signed, state_repeated AS "stateRepeated"`;
  const statement = growing
    ? prepared('upsert_growing_devices')`${upsert} ${returned}, length(user_properties::text) AS characters`
    : counted
      ? prepared('upsert_counted_devices')`${upsert} ${returned}, NULL::integer AS characters`
      : prepared('upsert_devices')`${upsert}`;
  return (await transaction.query<StoredDevice>(statement)).rows;
}

/** One parameter in place of a jsonb[]: the driver would escape every quote of every element once more. */
function jsonArray(texts: string[]): string {
  return `[${texts.join(',')}]`;
}

function column<Row, Name extends keyof Row>(rows: Row[], name: Name): Row[Name][] {
  return rows.map((row) => row[name]);
}

// Parts of the upserts of uploadsStore.ts: how stored and new rows are merged, by immutable functions, as Citus demands.

/** As `canBeTrue` of sessions/upload.ts. The difference of two times is immutable, as Citus demands; their sum is not. */
const possible = (date: string, arrival: string): Sql =>
  sql`(${raw(arrival)} - ${raw(date)} BETWEEN interval '-${raw(String(trueFuture))} seconds' AND interval '${raw(String(truePast))} seconds')`;

const [sentStart, storedStart] = ['excluded.started_at', 's.started_at'].map((date) => possible(date, 's.received_at'));
const takesStart = sql`CASE WHEN ${sentStart} = ${storedStart}
        THEN excluded.started_at < s.started_at ELSE ${sentStart} END`;

/** A session may last for days after its first arrival, so a finish is measured at the arrival of its own upload. */
const sentFinish = possible('excluded.finished_at', 'excluded.received_at');
const storedFinish = sql`coalesce(s.finish_possible, ${possible('s.finished_at', 's.received_at')})`;

/** Null for a finish that is null: then the other finish holds. */
export const mergedDates = sql`started_at = CASE WHEN ${takesStart} THEN excluded.started_at ELSE s.started_at END,
      utc_offset_minutes = CASE
        WHEN excluded.started_at = s.started_at THEN least(s.utc_offset_minutes, excluded.utc_offset_minutes)
        WHEN ${takesStart} THEN excluded.utc_offset_minutes ELSE s.utc_offset_minutes END,
      finished_at = CASE
        WHEN ${sentFinish} <> ${storedFinish}
          THEN CASE WHEN ${storedFinish} THEN s.finished_at ELSE excluded.finished_at END
        ELSE greatest(s.finished_at, excluded.finished_at) END,
      finish_possible = coalesce(${sentFinish} OR ${storedFinish}, ${sentFinish}, ${storedFinish})`;

/** Without a time the user is not taken. */
export const mergedUser = sql`user_id = CASE
        WHEN excluded.user_at IS NULL OR excluded.user_at < s.user_at THEN s.user_id ELSE excluded.user_id END,
      user_at = greatest(s.user_at, excluded.user_at)`;

/** The most characters of the JSON of all installs of a device; an install beyond them is not added. */
const installsLimit = 65_536;

/** An install's key in `devices.installs`, from the device properties of this table. */
const installKey = (table: string): Sql =>
  sql`((${raw(table)}.properties ->> 'installDatetime') || ' ' || (${raw(table)}.properties ->> 'vendorIdentifier'))`;
const [sentKey, presentKey] = [installKey('excluded'), installKey('d')];

/** Made of text: the functions that build JSON are not immutable. */
const times = (first: Sql, last: Sql): Sql => sql`('[' || (${first})::text || ',' || (${last})::text || ']')::jsonb`;
const stateSeconds = sql`date_part('epoch', d.state_at - timestamptz '1970-01-01 00:00:00Z')`;

/** With the present install, unless the JSON has it still, or it is not listed. */
const allInstalls = sql`CASE WHEN d.install_since IS NULL THEN d.installs
          ELSE jsonb_set(d.installs, ARRAY[${presentKey}], ${times(sql`d.install_since`, stateSeconds)}) END`;
const isListed = sql`(d.installs ? ${sentKey} OR length((${allInstalls})::text) <= ${raw(String(installsLimit))})`;
const storedTime = (place: 0 | 1): Sql => sql`(d.installs #>> ARRAY[${sentKey}, '${raw(String(place))}'])::float8`;
const firstTime = sql`least(${storedTime(0)}, excluded.install_since)`;
const lastTime = sql`greatest(${storedTime(1)}, excluded.install_since)`;

/** Nearly always: then no JSON is made (docs/decisions/session-numbers.md). */
const isPresent = sql`d.install_since IS NOT NULL
        AND d.properties ->> 'vendorIdentifier' = excluded.properties ->> 'vendorIdentifier'
        AND d.properties ->> 'installDatetime' = excluded.properties ->> 'installDatetime'`;

/** The first time of an install is the earlier one, and its last time the later one. The present install is not in the JSON. */
export const mergedInstalls = sql`install_since = CASE
        WHEN ${isPresent} THEN least(d.install_since, excluded.install_since)
        WHEN excluded.state_at < d.state_at THEN d.install_since
        WHEN ${isListed} THEN ${firstTime} END,
      installs = CASE
        WHEN ${isPresent} THEN d.installs
        WHEN excluded.state_at >= d.state_at THEN (${allInstalls}) - ${sentKey}
        WHEN ${isListed} THEN jsonb_set(d.installs, ARRAY[${sentKey}], ${times(firstTime, lastTime)})
        ELSE d.installs END`;

// The SQL that stores events: COPY where no other transaction can have stored them, INSERT … ON CONFLICT otherwise.

/** An event and the anchor of its session. */
export interface AnchoredEvent {
  event: EventRow;
  anchor: SessionAnchor;
}

const columns = 'session_ref, anchored_on, device_key, application_id, id, system, name, occurred_at, params, place';
export const eventColumns = `(${columns})`;

const copiedColumnCount = 11;
/** Of a smallint. Only the entries of one session in one upload together can have more events. */
const lastPlace = 32_767;
/** The size of a usual row. The buffer grows for longer rows. */
const expectedRowBytes = 256;

/**
 * Rows for `copyEvents`. The caller makes them before the pipeline: if it failed to write an event later, the pipeline
 * would commit without that event.
 */
export function eventRows(events: AnchoredEvent[]): Buffer {
  const rows = new BinaryRows(events.length * expectedRowBytes);
  let last: AnchoredEvent | null = null;
  let [start, end] = [0, 0];
  for (const anchored of events) {
    const { event, anchor } = anchored;
    const alike = last !== null && last.anchor === anchor && last.event.deviceKey === event.deviceKey;
    if (alike) {
      rows.repeat(start, end);
    } else {
      start = rows.length;
      beginRow(rows, anchored);
      end = rows.length;
    }
    if (!rows.taggedUuid(lowercaseUuidTag, event.id)) rows.bytes(packId(event.id));
    rows.boolean(event.system);
    rows.text(event.name);
    rows.timestamptz(event.occurredAt);
    rows.jsonb(event.params);
    rows.smallint(Math.min(event.place, lastPlace));
    last = anchored;
  }
  return rows.end();
}

/** Writes the columns that all events of a session share. */
function beginRow(rows: BinaryRows, { event, anchor }: AnchoredEvent): void {
  rows.row(copiedColumnCount);
  rows.timestamptz(anchor.receivedAt);
  rows.bigint(Number(anchor.ref));
  rows.date(Date.parse(anchor.anchoredOn) / 86_400_000);
  rows.uuid(event.deviceKey);
  rows.uuid(event.applicationId);
}

/**
 * Stores `eventRows` of distinct events of sessions that this transaction has inserted: no other one can have stored any
 * of them, and all of them arrived with their session. COPY takes PostgreSQL two thirds of the time of INSERT … ON CONFLICT (docs/decisions/transaction-pipeline.md).
 */
export function copyEvents(transaction: Transaction, rows: Buffer): Promise<void> {
  return copyFrom(
    transaction,
    `/* sessions: copyEvents */ COPY events (received_at, ${columns}) FROM STDIN (FORMAT binary)`,
    rows,
  );
}

/** The statement of `insertEvents`; to be made before its pipeline is asked, as `eventRows` is. */
export function eventInsertion(events: AnchoredEvent[]): Sql {
  const refs = plainArray(events.map(({ anchor }) => anchor.ref));
  const dates = plainArray(events.map(({ anchor }) => anchor.anchoredOn));
  const deviceKeys = plainArray(events.map(({ event }) => event.deviceKey));
  const applicationIds = plainArray(events.map(({ event }) => event.applicationId));
  const ids = byteArray(events.map(({ event }) => packId(event.id)));
  const systems = plainArray(events.map(({ event }) => event.system));
  const names = textArray(events.map(({ event }) => event.name));
  const times = plainArray(events.map(({ event }) => timestampText(event.occurredAt)));
  const places = plainArray(events.map(({ event }) => Math.min(event.place, lastPlace)));
  const params = `[${events.map(({ event }) => event.params.toString()).join(',')}]`;
  return sql`/* sessions: insertEvents */
    INSERT INTO events ${raw(eventColumns)}
    SELECT ref, anchored_on, key, application, id, system, name, occurred, params, place
    FROM ROWS FROM (
        unnest(${refs}::int8[], ${dates}::date[], ${deviceKeys}::uuid[], ${applicationIds}::uuid[], ${ids}::bytea[],
          ${systems}::bool[], ${names}::text[], ${times}::timestamptz[], ${places}::int2[]),
        jsonb_array_elements(${params}::jsonb))
      AS t (ref, anchored_on, key, application, id, system, name, occurred, place, params)
    ON CONFLICT DO NOTHING`;
}

/**
 * Inserts the events (unique by session and id) that are not stored yet and returns their number. RETURNING counts
 * them: without it, Citus also counts stored events (docs/contributing/cluster.md, rule 4).
 */
export async function insertEvents(transaction: Transaction, insertion: Sql): Promise<number> {
  const { rowCount } = await transaction.query(prepared('insert_events')`${insertion} RETURNING true`);
  return rowCount!;
}

/** Inserts too, and returns the events that were not stored yet. */
export async function insertNewEvents(transaction: Transaction, events: AnchoredEvent[]): Promise<AnchoredEvent[]> {
  const statement = prepared('insert_new_events')`${eventInsertion(events)} RETURNING session_ref, id`;
  const { rows } = await transaction.query<{ session_ref: string; id: Buffer }>(statement);
  const inserted = new Set(rows.map((row) => `${row.session_ref}:${unpackId(row.id)}`));
  return events.filter(({ event, anchor }) => inserted.has(`${anchor.ref}:${event.id}`));
}

// The SQL of the log of changes, by which copies for reading follow (src/analytics/engine/relations.md).

/** Rows that one statement deletes: one of a busy transaction takes a few kilobytes. */
const batchSize = 2_000;

export interface StoredKey {
  device_key: string;
  ref: string;
}

export interface BatchChange {
  /** The n-th session is of the n-th device. Further devices are those that were removed. */
  refs: readonly (string | number)[];
  deviceKeys: readonly string[];
}

/** One row for a batch: two numbers for each of its sessions, in place of a row for each upload. */
export async function logChange(transaction: Transaction, { refs, deviceKeys }: BatchChange): Promise<void> {
  await transaction.query(prepared('log_change')`/* sessions: logChange */
    INSERT INTO session_changes (refs, device_keys)
    VALUES (${plainArray(refs)}::bigint[], ${plainArray(deviceKeys)}::uuid[])`);
}

/** In the transaction that has removed them: so no copy keeps what PostgreSQL has not. */
export async function logRemoval(
  transaction: Transaction,
  sessions: readonly StoredKey[],
  devices: readonly string[] = [],
): Promise<void> {
  if (sessions.length + devices.length === 0) return;
  const refs = sessions.map(({ ref }) => ref);
  const deviceKeys = [...sessions.map(({ device_key }) => device_key), ...devices];
  await logChange(transaction, { refs, deviceKeys });
}

/**
 * A copy that has not followed for seven days is built anew. The oldest rows come first in the index, so that a run ends
 * at the first young row.
 */
export async function deleteOldChanges(connection: SqlConnection): Promise<void> {
  for (let deleted = batchSize; deleted === batchSize;) {
    const { rowCount } = await connection.query(sql`/* sessions: deleteOldChanges */
      WITH oldest AS MATERIALIZED (SELECT ctid AS place, at FROM session_changes ORDER BY xid LIMIT ${batchSize})
      DELETE FROM session_changes USING oldest
      WHERE session_changes.ctid = oldest.place AND oldest.at < now() - interval '7 days'`);
    deleted = rowCount ?? 0;
  }
}

// The SQL for nonces and sessions that are taken as new: by COPY, so that a stored key refuses the batch.

/** The size of usual rows. The buffer grows for longer rows. */
const expectedBytes = { nonce: 96, session: 160 };

/** Rows for `copyNonces`. The caller makes all rows before the pipeline. */
export function nonceRows(nonces: NonceRow[]): Buffer {
  const rows = new BinaryRows(nonces.length * expectedBytes.nonce);
  for (const { nonce, applicationId, bodyHash } of nonces) {
    rows.row(3);
    rows.text(nonce);
    rows.uuid(applicationId);
    rows.bytes(bodyHash);
  }
  return rows.end();
}

/** Rejects with 23505 when one of them is stored. Waits for a transaction that stores one at the same time. */
export function copyNonces(transaction: Transaction, rows: Buffer): Promise<void> {
  const columns = '(nonce, application_id, body_hash)';
  return copyFrom(transaction, `/* sessions: copyNonces */ COPY nonces ${columns} FROM STDIN (FORMAT binary)`, rows);
}

export interface NumberedSession {
  session: SessionRow;
  ref: number;
  /** Unix seconds. */
  receivedAt: number;
}

/** Rows for `copySessions`. */
export function newSessionRows(sessions: NumberedSession[]): Buffer {
  const rows = new BinaryRows(sessions.length * expectedBytes.session);
  for (const { session, ref, receivedAt } of sessions) {
    rows.row(12);
    rows.uuid(session.deviceKey);
    rows.text(session.id);
    rows.uuid(session.applicationId);
    rows.bigint(ref);
    rows.bigint(session.globalNumber);
    rows.bigint(session.versionNumber);
    rows.timestamptz(session.startedAt);
    if (session.finishedAt === null) rows.null();
    else rows.timestamptz(session.finishedAt);
    rows.timestamptz(receivedAt);
    rows.smallint(session.utcOffsetMinutes);
    if (session.userId === null) rows.null();
    else rows.text(session.userId);
    rows.timestamptz(Math.min(session.userAt, receivedAt));
  }
  return rows.end();
}

const sessionColumns = `(device_key, id, application_id, ref, global_number, version_number, started_at, finished_at,
  received_at, utc_offset_minutes, user_id, user_at)`;

/**
 * Rejects when one of them is stored, with 23505 except on a Citus cluster. Waits for a transaction that stores one at
 * the same time.
 */
export function copySessions(transaction: Transaction, rows: Buffer): Promise<void> {
  return copyFrom(
    transaction,
    `/* sessions: copySessions */ COPY sessions ${sessionColumns} FROM STDIN (FORMAT binary)`,
    rows,
  );
}

export interface DrawnNumbers {
  numbers: number[];
  /** Unix seconds, by the database's clock. */
  now: number;
}

/** Numbers for sessions. The sequence gives each number once. */
export async function drawSessionNumbers(transaction: Transaction, count: number): Promise<DrawnNumbers> {
  const statement = sql`/* sessions: drawSessionNumbers */
    SELECT array_agg(nextval('sessions_ref_seq')) AS numbers, extract(epoch FROM clock_timestamp())::float8 AS now
    FROM generate_series(1, ${count})`;
  const { rows } = await transaction.query<{ numbers: string[]; now: number }>(statement);
  const { numbers, now } = rows[0]!;
  return { numbers: numbers.map(Number), now };
}

// The SQL that counts shows by device and day, for campaigns with a frequency: `CampaignStats.suspect` of schema.graphql.

export interface ShowIncrement {
  campaignId: string;
  applicationId: string;
  deviceKey: string;
  shows: number;
  /** The earliest first arrival of the sessions with a show: a date. */
  anchoredOn: string;
}

/**
 * After the sessions of the batch are stored. `receivedAt`, in Unix seconds, is their arrival; null is the transaction's
 * time. Only a campaign with a cap gets rows, and the sessions of a device are read only for a cap of sessions.
 */
export async function addCampaignShows(
  transaction: Transaction,
  increments: ShowIncrement[],
  receivedAt: number | null,
): Promise<void> {
  const campaignIds = plainArray(increments.map(({ campaignId }) => campaignId));
  const applicationIds = plainArray(increments.map(({ applicationId }) => applicationId));
  const deviceKeys = plainArray(increments.map(({ deviceKey }) => deviceKey));
  const shows = plainArray(increments.map((increment) => increment.shows));
  const anchors = plainArray(increments.map(({ anchoredOn }) => anchoredOn));
  // PostgreSQL reads the text as the time of the transaction.
  const at = receivedAt === null ? 'now' : timestampText(receivedAt);
  await transaction.query(prepared('add_campaign_shows')`/* sessions: addCampaignShows */
    WITH of_day AS MATERIALIZED (
      SELECT device_key, count(*) AS sessions FROM sessions
      WHERE device_key = ANY(${deviceKeys}::uuid[]) AND received_at >= date_trunc('day', ${at}::timestamptz, 'UTC')
      GROUP BY device_key)
    INSERT INTO campaign_shows AS s (campaign_id, shown_by, day, shows, suspect, sessions, continued, most, per_session)
    SELECT c.id, t.device, today.day, t.shows,
      greatest(0, t.shows - least(caps.most, caps.per_session * (n.sessions + (t.anchored < today.day)::int))),
      n.sessions, t.anchored < today.day, caps.most, caps.per_session
    FROM (SELECT * FROM unnest(${campaignIds}::uuid[], ${applicationIds}::uuid[], ${deviceKeys}::uuid[], ${shows}::int8[],
      ${anchors}::date[]) AS given (campaign, application, device, shows, anchored)) t
    JOIN campaigns c ON c.id = t.campaign AND c.application_id = t.application
    CROSS JOIN (SELECT (${at}::timestamptz AT TIME ZONE 'UTC')::date AS day) today
    CROSS JOIN LATERAL (
      SELECT least((c.frequency ->> 'perDay')::int8, (c.frequency ->> 'total')::int8) AS most,
        (c.frequency ->> 'perSession')::int8 AS per_session) caps
    CROSS JOIN LATERAL (
      SELECT CASE WHEN caps.per_session IS NOT NULL
        THEN coalesce((SELECT d.sessions FROM of_day d WHERE d.device_key = t.device), 0) END AS sessions) n
    WHERE caps.most IS NOT NULL OR caps.per_session IS NOT NULL
    ORDER BY c.id, t.device
    ON CONFLICT (campaign_id, shown_by, day) DO UPDATE SET shows = s.shows + excluded.shows,
      suspect = greatest(0, s.shows + excluded.shows - least(excluded.most,
        excluded.per_session * (excluded.sessions + (s.continued OR excluded.continued)::int))),
      sessions = excluded.sessions, continued = s.continued OR excluded.continued, most = excluded.most,
      per_session = excluded.per_session`);
}
