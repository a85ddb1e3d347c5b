// The SQL that stores events: copied where nobody else can have them, inserted with a look at the key otherwise.
import { byteArray, plainArray, textArray } from '../../platform/database/arrayLiteral.ts';
import { BinaryRows } from '../../platform/database/binaryRows.ts';
import { copyFrom } from '../../platform/database/copyFrom.ts';
import type { Transaction } from '../../platform/database/transaction.ts';
import { lowercaseUuidTag, packId, unpackId } from '../packedId.ts';
import { timestampText } from '../timestampText.ts';
import type { EventRow } from '../upload.ts';
import type { SessionAnchor } from './uploadsStore.ts';

/** An event and what its session's row says of it. */
export interface AnchoredEvent {
  event: EventRow;
  anchor: SessionAnchor;
}

export const eventColumns =
  '(session_ref, anchored_on, device_key, application_id, id, system, name, occurred_at, params)';

const eventColumnCount = 9;
/** Of a row of the usual size; a longer one lets the buffer grow. */
const expectedRowBytes = 256;

/**
 * Rows for `copyEvents`. To be made before its pipeline is asked, which would commit without an event that cannot be
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

/** What all events of a session have in common. */
function beginRow(rows: BinaryRows, { event, anchor }: AnchoredEvent): void {
  rows.row(eventColumnCount);
  rows.bigint(Number(anchor.ref));
  rows.date(Date.parse(anchor.anchoredOn) / 86_400_000);
  rows.uuid(event.deviceKey);
  rows.uuid(event.applicationId);
}

/**
 * Stores `eventRows` of distinct events of sessions that this transaction has inserted: no other one can have stored any
 * of them. COPY takes PostgreSQL two thirds of the time of INSERT … ON CONFLICT (test/bench/README.md).
 */
export function copyEvents(transaction: Transaction, rows: Buffer): Promise<void> {
  return copyFrom(
    transaction,
    `/* sessions: copyEvents */ COPY events ${eventColumns} FROM STDIN (FORMAT binary)`,
    rows,
  );
}

const insertEventsText = `/* sessions: insertEvents */
  INSERT INTO events ${eventColumns}
  SELECT ref, anchored_on, key, application, id, system, name, occurred, params
  FROM ROWS FROM (
      unnest($1::int8[], $2::date[], $3::uuid[], $4::uuid[], $5::bytea[], $6::bool[], $7::text[], $8::timestamptz[]),
      jsonb_array_elements($9::jsonb))
    AS t (ref, anchored_on, key, application, id, system, name, occurred, params)
  ON CONFLICT DO NOTHING`;

/** What `insertEvents` is given; to be made before its pipeline is asked, as `eventRows` is. */
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
    `[${events.map(({ event }) => event.params.toString()).join(',')}]`,
  ];
}

/**
 * Inserts the events (unique by session and id) that are not stored yet and answers how many these were. By the rows that
 * it returns: without any, Citus counts those that were there as well (prisma/CITUS.md, rule 4).
 */
export async function insertEvents(transaction: Transaction, values: string[]): Promise<number> {
  const query = { name: 'insert_events', text: `${insertEventsText} RETURNING true`, values };
  const { rowCount } = await transaction.query(query);
  return rowCount!;
}

/** The same, and answers those that were not stored yet. */
export async function insertNewEvents(transaction: Transaction, events: AnchoredEvent[]): Promise<AnchoredEvent[]> {
  const { rows } = await transaction.query<{ session_ref: string; id: Buffer }>({
    name: 'insert_new_events',
    text: `${insertEventsText} RETURNING session_ref, id`,
    values: eventValues(events),
  });
  const inserted = new Set(rows.map((row) => `${row.session_ref}:${unpackId(row.id)}`));
  return events.filter(({ event, anchor }) => inserted.has(`${anchor.ref}:${event.id}`));
}
