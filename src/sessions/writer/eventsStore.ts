// The SQL that stores events: COPY where no other transaction can have stored them, INSERT … ON CONFLICT otherwise.
import { byteArray, plainArray, textArray } from '../../platform/database/arrayLiteral.ts';
import { BinaryRows } from '../../platform/database/binaryRows.ts';
import { copyFrom } from '../../platform/database/copyFrom.ts';
import type { SqlConnection } from '../../platform/database/sqlClient.ts';
import { lowercaseUuidTag, packId, unpackId } from '../packedId.ts';
import { timestampText } from '../timestampText.ts';
import type { EventRow } from '../upload.ts';
import type { SessionAnchor } from './uploadsStore.ts';

/** An event and the anchor of its session. */
export interface AnchoredEvent {
  event: EventRow;
  anchor: SessionAnchor;
}

export const eventColumns =
  '(session_ref, anchored_on, device_key, application_id, id, system, name, occurred_at, params)';

const eventColumnCount = 9;
/** The size of a usual row. The buffer grows for longer rows. */
const expectedRowBytes = 256;

/**
 * Rows for `copyEvents`. The caller makes them before the pipeline: it would commit without an event that cannot be
 * written.
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
    last = anchored;
  }
  return rows.end();
}

/** Writes the columns that all events of a session share. */
function beginRow(rows: BinaryRows, { event, anchor }: AnchoredEvent): void {
  rows.row(eventColumnCount);
  rows.bigint(Number(anchor.ref));
  rows.date(Date.parse(anchor.anchoredOn) / 86_400_000);
  rows.uuid(event.deviceKey);
  rows.uuid(event.applicationId);
}

/**
 * Stores `eventRows` of distinct events of sessions that this transaction has inserted: no other one can have stored any
 * of them. COPY takes PostgreSQL two thirds of the time of INSERT … ON CONFLICT (docs/decisions/binary-copy.md).
 */
export function copyEvents(client: SqlConnection, rows: Buffer): Promise<void> {
  return copyFrom(client, `/* sessions: copyEvents */ COPY events ${eventColumns} FROM STDIN (FORMAT binary)`, rows);
}

const insertEventsText = `/* sessions: insertEvents */
  INSERT INTO events ${eventColumns}
  SELECT ref, anchored_on, key, application, id, system, name, occurred, params
  FROM ROWS FROM (
      unnest($1::int8[], $2::date[], $3::uuid[], $4::uuid[], $5::bytea[], $6::bool[], $7::text[], $8::timestamptz[]),
      jsonb_array_elements($9::jsonb))
    AS t (ref, anchored_on, key, application, id, system, name, occurred, params)
  ON CONFLICT DO NOTHING`;

/** Values for `insertEvents`. The caller makes them before the pipeline, like `eventRows`. */
export function eventValues(events: AnchoredEvent[]): string[] {
  return [
    plainArray(events.map(({ anchor }) => anchor.ref)),
    plainArray(events.map(({ anchor }) => anchor.anchoredOn)),
    plainArray(events.map(({ event }) => event.deviceKey)),
    plainArray(events.map(({ event }) => event.applicationId)),
    byteArray(events.map(({ event }) => packId(event.id))),
    plainArray(events.map(({ event }) => event.system)),
    textArray(events.map(({ event }) => event.name)),
    plainArray(events.map(({ event }) => timestampText(event.occurredAt))),
    `[${events.map(({ event }) => event.params).join(',')}]`,
  ];
}

/**
 * Inserts the events (unique by session and id) that are not stored yet and answers how many these were. By the rows that
 * it returns: without any, Citus counts those that were there as well, by rule 4 of
 * `docs/operating/cluster.md, "Rules for statements"`.
 */
export async function insertEvents(client: SqlConnection, values: string[]): Promise<number> {
  const query = { name: 'insert_events', text: `${insertEventsText} RETURNING true`, values };
  const { rowCount } = await client.query(query);
  return rowCount!;
}

/** The same, and answers those that were not stored yet. */
export async function insertNewEvents(client: SqlConnection, events: AnchoredEvent[]): Promise<AnchoredEvent[]> {
  const { rows } = await client.query<{ session_ref: string; id: Buffer }>({
    name: 'insert_new_events',
    text: `${insertEventsText} RETURNING session_ref, id`,
    values: eventValues(events),
  });
  const inserted = new Set(rows.map((row) => `${row.session_ref}:${unpackId(row.id)}`));
  return events.filter(({ event, anchor }) => inserted.has(`${anchor.ref}:${event.id}`));
}
