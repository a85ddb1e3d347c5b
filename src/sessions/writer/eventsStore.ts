// The SQL that stores events: COPY where no other transaction can have stored them, INSERT … ON CONFLICT otherwise.
import { byteArray, plainArray, textArray } from '../../platform/database/arrayLiteral.ts';
import { BinaryRows } from '../../platform/database/binaryRows.ts';
import { copyFrom } from '../../platform/database/copyFrom.ts';
import { prepared, raw, sql, type Sql } from '../../platform/database/sql.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { lowercaseUuidTag, packId, unpackId } from '../packedId.ts';
import { timestampText } from '../timestampText.ts';
import type { EventRow } from '../upload.ts';
import type { SessionAnchor } from './uploadsStore.ts';

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
