// The SQL that stores events: copied where nobody else can have them, inserted with a look at the key otherwise.
import { byteArray, plainArray, textArray } from '../platform/database/arrayLiteral.ts';
import { copyFrom, copyText } from '../platform/database/copyFrom.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import { packedHex, packId, unpackId } from './packedId.ts';
import { timestampText } from './timestampText.ts';
import type { EventRow } from './upload.ts';
import type { SessionAnchor } from './uploadsStore.ts';

/** An event and what its session's row says of it. */
export interface AnchoredEvent {
  event: EventRow;
  anchor: SessionAnchor;
}

export const eventColumns =
  '(session_ref, anchored_on, device_key, application_id, id, system, name, occurred_at, params)';

/**
 * For distinct events of sessions that this transaction has inserted: no other one can have stored any of them. COPY
 * takes PostgreSQL two thirds of the time of INSERT … ON CONFLICT and this process half (test/bench/README.md).
 * `texts` is their `eventTexts`.
 */
export async function copyEvents(
  client: SqlConnection,
  events: AnchoredEvent[],
  texts: ReadonlyMap<EventRow, string>,
): Promise<void> {
  const lines = events.map(({ event, anchor }) => eventLine(anchor, texts.get(event)!)).join('');
  await copyFrom(client, `/* sessions: copyEvents */ COPY events ${eventColumns} FROM STDIN`, lines);
}

/** A line of COPY's text format. */
export function eventLine({ ref, anchoredOn }: SessionAnchor, text: string): string {
  return `${ref}\t${anchoredOn}\t${text}\n`;
}

/** The part of its line that an event knows without its session's row. */
export function eventText(event: EventRow): string {
  const keys = `${event.deviceKey}\t${event.applicationId}\t\\\\x${packedHex(event.id)}`;
  return `${keys}\t${event.system}\t${copyText(event.name)}\t${timestampText(event.occurredAt)}\t${copyText(event.params)}`;
}

export function eventTexts(events: EventRow[]): Map<EventRow, string> {
  const texts = new Map<EventRow, string>();
  for (const event of events) texts.set(event, eventText(event));
  return texts;
}

const insertEventsText = `/* sessions: insertEvents */
  INSERT INTO events ${eventColumns}
  SELECT ref, anchored_on, key, application, id, system, name, occurred, params
  FROM ROWS FROM (
      unnest($1::int8[], $2::date[], $3::uuid[], $4::uuid[], $5::bytea[], $6::bool[], $7::text[], $8::timestamptz[]),
      jsonb_array_elements($9::jsonb))
    AS t (ref, anchored_on, key, application, id, system, name, occurred, params)
  ON CONFLICT DO NOTHING`;

function eventValues(events: AnchoredEvent[]): string[] {
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

/** Inserts the events (unique by session and id) that are not stored yet and answers how many these were. */
export async function insertEvents(client: SqlConnection, events: AnchoredEvent[]): Promise<number> {
  const query = { name: 'insert_events', text: insertEventsText, values: eventValues(events) };
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
