// Writes events as lines of COPY's text format for benches and tests; the service itself writes the binary format.
import { type EventRow, packId, timestampText } from '../../../../src/sessions/upload.ts';
import type { SessionAnchor } from '../../../../src/sessions/writer/uploadsStore.ts';

/** The line's columns are `eventColumns`. */
export function eventLine({ ref, anchoredOn }: Pick<SessionAnchor, 'ref' | 'anchoredOn'>, event: EventRow): string {
  const { deviceKey, applicationId, id, place, system, name, occurredAt, params } = event;
  const keys = `${ref}\t${anchoredOn}\t${deviceKey}\t${applicationId}\t\\\\x${packId(id).toString('hex')}`;
  const values = [system, copyText(name), timestampText(occurredAt), copyText(params.toString()), place];
  return `${keys}\t${values.join('\t')}\n`;
}

/** Characters that the text format escapes. */
const special = /[\\\n\r\t]/;
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes a text as a value of a line. */
export function copyText(value: string): string {
  return special.test(value) ? value.replaceAll(/[\\\n\r\t]/g, (character) => escapes[character]!) : value;
}
